/** `atOnce` actions are allowed in a row, then one in each `everyMs`. */
interface RateLimit {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** Limits how often an action that others can trigger at will is done. A refused action may be tried again at any time. */
export class RateLimiter {
  readonly #now: () => number;
  readonly #limit: RateLimit;
  /** When the whole burst is available again, ms since 1970. */
  #until = 0;

  constructor(now: () => number, limit: RateLimit) {
    this.#now = now;
    this.#limit = limit;
  }

  /** Runs `act` if the limit allows it. `act` returns whether it counts. */
  try(act: () => boolean): void {
    const now = this.#now();
    const { atOnce, everyMs } = this.#limit;
    const left = this.#until - now;
    // More than the full window can be left only after the clock was set back.
    const used = left > 0 && left <= atOnce * everyMs ? left : 0;
    if (used <= (atOnce - 1) * everyMs && act()) this.#until = now + used + everyMs;
  }
}
