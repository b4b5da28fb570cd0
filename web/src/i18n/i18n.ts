import i18next, { type FormatterModule, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Texts } from './texts';

export const languages = ['en', 'fa', 'ru', 'zh', 'ar'] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  fa: 'فارسی',
  ru: 'Русский',
  zh: '中文',
  ar: 'العربية',
};

export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  language === 'fa' || language === 'ar' ? 'rtl' : 'ltr';

/** Loads the texts of one namespace in one language. */
export type LoadTexts = (language: Language) => Promise<Readonly<Record<string, string>>>;

const loaders = new Map<keyof Texts, LoadTexts>();

/** The language that the server chose for the document: the cookie `lang`, else the one of the browser. */
export function currentLanguage(): Language {
  return languages.find((language) => language === document.documentElement.lang) ?? 'en';
}

/** Starts i18next, without texts. */
export async function startTexts(namespace: keyof Texts): Promise<i18n> {
  await i18next
    .use(initReactI18next)
    .use(localized)
    .init({
      lng: currentLanguage(),
      fallbackLng: false,
      ns: [],
      defaultNS: namespace,
      resources: {},
      keySeparator: false,
      nsSeparator: false,
      // React escapes markup. What a value may do is to change the direction of the sentence around it.
      interpolation: { escapeValue: true, escape: isolated, alwaysFormat: true },
      react: { useSuspense: false },
    });
  return i18next;
}

/** Counts have the digits of the language, as everything that `useFormat` formats. Other numbers may be ports or ids. */
const localized: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _, language, options) => {
    const isCount = options?.['interpolationkey'] === 'count' || options?.['interpolationkey'] === 'n';
    return isCount && typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : String(value ?? '');
  },
};

/** Letters from right to left, and the marks that change the direction of a line. */
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
/** A number keeps its order in any sentence. */
const NUMBER = /^[\d\u0660-\u0669\u066b\u066c\u06f0-\u06f9]+$/;
const ISOLATES = /[\u2066-\u2069]/g;

/** A value that could reorder the sentence around it, isolated from the sentence. */
export function isolated(value: string): string {
  return TURNING.test(value) && !NUMBER.test(value) ? `\u2068${value.replaceAll(ISOLATES, '')}\u2069` : value;
}

/** Makes the texts of a namespace ready in the current language; later also in those the admin changes to. */
export async function addTexts(namespace: keyof Texts, load: LoadTexts): Promise<void> {
  loaders.set(namespace, load);
  await loadInto(namespace, load, currentLanguage());
}

async function loadInto(namespace: keyof Texts, load: LoadTexts, language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, namespace)) return;
  i18next.addResourceBundle(language, namespace, await load(language));
}

/** Changes the language of the page and of the panel's answers. */
export async function changeLanguage(language: Language): Promise<void> {
  await Promise.all([...loaders].map(([namespace, load]) => loadInto(namespace, load, language)));
  document.cookie = `lang=${language}; path=${new URL('.', document.baseURI).pathname}; max-age=31536000; samesite=lax`;
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  await i18next.changeLanguage(language);
}
