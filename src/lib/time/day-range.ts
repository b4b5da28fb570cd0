import { MAX_TIME_MS } from './calendar.js';
import { type Days, dayNamed } from './days.js';

/** The longest range, in days: ten years. */
const MAX_DAYS = 3653;
export const MAX_YEARS = 10;

/** Why a range is invalid: a day that is not valid, days in the wrong order, or too many days. */
export type RangeProblem = { readonly day: 'from' | 'to'; readonly value: string } | 'reversed' | 'too long';

/**
 * A range of days, both inclusive, numbered as in `Days`. Each is written as `2026-03-31` or as a time in ms within it. The
 * default for the end is today, also for an end in the future; the default for the start is the first of the end's month.
 */
export function dayRange(
  from: string,
  to: string,
  days: Days,
  now: number,
): { readonly days: readonly [from: number, to: number] } | { readonly problem: RangeProblem } {
  const today = days.of(now);
  const last = to === '' ? today : dayOf(to, days);
  if (last === null) return { problem: { day: 'to', value: to } };
  const end = Math.min(last, today);
  const first = from === '' ? firstOfMonth(end) : dayOf(from, days);
  if (first === null) return { problem: { day: 'from', value: from } };
  if (first > end) return { problem: 'reversed' };
  return end - first >= MAX_DAYS ? { problem: 'too long' } : { days: [first, end] };
}

function dayOf(text: string, days: Days): number | null {
  if (!/^\d{1,15}$/.test(text)) return dayNamed(text);
  return Number(text) > MAX_TIME_MS ? null : days.of(Number(text));
}

function firstOfMonth(day: number): number {
  return day - new Date(day * 86_400_000).getUTCDate() + 1;
}
