interface Waiting {
  readonly work: () => void;
  readonly charge: number;
}

/**
 * Lets one server of several on the same loop have so many milliseconds of each turn and no more. What does not fit waits
 * for the next turns, between which everybody else is heard; who waits is served in rounds, one piece of work each, so
 * that a caller with a thousand of them delays another by one. It knows no bound by itself: callers limit what they add.
 */
export class FairTurns {
  readonly #budgetMs: number;
  readonly #clock: () => number;
  readonly #lines = new Map<string, Waiting[]>();
  #spent = 0;
  #armed = false;

  constructor(budgetMs: number, clock = (): number => performance.now()) {
    this.#budgetMs = budgetMs;
    this.#clock = clock;
  }

  /**
   * Does `work` at once when this turn has time for it and nobody waits, else later. `who` names the line that it waits
   * in. `charge`: ms that it counts at least, for work that goes on after it returns.
   */
  run(who: () => string, work: () => void, charge = 0): void {
    this.#arm();
    if (this.#lines.size === 0 && this.#spent < this.#budgetMs) return this.#do({ work, charge });
    const name = who();
    const line = this.#lines.get(name);
    if (line) line.push({ work, charge });
    else this.#lines.set(name, [{ work, charge }]);
  }

  /** Pieces of work that wait. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    // After what has arrived in this turn, and before what arrives in the next.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    this.#spent = 0;
    if (this.#lines.size === 0) return;
    this.#arm();
    // A line that is not at its end goes behind all others, and the loop comes to it again.
    for (const [name, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
      if (next) this.#do(next);
      if (this.#spent >= this.#budgetMs) return;
    }
  }

  #do({ work, charge }: Waiting): void {
    const start = this.#clock();
    try {
      work();
    } finally {
      this.#spent += Math.max(charge, this.#clock() - start);
    }
  }
}
