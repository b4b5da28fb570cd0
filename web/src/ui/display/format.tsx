import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { subscriptions } from '../../api/queries';
import { Calendar } from '../../model/calendar';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const SPANS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Numbers, sizes and times in the format of a language. */
export interface Format {
  number(value: number, digits?: number): string;
  percent(value: number): string;
  /** Binary units under their common names: 1 GB is 1024³ bytes, as clients' caps are counted. */
  bytes(value: number): string;
  rate(bytesPerSecond: number): string;
  /** `at` in ms since 1970. */
  date(at: number): string;
  /** Day and month of a time in UTC, for axes. */
  day(at: number): string;
  dateTime(at: number): string;
  /** With seconds, for the order of events. */
  instant(at: number): string;
  time(at: number): string;
  /** How far from now: "in 3 days", "2 hours ago". */
  relative(at: number, now?: number): string;
  /** A length of time in seconds, in its two largest units. */
  duration(seconds: number): string;
  /** Dates as an admin types and chooses them. */
  calendar(): Calendar;
}

export function makeFormat(language: string, calendar: string): Format {
  const locale = `${language}-u-ca-${calendar}`;
  const numbers = new Map<number, Intl.NumberFormat>();
  const digitsOf = (digits: number): Intl.NumberFormat => {
    const made = numbers.get(digits) ?? new Intl.NumberFormat(language, { maximumFractionDigits: digits });
    numbers.set(digits, made);
    return made;
  };
  const sizeOf = (per: '' | '-per-second') => {
    const units = UNITS.map((name) =>
      lazily(() => {
        // The short form of the first unit is `byte`, also of several; its narrow form is `B`.
        const unitDisplay = name === 'byte' ? 'narrow' : 'short';
        const options = { style: 'unit', unit: `${name}${per}`, unitDisplay, maximumSignificantDigits: 3 } as const;
        return new Intl.NumberFormat(language, options);
      }),
    );
    return (value: number): string => {
      const step = value < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
      return isolated((units[step]?.().format(value / 1024 ** step) ?? '').replace(/(\d)B/, '$1\u00a0B'));
    };
  };
  const date = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
  const day = lazily(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }));
  const dateTime = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));
  const instant = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }));
  const time = lazily(() => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }));
  const relative = lazily(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
  const percent = lazily(() => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }));
  // Units are Latin letters: without an isolate they would change places with what stands around them.
  const isolated = (text: string): string => (language === 'fa' || language === 'ar' ? `\u2068${text}\u2069` : text);
  const span = (seconds: number, unit: 'day' | 'hour' | 'minute'): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(seconds);
  return {
    calendar: lazily(() => new Calendar(language, calendar)),
    number: (value, digits = 0) => digitsOf(digits).format(value),
    percent: (value) => percent().format(value),
    bytes: sizeOf(''),
    rate: sizeOf('-per-second'),
    date: (at) => date().format(at),
    day: (at) => day().format(at),
    dateTime: (at) => dateTime().format(at),
    instant: (at) => instant().format(at),
    time: (at) => time().format(at),
    relative(at, now = Date.now()) {
      const seconds = (at - now) / 1000;
      const [unit, size] = SPANS.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
      return relative().format(Math.trunc(seconds / size), unit);
    },
    duration(seconds) {
      const days = Math.floor(seconds / 86_400);
      const hours = Math.floor((seconds % 86_400) / 3600);
      const minutes = Math.floor((seconds % 3600) / 60);
      if (days > 0) return `${span(days, 'day')} ${span(hours, 'hour')}`;
      return hours > 0 ? `${span(hours, 'hour')} ${span(minutes, 'minute')}` : span(minutes, 'minute');
    },
  };
}

/** Creating an `Intl` formatter takes up to a millisecond, so each is created at its first use and kept. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const FormatContext = createContext(makeFormat('en', 'gregory'));

/** Gives the whole page one `Format`: for its language and its calendar. That of Persian, and of the setting, is Jalali. */
export function FormatProvider({ children }: { readonly children: ReactNode }) {
  const { i18n } = useTranslation();
  const { data } = useQuery({ ...subscriptions, enabled: useMay()('/panel/api/clients/subscriptions') });
  const language = i18n.language;
  const calendar = language === 'fa' || data?.datepicker === 'jalalian' ? 'persian' : 'gregory';
  const format = useMemo(() => makeFormat(language, calendar), [language, calendar]);
  return <FormatContext value={format}>{children}</FormatContext>;
}

export const useFormat = (): Format => useContext(FormatContext);

/** A technical text (address, link, UUID, version): always left to right, whatever stands around it. */
export function Technical({ children }: { readonly children: ReactNode }) {
  return <bdi className="technical">{children}</bdi>;
}
