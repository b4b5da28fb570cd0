/** So often something may happen in a row, and after that once in a while. */
interface Often {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** Holds down what somebody else makes happen as often as he likes. What is held down may be tried again at any time. */
export class Seldom {
  readonly #now: () => number;
  readonly #often: Often;
  /** When all that happened will be forgotten, ms since 1970. */
  #until = 0;

  constructor(now: () => number, often: Often) {
    this.#now = now;
    this.#often = often;
  }

  /** Does it if it may happen now; `act` tells whether it has happened. */
  try(act: () => boolean): void {
    const now = this.#now();
    const { atOnce, everyMs } = this.#often;
    const left = this.#until - now;
    // More is left only where a clock was set back.
    const held = left > 0 && left <= atOnce * everyMs ? left : 0;
    if (held <= (atOnce - 1) * everyMs && act()) this.#until = now + held + everyMs;
  }
}
