import { Thread } from '../threads/thread.js';
import type { Comparison } from './bcrypt-worker.js';

/** A comparison of the highest cost that is accepted takes a few seconds, in ms. */
const LONGEST_MS = 30_000;

/** Compares with hashes of bcrypt, one at a time, in a thread of its own: the library computes in JavaScript. */
export class BcryptThread {
  readonly #thread = new Thread<Comparison, boolean>(new URL('./bcrypt-worker', import.meta.url), { ms: LONGEST_MS });

  /** Rejects when the thread ends or takes longer than 30 s. */
  compare(password: string, hash: string): Promise<boolean> {
    return this.#thread.run({ password, hash });
  }
}
