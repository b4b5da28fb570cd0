import { within } from './time/within.js';

/** One piece of work at a time, in the order in which they were asked for; none waits longer than so many ms. */
export class Queue {
  readonly #patience: number;
  /** Settles when nothing that was asked for so far is under way. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Does it when its turn has come, or throws what `late` makes when that takes too long. */
  run<T>(work: () => Promise<T>, late: () => Error): Promise<T> {
    const before = this.#line;
    const turn = this.#after(before, work, late);
    // Who gave up waiting leaves the others behind those that they wait for.
    this.#line = Promise.allSettled([before, turn]);
    return turn;
  }

  async #after<T>(before: Promise<unknown>, work: () => Promise<T>, late: () => Error): Promise<T> {
    await within(this.#patience, before, () => {
      throw late();
    });
    return work();
  }
}
