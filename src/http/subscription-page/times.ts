import { type ClientUsage, totalUsage } from '../../projections/subscription/usage.js';
import type { Language } from '../language/language.js';

/** How times are told to a reader. */
export interface TimeWords {
  readonly language: Language;
  /** Name of the time zone. */
  readonly zone: string;
  readonly calendar: 'gregorian' | 'jalalian';
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Beyond it the calendar of JavaScript ends. */
const LAST_TIME = 8.64e15;
const DAY_MS = 86_400_000;

/** A moment with the name of its time zone. `ms` counts from 1970. */
export function timeShown(ms: number, { language, zone, calendar }: TimeWords): string {
  const locale = `${language === 'en' ? 'en-GB' : language}-u-ca-${calendar === 'jalalian' ? 'persian' : 'gregory'}`;
  const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat(locale, { ...parts, hour12: false, timeZone: zone, timeZoneName: 'short' });
  return format.format(Math.min(ms, LAST_TIME));
}

/** When the subscription ends, and how far away that is. */
export function expiryText(clients: readonly ClientUsage[], words: TimeWords, t: (text: string) => string): string {
  const { expiresAt } = totalUsage(clients);
  if (clients.some((client) => client.expiresAt !== expiresAt)) return t('Not the same for all links');
  if (expiresAt === 0) return t('Never');
  if (expiresAt < 0) {
    const unit = new Intl.NumberFormat(words.language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
    return `${unit.format(Math.ceil(-expiresAt / DAY_MS))} (${t('from the first use on')})`;
  }
  const days = Math.ceil((expiresAt - words.now) / DAY_MS);
  const away = new Intl.RelativeTimeFormat(words.language, { numeric: 'always' }).format(days, 'day');
  return `${timeShown(expiresAt, words)} (${away})`;
}
