/** The languages of the panel. English is the first: it is used for a text that another language lacks. */
export const languages = ['en', 'fa', 'ru', 'zh', 'ar'] as const;
export type Language = (typeof languages)[number];

/** Each language under its own name, for lists to choose from. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  fa: 'فارسی',
  ru: 'Русский',
  zh: '中文',
  ar: 'العربية',
};

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'fa' || language === 'ar' ? 'rtl' : 'ltr';
}

/** The language with this two-letter code, in any case; undefined when the panel does not have it. */
export function languageNamed(code = ''): Language | undefined {
  const lower = code.toLowerCase();
  return languages.find((language) => language === lower);
}
