import { Thread } from '../threads/thread.js';
import type { Comparison } from './bcrypt-worker.js';

/** Timeout in ms. A comparison with the highest accepted cost takes a few seconds. */
const TIMEOUT_MS = 30_000;

/** Compares with bcrypt hashes, one at a time, in a separate thread: the library computes in JavaScript. */
export class BcryptThread {
  readonly #thread = new Thread<Comparison, boolean>('adapters/passwords/bcrypt-worker', { ms: TIMEOUT_MS });

  /** Rejects when the thread ends or takes longer than 30 s. */
  compare(password: string, hash: string): Promise<boolean> {
    return this.#thread.run({ password, hash });
  }
}
