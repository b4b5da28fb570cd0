import { escaped } from './escaped.js';

/** `2026-03-01 12:00:00Z`; `ms` counts from 1970. */
export function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** A text in which invisible and direction characters are escaped as in JSON, so that different names look different. */
export function shownText(text: string): string {
  return escaped(text, /[\p{Cc}\p{Cf}\u2028\u2029]|\p{Cs}/gu);
}

export function bytesText(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}
