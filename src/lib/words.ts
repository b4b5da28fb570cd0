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

export function bytesText(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}
