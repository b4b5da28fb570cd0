/** Limits how many tasks run at once, and how many wait. */
export class ConcurrencyLimit {
  #free: number;
  readonly #maxQueued: number;
  readonly #waiting = new Set<(mine: boolean) => void>();

  constructor(atOnce: number, maxQueued: number) {
    this.#free = atOnce;
    this.#maxQueued = maxQueued;
  }

  /** Resolves to true when the task may run; it must call `leave` at the end. False when too many wait, or on `signal`. */
  enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    if (this.#waiting.size >= this.#maxQueued) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (mine: boolean): void => {
        this.#waiting.delete(settle);
        signal.removeEventListener('abort', giveUp);
        resolve(mine);
      };
      const giveUp = (): void => settle(false);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(settle);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#free += 1;
  }
}
