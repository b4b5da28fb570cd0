import { timeOf, wallOf } from './calendar.js';

const DAY_MS = 86_400_000;

/** The days of a time zone, numbered from 1970-01-01. A day may have 23 or 25 hours. Times are in ms since 1970. */
export class Days {
  readonly zone: string;
  /** The last result: most calls come in order of time. */
  #day = 0;
  #begin = 0;
  #end = 0;

  constructor(zone: string) {
    this.zone = zone;
  }

  /** The day of a time. */
  of(at: number): number {
    if (at >= this.#begin && at < this.#end) return this.#day;
    let day = Math.floor(wallOf(at, this.zone) / DAY_MS);
    // When clocks are set back over midnight, the same date occurs twice.
    if (at < this.begin(day)) day -= 1;
    else if (at >= this.begin(day + 1)) day += 1;
    this.#day = day;
    this.#begin = this.begin(day);
    this.#end = this.begin(day + 1);
    return day;
  }

  /** The start of a day: midnight, or later when the clocks skip midnight. */
  begin(day: number): number {
    return timeOf(day * DAY_MS, this.zone);
  }
}

/** `2026-03-31` */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day of a date; null when it is not valid. */
export function dayNamed(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || dayText(at / DAY_MS) !== text ? null : at / DAY_MS;
}
