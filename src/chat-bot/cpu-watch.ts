/** Readings of 2 s that are looked at together: two minutes. */
const READINGS = 60;
/** So far under the limit, in percent, is it over; half of a small limit. */
const UNDER = 10;

/** Tells once that the processors are too busy for a while, and once that it is over: a peak is no news. */
export class CpuWatch {
  readonly #readings: number[] = [];
  #high = false;

  /** `limit` and `cpu` in percent; a limit of 0 watches nothing. */
  take(cpu: number, limit: number): 'high' | 'over' | null {
    if (limit === 0) {
      this.#readings.length = 0;
      this.#high = false;
      return null;
    }
    this.#readings.push(cpu);
    if (this.#readings.length > READINGS) this.#readings.shift();
    if (this.#readings.length < READINGS) return null;
    const mean = this.#readings.reduce((sum, one) => sum + one, 0) / READINGS;
    const before = this.#high;
    if (!before && mean > limit) this.#high = true;
    else if (before && mean < limit - Math.min(UNDER, limit / 2)) this.#high = false;
    if (before === this.#high) return null;
    return this.#high ? 'high' : 'over';
  }
}
