interface Waiting {
  readonly work: () => void;
  readonly charge: number;
}

/**
 * Limits the work of one server to a number of milliseconds in each turn of the event loop. The rest waits for later turns,
 * so that others are served in between. Waiting work is served round-robin by queue key, so that a caller with a thousand
 * requests delays another by one. The queues are unbounded: callers must limit what they add.
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
   * Runs `work` at once when this turn has time and nothing waits, else later. `who`: the queue key. `charge`: the minimum
   * time in ms to charge, for work that continues after it returns.
   */
  schedule(who: () => string, work: () => void, charge = 0): void {
    this.#arm();
    if (this.#lines.size === 0 && this.#spent < this.#budgetMs) return this.#do({ work, charge });
    const name = who();
    const line = this.#lines.get(name);
    if (line) line.push({ work, charge });
    else this.#lines.set(name, [{ work, charge }]);
  }

  /** The number of waiting pieces of work. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    // After everything that arrived in this turn, and before the next.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    this.#spent = 0;
    if (this.#lines.size === 0) return;
    this.#arm();
    // A queue with remaining work goes behind all others.
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
