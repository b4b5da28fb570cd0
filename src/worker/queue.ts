import { within } from '../lib/time/within.js';

/** Runs one task at a time, in the order of the calls, with a limit on the waiting time in ms. */
export class Queue {
  readonly #maxWaitMs: number;
  /** Resolves when all tasks so far have ended. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs a task when its turn comes; throws the error from `late` when that takes too long. */
  run<T>(work: () => Promise<T>, late: () => Error): Promise<T> {
    const before = this.#line;
    const turn = this.#after(before, work, late);
    // A task that timed out does not change the order of the others.
    this.#line = Promise.allSettled([before, turn]);
    return turn;
  }

  async #after<T>(before: Promise<unknown>, work: () => Promise<T>, late: () => Error): Promise<T> {
    await within(this.#maxWaitMs, before, () => {
      throw late();
    });
    return work();
  }
}
