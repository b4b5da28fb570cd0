import { type Language } from '../../../messages/language.js';
import { type ClientUsage, totalUsage } from '../../../projections/subscription/usage.js';
import type { Translate } from './markup.js';

/** How times are shown to a reader. */
export interface TimeWords {
  readonly language: Language;
  /** Name of the time zone. */
  readonly zone: string;
  /** Persian always has the Jalali calendar. */
  readonly calendar: 'gregorian' | 'jalalian';
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The end of the JavaScript calendar. */
const LAST_TIME = 8.64e15;
const DAY_MS = 86_400_000;
/** Less than a day is shown in hours, less than an hour in minutes. */
const MINUTE = ['minute', 60_000] as const;
const STEPS = [['day', DAY_MS] as const, ['hour', 3_600_000] as const];

/** A time with the name of its time zone. `ms` since 1970. */
export function timeShown(ms: number, { language, zone, calendar }: TimeWords): string {
  const isJalali = calendar === 'jalalian' || language === 'fa';
  const locale = `${language === 'en' ? 'en-GB' : language}-u-ca-${isJalali ? 'persian' : 'gregory'}`;
  const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat(locale, { ...parts, hour12: false, timeZone: zone, timeZoneName: 'short' });
  return format.format(Math.min(ms, LAST_TIME));
}

/** When a subscription ends: the remaining time, and the date if there is one. */
interface EndShown {
  readonly away: string;
  readonly moment: string | null;
}

export function endShown(clients: readonly ClientUsage[], words: TimeWords, t: Translate): EndShown {
  const { expiresAt } = totalUsage(clients);
  if (clients.some((client) => client.expiresAt !== expiresAt))
    return { away: t('subscription-page.differs'), moment: null };
  if (expiresAt === 0) return { away: t('subscription-page.never'), moment: null };
  if (expiresAt < 0) {
    const unit = new Intl.NumberFormat(words.language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
    return {
      away: `${unit.format(Math.ceil(-expiresAt / DAY_MS))} (${t('subscription-page.fromFirstUse')})`,
      moment: null,
    };
  }
  const remaining = expiresAt - words.now;
  const [unit, ms] = STEPS.find(([, step]) => Math.abs(remaining) >= step) ?? MINUTE;
  const away = new Intl.RelativeTimeFormat(words.language, { numeric: 'always' }).format(
    Math.trunc(remaining / ms),
    unit,
  );
  return { away, moment: timeShown(expiresAt, words) };
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** Bytes in steps of 1024, to three digits. */
export function sizeShown(bytes: number, language: Language): string {
  let size = Math.max(bytes, 0);
  let step = 0;
  for (; size >= 1024 && step < UNITS.length - 1; step += 1) size /= 1024;
  const fraction = size >= 100 || step === 0 ? 0 : size >= 10 ? 1 : 2;
  const unit = UNITS[step] ?? 'byte';
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: fraction } as const;
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short', ...digits }).format(size);
}
