/** So often in a row an inbound is put right at once. */
const AT_ONCE = 5;
const FIRST_MS = 15_000;
const LONGEST_MS = 300_000;
/** What was left alone for so long begins anew. */
const CALM_MS = 900_000;

interface Count {
  readonly times: number;
  readonly at: number;
  readonly until: number;
}

/**
 * What a node has had as it was wanted, and has otherwise now, is put right. Where somebody else there puts it wrong again
 * and again, that would never end: so it is done more and more seldom, whatever was seen in between.
 */
export class Repairs<K> {
  readonly #now: () => number;
  readonly #counts = new Map<K, Count>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether it was put right too often lately to be done again now. */
  isTired(key: K): boolean {
    const known = this.#counts.get(key);
    return known !== undefined && known.times >= AT_ONCE && known.until > this.#now();
  }

  /** ms since 1970; 0 = it may be put right at once. */
  until(key: K): number {
    return this.isTired(key) ? (this.#counts.get(key)?.until ?? 0) : 0;
  }

  begun(key: K): void {
    const now = this.#now();
    const known = this.#counts.get(key);
    const times = known && now - known.at < CALM_MS ? known.times + 1 : 1;
    const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, times - AT_ONCE));
    this.#counts.set(key, { times, at: now, until: now + wait });
  }

  forgive(): void {
    this.#counts.clear();
  }
}
