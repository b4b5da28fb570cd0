/** Waits 1, 2, 4 … 60 s between attempts. A run that lasted a minute resets the delay. */
export class Backoff {
  readonly #now: () => number;
  #tries = 0;
  #until = 0;
  #startedAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  started(): void {
    this.#startedAt = this.#now();
  }

  /** `hopeless`: a retry would fail the same way, so it waits the whole minute. `leastMs`: it waits at least for this time. */
  failed(hopeless: boolean, leastMs = 0): void {
    if (this.#startedAt > 0 && this.#now() - this.#startedAt >= 60_000) this.#tries = 0;
    this.#startedAt = 0;
    const seconds = hopeless ? 60 : Math.min(60, 2 ** this.#tries);
    this.#tries += 1;
    this.#until = this.#now() + Math.max(seconds * 1000, leastMs);
  }

  /** Retries at once, because of a request. */
  reset(): void {
    this.#tries = 0;
    this.#until = 0;
  }

  waiting(): boolean {
    return this.remaining() > 0;
  }

  /** ms until the next try. */
  remaining(): number {
    return Math.max(0, this.#until - this.#now());
  }
}
