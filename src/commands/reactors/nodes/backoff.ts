const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
/** The longest wait for a node that answers, and not as it should: it may come right at any time, and costs one question. */
const ANSWERING_MS = 60_000;
/** Between two tries of a whole that failed, however much is decided meanwhile. */
const HASTY_MS = 5_000;

interface Refused {
  /** What was asked for. */
  readonly asked: string;
  readonly told: number;
  readonly tries: number;
  readonly until: number;
}

/**
 * When to try again: 1, 2, 4 … 300 s (60 s for a node that answers), a quarter more or less by chance, for a node as a
 * whole and for each of its inbounds.
 * An inbound that is wanted otherwise meanwhile is tried at once.
 */
export class Retries<K> {
  readonly #now: () => number;
  readonly #chance: () => number;
  readonly #ones = new Map<K, Refused>();
  #tries = 0;
  #since = 0;
  #failedAt = 0;
  #until = 0;

  constructor(now: () => number, chance: () => number) {
    this.#now = now;
    this.#chance = chance;
  }

  /** How often the whole failed in a row, and since when: ms since 1970, 0 = it did not. */
  get whole(): { readonly tries: number; readonly since: number } {
    return { tries: this.#tries, since: this.#since };
  }

  /** ms until the whole may be tried. */
  waiting(): number {
    return Math.max(0, this.#until - this.#now());
  }

  /** `answers`: the node is there, and does not answer as it should. */
  failed(answers: boolean): void {
    if (this.#tries === 0) this.#since = this.#now();
    this.#tries += 1;
    this.#failedAt = this.#now();
    this.#until = this.#failedAt + Math.min(this.#delay(this.#tries), answers ? ANSWERING_MS : LONGEST_MS);
  }

  succeeded(): void {
    this.#tries = 0;
    this.#since = 0;
    this.#until = 0;
  }

  /** There is something new to try: the whole does not wait for its time. It still waits longer after each failure. */
  hasten(): void {
    this.#until = Math.min(this.#until, this.#failedAt + HASTY_MS);
  }

  forgive(): void {
    this.#until = 0;
    this.#tries = Math.min(this.#tries, 1);
    this.#ones.clear();
  }

  /** What was refused is tried at the next round. It still waits longer if it is refused again. */
  retryRefused(): void {
    for (const [key, one] of this.#ones) this.#ones.set(key, { ...one, until: 0 });
  }

  /** Counts that something is told, and gives how often that was so in a row. */
  told(key: K, asked: string): number {
    const before = this.#of(key, asked);
    this.#ones.set(key, { ...before, told: before.told + 1 });
    return before.told + 1;
  }

  refused(key: K, asked: string): void {
    const before = this.#of(key, asked);
    const tries = before.tries + 1;
    this.#ones.set(key, { asked, told: 0, tries, until: this.#now() + this.#delay(tries) });
  }

  done(key: K): void {
    this.#ones.delete(key);
  }

  isWaiting(key: K, asked: string): boolean {
    return this.#of(key, asked).until > this.#now();
  }

  /** ms since 1970; 0 = it does not wait. */
  until(key: K): number {
    return this.#ones.get(key)?.until ?? 0;
  }

  #of(key: K, asked: string): Refused {
    const known = this.#ones.get(key);
    return known?.asked === asked ? known : { asked, told: 0, tries: 0, until: 0 };
  }

  #delay(tries: number): number {
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(20, tries - 1));
    return ms * (0.75 + this.#chance() / 2);
  }
}
