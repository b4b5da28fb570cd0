import { latinDigits } from './digits';

/** Days are counted since 1970-01-01; values have the form of date inputs: `2026-11-23`, `2026-11-23T14:05`, `2026-11-23T14:05:09`. */

const DAY_MS = 86_400_000;
/** 9999-12-31: the panel refuses later times. */
const LAST_DAY = 2_932_896;
/** The day before the first day of the Persian calendar. */
const PERSIAN_EPOCH = -492_269;
/** In a Persian date, a later year is of the Gregorian calendar. */
const LAST_PERSIAN_YEAR = 1799;
/** The first day of the week, as `Date.getDay` counts: not every browser has `Intl.Locale.getWeekInfo`. */
const WEEK_STARTS: Readonly<Record<string, number>> = { fa: 6, ar: 6 };
const VALUE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?$/;
const TYPED = /^(\d{1,4})[/.\-\s]+(\d{1,2})[/.\-\s]+(\d{1,4})(?:[\sT,]+(\d{1,2}:\d{2}(?::\d{2})?))?$/;

type Parts = readonly [year: number, month: number, day: number];

/** Whether a text is the value of a date, with or without a time. */
export const isDate = (value: string): boolean => VALUE.test(value);

export const dayOfValue = (value: string): number => Date.parse(`${value.slice(0, 10)}T00:00:00Z`) / DAY_MS;
export const valueOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The current day where the browser is. */
export function today(): number {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY_MS;
}

/** Dates as an admin types and chooses them: in the calendar, the order and the digits of a language. */
export class Calendar {
  readonly #language: string;
  readonly #isPersian: boolean;
  readonly #parts: Intl.DateTimeFormat;
  readonly #numbers: Intl.NumberFormat;
  readonly #weekStart: number;
  readonly #order: readonly string[];
  readonly #separator: string;

