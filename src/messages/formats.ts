import { directionOf, type Language } from './language.js';

/** What a formatter writes where a value is not of its type: a text of another version may have been stored. */
export const UNKNOWN = '?';
const DAY_MS = 86_400_000;
const DURATIONS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

export function numberText(value: unknown, language: Language): string {
  return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : UNKNOWN;
}

/** Bytes in steps of 1024, to three digits. */
export function bytesText(value: unknown, language: Language): string {
  if (typeof value !== 'number') return UNKNOWN;
  let size = Math.max(value, 0);
  let step = 0;
  for (; size >= 1024 && step < SIZES.length - 1; step += 1) size /= 1024;
  const fraction = size >= 100 || step === 0 ? 0 : size >= 10 ? 1 : 2;
  const unit = SIZES[step] ?? 'byte';
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: fraction } as const;
  // The short form of the first unit is `byte`, also of several.
  const unitDisplay = step === 0 ? 'long' : 'short';
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, ...digits }).format(size);
}

/** Bytes to the last digit, such as `1,200 bytes`. */
export function byteCountText(value: unknown, language: Language): string {
  if (typeof value !== 'number') return UNKNOWN;
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(value);
}

/**
 * Milliseconds in the largest unit that divides them, such as `90 seconds`, else in seconds to one digit; more than a day
 * as `1 day 30 minutes`.
 */
export function durationText(value: unknown, language: Language): string {
  if (typeof value !== 'number') return UNKNOWN;
  const inUnit = (unit: string, count: number): string =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      maximumFractionDigits: 1,
    }).format(count);
  if (value < DAY_MS) {
    const [unit, ms] = DURATIONS.find(([, length]) => value >= length && value % length === 0) ?? ['second', 1000];
    return inUnit(unit, value / ms);
  }
  let rest = value;
  const parts = DURATIONS.flatMap(([unit, ms]) => {
    const count = Math.floor(rest / ms);
    rest %= ms;
    return count === 0 ? [] : [inUnit(unit, count)];
  });
  return parts.join(' ');
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && !Number.isNaN(new Date(value).getTime());

/** The locale of dates: Persian has its own calendar. */
const datesOf = (language: Language): string => `${language}-u-ca-${language === 'fa' ? 'persian' : 'gregory'}`;

/** A moment in milliseconds since 1970 as `2026-03-31 14:05`, in the time zone of this name; in Persian as `۱۴۰۵/۰۱/۱۱ ۱۴:۰۵`. */
export function timeText(value: unknown, zone: string, language: Language = 'en'): string {
  if (!isTime(value)) return UNKNOWN;
  const date = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zone } as const;
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (language !== 'fa') return new Intl.DateTimeFormat('sv-SE', { ...date, ...time }).format(value);
  const clock = new Intl.DateTimeFormat('fa', { ...time, hourCycle: 'h23', timeZone: zone });
  return `${new Intl.DateTimeFormat(datesOf('fa'), date).format(value)} ${clock.format(value)}`;
}

/** A moment in milliseconds since 1970 as a page shows it, such as `Mar 31, 2026, 2:05 PM`. */
export function momentText(value: unknown, zone: string, language: Language): string {
  if (!isTime(value)) return UNKNOWN;
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: zone } as const;
  return new Intl.DateTimeFormat(datesOf(language), options).format(value);
}

/** A moment in milliseconds since 1970 as `2026-03-31 14:05:09Z`; in Persian as `۱۴۰۵/۰۱/۱۱ ۱۴:۰۵:۰۹Z`. */
export function utcText(value: unknown, language: Language = 'en'): string {
  if (!isTime(value)) return UNKNOWN;
  if (language === 'fa') {
    const second = new Intl.NumberFormat('fa', { minimumIntegerDigits: 2 }).format(new Date(value).getUTCSeconds());
    return `${timeText(value, 'UTC', language)}:${second}Z`;
  }
  return new Date(value)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

const QUOTES: Readonly<Record<Exclude<Language, 'en'>, readonly [string, string]>> = {
  fa: ['«', '»'],
  ru: ['«', '»'],
  zh: ['“', '”'],
  ar: ['«', '»'],
};

/** A value in the quotation marks of the language, with control characters escaped. */
export function quotedText(value: unknown, language: Language): string {
  const escaped = JSON.stringify(String(value));
  if (language === 'en') return escaped;
  const [open, close] = QUOTES[language];
  return `${open}${isolated(escaped.slice(1, -1).replaceAll(String.raw`\"`, '"'), language)}${close}`;
}

/**
 * What stands between the items of a list, and between clauses that may contain commas. `Intl.ListFormat` has no form for
 * lists of values: in Arabic it puts "and" before each item, also in "must be one of".
 */
export function separatorsOf(language: Language): { readonly items: string; readonly clauses: string } {
  if (directionOf(language) === 'rtl') return { items: '، ', clauses: '؛ ' };
  return language === 'zh' ? { items: '、', clauses: '；' } : { items: ', ', clauses: '; ' };
}

/** In a line from right to left a value with Latin letters is isolated, so that it does not reorder its surroundings. */
export function isolated(value: string, language: Language): string {
  return directionOf(language) === 'rtl' && /[A-Za-z]/.test(value) ? `\u2068${value}\u2069` : value;
}
