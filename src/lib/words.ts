/** `2026-03-01 12:00:00Z`; `ms` counts from 1970. */
export function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

export function bytesText(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}
