/** Limits calls to one per key and interval, and to a few per second in total. */
export class Throttle {
  readonly #everyMs: number;
  readonly #last = new Map<number, number>();
  #window = 0;
  #count = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  allows(key: number, now: number): boolean {
    const window = Math.floor(now / 1000);
    if (window !== this.#window) [this.#window, this.#count] = [window, 0];
    if (this.#count >= MAX_PER_SECOND || now - (this.#last.get(key) ?? -Infinity) < this.#everyMs) return false;
    this.#count += 1;
    this.#last.delete(key);
    this.#last.set(key, now);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_KEYS && oldest !== undefined) this.#last.delete(oldest);
    return true;
  }
}

const MAX_PER_SECOND = 5;
const MAX_KEYS = 1000;
