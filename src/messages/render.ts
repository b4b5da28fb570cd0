import { createRequire } from 'node:module';
import { createInstance } from 'i18next';
import { installedFile } from '../installation/installation.js';
import { areas } from './codes.generated.js';
import {
  byteCountText,
  bytesText,
  durationText,
  isolated,
  momentText,
  numberText,
  quotedText,
  separatorsOf,
  timeText,
  UNKNOWN,
  utcText,
} from './formats.js';
import { issueOf } from './issue.js';
import { type Language, languages } from './language.js';
import { LocaleFileError } from './locale-file-error.js';
import { isText, type Text } from './message.js';

/** Messages inside messages; what is deeper is left out. */
const DEEPEST = 6;
const DEFAULT_ZONE = 'UTC';

const load = createRequire(installedFile('locales/'));

/** Files of `locales/` that could not be read, such as `fa/client.json`. */
const unreadable = new Set<string>();

/**
 * The texts of a language by their codes, from `locales/`. English is used for a file that cannot be read, and for a
 * value that is not a text. Throws `LocaleFileError` if an English file cannot be read.
 */
function textsOf(language: Language): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const area of areas) {
    try {
      const file: unknown = load(`./${language}/${area}.json`);
      if (typeof file !== 'object' || file === null || Array.isArray(file))
        throw new TypeError(`locales/${language}/${area}.json is not an object of keys and texts`);
      for (const [key, text] of Object.entries(file)) {
        // A missing key: i18next would show an empty text, or throw for a value of another type.
        if (typeof text === 'string' && text.trim() !== '')
          texts[area === 'rejections' ? key : `${area}.${key}`] = text;
      }
    } catch (error) {
      if (language === 'en') throw new LocaleFileError(`locales/en/${area}.json`, error);
      unreadable.add(`${language}/${area}.json`);
    }
  }
  return texts;
}

/** The file of `locales/` that has the text of a code. */
function fileOf(code: string, language: Language): string {
  const [area = ''] = code.includes('.') ? code.split('.') : ['rejections'];
  return `${language}/${area}.json`;
}

const i18n = createInstance();
const loaded = new Set<Language>(['en']);
// Asynchronous loading is off: the instance is ready when `init` returns.
void i18n
  .use({
    type: 'formatter',
    init: () => undefined,
    add: () => undefined,
    addCached: () => undefined,
    format: formatted,
  })
  .init({
    initAsync: false,
    lng: 'en',
    fallbackLng: 'en',
    supportedLngs: languages,
    keySeparator: false,
    nsSeparator: false,
    resources: { en: { translation: textsOf('en') } },
    interpolation: { escapeValue: false, alwaysFormat: true },
  });

type OnMissing = (code: string, language: Language) => void;
let onMissing: OnMissing = () => undefined;
const reported = new Set<string>();

/**
 * Calls `report` once for each text that a language lacks when it is needed, once for each file of `locales/` that cannot
 * be read, as `fa/client.json`, and once for each parameter without a usable value, as `CLIENT_NOT_FOUND {{client}}`.
 */
export function reportMissingTexts(report: OnMissing): void {
  onMissing = report;
}

/**
 * The message in this language, or in English if there is no translation; an unknown code is returned as it is. `zone`
 * is the name of the time zone for times. A page shows all times in it, and bytes to three digits.
 */
export function render(text: Text, language: Language, zone = DEFAULT_ZONE, isPage = false): string {
  return rendered(text, { language, zone, isPage }, 0);
}

interface Reader {
  readonly language: Language;
  readonly zone: string;
  readonly isPage: boolean;
}

/** The codes of all messages. */
export const messageCodes = (): ReadonlySet<string> =>
  new Set(Object.keys(textsOf('en')).map((code) => code.replace(/_(?:zero|one|two|few|many|other)$/, '')));

/** The message of the first issue of a rejected value, in English, for logs and operators. */
export function issueText(error: Parameters<typeof issueOf>[0]): string {
  return render(issueOf(error), 'en');
}

function rendered(text: Text, reader: Reader, depth: number): string {
  const { language, zone, isPage } = reader;
  if (depth > DEEPEST) return '…';
  if ('verbatim' in text) return text.verbatim;
  if (!loaded.has(language)) {
    i18n.addResourceBundle(language, 'translation', textsOf(language));
    loaded.add(language);
  }
  const { code, params } = text;
  // i18next cannot be called from a formatter: messages inside the message come first.
  const inner = (value: unknown): unknown =>
    isText(value) ? new Rendered(isolated(rendered(value, reader, depth + 1), language)) : value;
  const replace = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.map(inner) : inner(value)]),
  );
  const count = typeof replace['count'] === 'number' ? { count: replace['count'] } : {};
  // The parameters go in by `replace`, so that none of them is read as an option.
  const options = { lng: language, replace, nest: false, $zone: zone, $isPage: isPage, $code: code };
  const { res, usedLng } = i18n.t(code, { ...options, ...count, returnDetails: true });
  if (usedLng !== language || res === code) {
    const file = fileOf(code, language);
    report(unreadable.has(file) ? file : code, language);
  }
  return res;
}

/** A message inside another one, in the language of both. */
class Rendered {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function report(code: string, language: Language): void {
  const entry = `${language} ${code}`;
  if (reported.has(entry)) return;
  reported.add(entry);
  onMissing(code, language);
}

/** Whether a value can be shown as a string: an object would become `[object Object]`. */
function hasText(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasText);
  return value instanceof Rendered || (value !== undefined && typeof value !== 'object');
}

/** Options of i18next that a formatter sees. */
interface Options {
  readonly $zone: string;
  readonly $isPage: boolean;
  readonly $code: string;
  readonly interpolationkey: string;
}

/** What i18next writes for one place in a text. `format` is the word after the comma. */
function formatted(value: unknown, format: string | undefined, lng: string | undefined, options = {}): string {
  const language = languages.find((known) => known === lng) ?? 'en';
  const { $zone = DEFAULT_ZONE, $isPage = false, $code = '', interpolationkey = '' } = options as Partial<Options>;
  const shown = (item: unknown, show: (item: unknown) => string): string => {
    if (hasText(item)) return show(item);
    report(`${$code} {{${interpolationkey}}}`, language);
    return UNKNOWN;
  };
  const nested = (item: unknown): string =>
    shown(item, (said) => (said instanceof Rendered ? said.text : isolated(String(said), language)));
  const each = (separator: string): string =>
    Array.isArray(value) ? value.map(nested).join(separator) : nested(value);
  switch (format) {
    case 'message':
      return nested(value);
    case 'messages':
      return each(separatorsOf(language).clauses);
    case 'lines':
      return each('\r\n');
    case 'list':
      return each(separatorsOf(language).items);
    case 'quoted':
      return typeof value === 'number' ? String(value) : shown(value, (said) => quotedText(said, language));
    case 'number':
      return numberText(value, language);
    case 'bytes':
      return isolated(bytesText(value, language), language);
    case 'byteCount':
      return isolated(($isPage ? bytesText : byteCountText)(value, language), language);
    case 'duration':
      return durationText(value, language);
    case 'time':
      return timeText(value, $zone, language);
    case 'utc':
      return isolated($isPage ? momentText(value, $zone, language) : utcText(value, language), language);
    default:
      return interpolationkey === 'count' && typeof value === 'number' ? numberText(value, language) : nested(value);
  }
}
