/** Readings in the moving average: one every 2 s, thus two minutes. */
const READINGS = 60;
/** The average must fall this far below the limit, in percent, or to half of a small limit. */
const HYSTERESIS = 10;

/** Reports when the average CPU usage of two minutes exceeds a limit, and when it has fallen again. Short peaks are ignored. */
export class CpuWatch {
  readonly #readings: number[] = [];
  #high = false;

  /** Adds a reading. `cpu` and `limit` in percent; 0 switches the watch off. Null = no change. */
  add(cpu: number, limit: number): 'high' | 'normal' | null {
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
    else if (before && mean < limit - Math.min(HYSTERESIS, limit / 2)) this.#high = false;
    if (before === this.#high) return null;
    return this.#high ? 'high' : 'normal';
  }
}
