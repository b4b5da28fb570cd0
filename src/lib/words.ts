import { escaped } from './escaped.js';

/** `2026-03-01 12:00:00Z`; `ms` counts from 1970. */
export function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** What turns a line around, or is not seen, as what JSON writes for it: two names that look alike are not taken for one. */
export function shownText(text: string): string {
  return escaped(text, /[\p{Cc}\p{Cf}\u2028\u2029]|\p{Cs}/gu);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `7 days`, `1 day 30 minutes`; a part of a second (of `ms`) is a whole one. */
export function spanText(ms: number): string {
  let rest = Math.max(1, Math.ceil(ms / 1000)) * 1000;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];
  });
  return parts.join(' ');
}

export function bytesText(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}
