import type { Sample } from '../../commands/ports/gauges.js';

/** Seconds between two measurements. A slot is the number of such steps since 1970. */
export const SLOT_SECONDS = 2;
/** Six hours. */
export const WINDOW = (6 * 3600) / SLOT_SECONDS;
/** The window, and the rest of the widest bucket in which it starts. */
export const CAPACITY = WINDOW + 300 / SLOT_SECONDS;

interface Series {
  readonly values: Float64Array;
  /** The newest slot that has a value. */
  last: number;
}

/**
 * Many series over one timeline of slots, in rings of fixed size. A slot without a measurement is a gap, also after a clock
 * jump. When the clock is set back, slots in the future are dropped.
 */
export class Rings {
  /** The slot at each index of the ring; -1 = none. */
  readonly #slots = new Float64Array(CAPACITY).fill(-1);
  readonly #series = new Map<string, Series>();
  #newest = -1;

  /** The last slot that was opened; -1 = none. */
  get newest(): number {
    return this.#newest;
  }

  get names(): readonly string[] {
    return [...this.#series.keys()];
  }

  /** Opens a slot for `add`. */
  begin(slot: number): void {
    if (!Number.isSafeInteger(slot) || slot < 0) return;
    if (slot < this.#newest) {
      for (const [place, stored] of this.#slots.entries()) if (stored > slot) this.#slots[place] = -1;
      for (const series of this.#series.values()) series.last = Math.min(series.last, slot);
    }
    const place = slot % CAPACITY;
    if (this.#slots[place] !== slot) {
      this.#slots[place] = slot;
      for (const { values } of this.#series.values()) values[place] = Number.NaN;
    }
    this.#newest = slot;
  }

  /** Adds values to an open slot; the last value for a name counts. Values that are not finite numbers are ignored. */
  add(slot: number, values: Iterable<readonly [string, number]>): void {
    const place = slot % CAPACITY;
    if (this.#slots[place] !== slot) return;
    for (const [name, value] of values) {
      if (!Number.isFinite(value)) continue;
      const series = this.#of(name);
      series.values[place] = value;
      series.last = Math.max(series.last, slot);
    }
  }

  /** The newest slot in which the series has a value, or -1. */
  lastOf(name: string): number {
    return this.#series.get(name)?.last ?? -1;
  }

  drop(name: string): void {
    this.#series.delete(name);
  }

  /** NaN = not measured. */
  value(name: string, slot: number): number {
    const place = slot % CAPACITY;
    if (this.#slots[place] !== slot) return Number.NaN;
    return this.#series.get(name)?.values[place] ?? Number.NaN;
  }

  /** The open slots after `after`, oldest first. */
  slots(after: number): number[] {
    const found: number[] = [];
    for (let slot = Math.max(after + 1, this.#newest - CAPACITY + 1, 0); slot <= this.#newest; slot += 1)
      if (this.#slots[slot % CAPACITY] === slot) found.push(slot);
    return found;
  }

  /**
   * Means over buckets of `seconds`, aligned to multiples of it. The first contains the start of the six-hour window, the
   * last the current time.
   */
  means(name: string, seconds: number): Sample[] {
    const series = this.#series.get(name);
    const samples: Sample[] = [];
    if (series === undefined) return samples;
    const width = seconds / SLOT_SECONDS;
    const first = Math.max(0, Math.floor((this.#newest - WINDOW + 1) / width) * width);
    for (let start = first; start <= this.#newest; start += width) {
      let sum = 0;
      let count = 0;
      for (let slot = start; slot < start + width; slot += 1) {
        const place = slot % CAPACITY;
        const value = series.values[place] ?? Number.NaN;
        if (this.#slots[place] !== slot || Number.isNaN(value)) continue;
        sum += value;
        count += 1;
      }
      if (count > 0) samples.push({ t: start * SLOT_SECONDS, v: sum / count });
    }
    return samples;
  }

  #of(name: string): Series {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const series = { values: new Float64Array(CAPACITY).fill(Number.NaN), last: -1 };
    this.#series.set(name, series);
    return series;
  }
}