  /** `calendar` is `persian` or `gregory`. */
  constructor(language: string, calendar: string) {
    this.#language = `${language}-u-ca-${calendar}`;
    this.#isPersian = calendar === 'persian';
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', timeZone: 'UTC' } as const;
    this.#parts = new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, numeric);
    this.#numbers = new Intl.NumberFormat(language, { useGrouping: false });
    this.#weekStart = WEEK_STARTS[language] ?? 1;
    const shown = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, numeric).formatToParts(0);
    this.#order = shown.map(({ type }) => type).filter((type) => ['year', 'month', 'day'].includes(type));
    this.#separator = shown.some(({ value }) => value === '.') ? '.' : '/';
  }

  /** Year, month and day of a day. */
  partsOf(day: number): Parts {
    if (!this.#isPersian) {
      const at = new Date(day * DAY_MS);
      return [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()];
    }
    const found = new Map(this.#parts.formatToParts(day * DAY_MS).map(({ type, value }) => [type, Number(value)]));
    return [found.get('year') ?? 0, found.get('month') ?? 0, found.get('day') ?? 0];
  }

  /** The day with these parts; undefined if the calendar does not have it, as the 30th of the last month in most years. */
  dayOf(...[year, month, date]: Parts): number | undefined {
    if (!this.#isPersian) return gregorianDay(year, month, date);
    const before = month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30;
    const near = PERSIAN_EPOCH + Math.round((year - 1) * 365.2422) + before + date;
    // Leap years are not spaced evenly, so the estimate is a few days off.
    return [0, 1, -1, 2, -2, 3, -3]
      .map((off) => near + off)
      .find((day) => this.partsOf(day).join() === [year, month, date].join());
  }

  /** The same day of another month, or the last day of a shorter month. */
  addMonths(day: number, count: number): number {
    const [year, month, date] = this.partsOf(day);
    const months = year * 12 + month - 1 + count;
    const found = [0, 1, 2, 3].map((less) => this.dayOf(Math.floor(months / 12), (months % 12) + 1, date - less));
    return found.find((one) => one !== undefined) ?? day;
  }

  /** The weeks of the month of a day: days of other months are null. */
  weeksOf(day: number): readonly (readonly (number | null)[])[] {
    const first = day - this.partsOf(day)[2] + 1;
    const next = this.addMonths(first, 1);
    // 1970-01-01 was a Thursday.
    const blank = (first + 4 - this.#weekStart + 7) % 7;
    const cells = Array.from({ length: Math.ceil((blank + next - first) / 7) * 7 }, (_, index) => {
      const cell = first + index - blank;
      return cell >= first && cell < next ? cell : null;
    });
    return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  }

  /** How many days after the start of its week a day is. */
  weekdayOf(day: number): number {
    return (((day + 4 - this.#weekStart) % 7) + 7) % 7;
  }

  /** Short and long names of the days of the week, from its first day. */
  weekdays(): readonly { readonly short: string; readonly long: string }[] {
    return Array.from({ length: 7 }, (_, index) => {
      const day = index + this.#weekStart - 4 + 7;
      return { short: this.#shown(day, { weekday: 'narrow' }), long: this.#shown(day, { weekday: 'long' }) };
    });
  }

  month(day: number): string {
    // With both, Persian has the year first.
    if (!this.#isPersian) return this.#shown(day, { month: 'long', year: 'numeric' });
    return `${this.#shown(day, { month: 'long' })} ${this.#digits(this.partsOf(day)[0], 4)}`;
  }

  /** The number of a day in its month. */
  dayNumber(day: number): string {
    return this.#digits(this.partsOf(day)[2], 1);
  }

  /** A day in words, for screen readers. */
  inWords(day: number): string {
    if (!this.#isPersian) return this.#shown(day, { dateStyle: 'full' });
    return `${this.#shown(day, { weekday: 'long' })} ${this.dayNumber(day)} ${this.month(day)}`;
  }

  /** A value as an admin would type it. A text that is not a value remains as it is. */
  text(value: string): string {
    if (!isDate(value)) return value;
    const [year, month, day] = this.partsOf(dayOfValue(value));
    const parts: Readonly<Record<string, readonly [number, number]>> = {
      year: [year, 4],
      month: [month, 2],
      day: [day, 2],
    };
    const date = this.#order.map((part) => this.#digits(...(parts[part] ?? [0, 0]))).join(this.#separator);
    if (value.length <= 10) return date;
    const time = value.slice(11).split(':');
    return `${date} ${time.map((part) => this.#digits(Number(part), 2)).join(':')}`;
  }

  /**
   * The value of a typed text, in any digits; undefined if it is not a date. A text without a time gets `timeOfDay`, if it
   * is not empty.
   */
  read(typed: string, timeOfDay = ''): string | undefined {
    const found = TYPED.exec(plain(typed).trim());
    if (!found) return undefined;
    const [, first = '', second = '', third = '', time] = found;
    const [year, month, date] = this.#sorted(first, second, third).map(Number);
    const isPersian = this.#isPersian && Number(year) <= LAST_PERSIAN_YEAR;
    const day = isPersian
      ? this.dayOf(Number(year), Number(month), Number(date))
      : gregorianDay(Number(year), Number(month), Number(date));
    if (day === undefined || day < 0 || day > LAST_DAY) return undefined;
    if (timeOfDay === '') return valueOfDay(day);
    if (time === undefined) return `${valueOfDay(day)}T${timeOfDay}`;
    const [hour = 0, ...rest] = time.split(':').map(Number);
    if (hour > 23 || rest.some((part) => part > 59)) return undefined;
    return `${valueOfDay(day)}T${time.padStart(time.length + 2 - time.indexOf(':'), '0')}`;
  }

  /** Year, month and day: a year in front is followed by the month, else the order is that of the language. */
  #sorted(...texts: readonly [string, string, string]): readonly string[] {
    if (texts[0].length === 4) return texts;
    if (texts[2].length !== 4) return [];
    const order = this.#order[0] === 'year' ? ['day', 'month', 'year'] : this.#order;
    return ['year', 'month', 'day'].map((part) => texts[order.indexOf(part)] ?? '');
  }

  #shown(day: number, options: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.#language, { ...options, timeZone: 'UTC' }).format(day * DAY_MS);
  }

  #digits(value: number, length: number): string {
    return this.#numbers.format(value).padStart(length, this.#numbers.format(0));
  }
}

function gregorianDay(...[year, month, date]: Parts): number | undefined {
  const at = new Date(Date.UTC(year, month - 1, date));
  const isSame = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
  return isSame ? at.getTime() / DAY_MS : undefined;
}

/** A typed date in Latin digits, without the marks of direction around them. */
const plain = (text: string): string =>
  latinDigits(text)
    .replaceAll(/[\u200e\u200f\u2066-\u2069]/g, '')
    .replaceAll('،', ',');
