interface Watched {
  /** When it was met first, ms since 1970. */
  readonly since: number;
  /** Bytes, when it was looked at last. */
  readonly bytes: number;
  /** When it was last seen to have grown; `since` where it was not. */
  readonly grownAt: number;
  /** It grew by bytes that flowed after it was met, not only by bytes that the node had not read from its core yet. */
  readonly moves: boolean;
  /** How often something was done about that in a row, and until when it is left alone after that. */
  readonly tries: number;
  readonly sparedUntil: number;
}

/** First pause after something was done about a counter and it moved all the same; doubles each time, in ms. */
const FUTILE_MS = 300_000;
const LONGEST_FUTILE_MS = 3_600_000;

/**
 * Which counters of a node stand still. A node reads its core only now and then, so what a counter says may be as old as
 * `lagMs`: growth that is seen within that time may have flowed before.
 */
export class Stillness<K> {
  readonly #lagMs: () => number;
  readonly #watched = new Map<K, Watched>();
  #at = 0;

  constructor(lagMs: () => number) {
    this.#lagMs = lagMs;
  }

  /** Takes in what a listing shows, in bytes. What is not in it is forgotten. `at`: when the listing was asked for, ms. */
  look(counters: ReadonlyMap<K, number>, at: number): void {
    for (const key of this.#watched.keys()) if (!counters.has(key)) this.#watched.delete(key);
    for (const [key, bytes] of counters) {
      const before = this.#watched.get(key);
      if (!before) this.#watched.set(key, { ...met(bytes, at), tries: 0, sparedUntil: 0 });
      else if (bytes !== before.bytes) {
        const grown = bytes > before.bytes;
        const after = grown && this.#at - before.since >= this.#lagMs();
        this.#watched.set(key, {
          ...before,
          ...{ bytes, grownAt: grown ? at : before.grownAt, moves: before.moves || after },
        });
      }
    }
    this.#at = at;
  }

  /** Watches a counter from the last listing on, in which it stood at so many bytes. */
  begin(key: K, bytes: number): void {
    if (!this.#watched.has(key)) this.#watched.set(key, { ...met(bytes, this.#at), tries: 0, sparedUntil: 0 });
  }

  has(key: K): boolean {
    return this.#watched.has(key);
  }

  /** Whether everything that flowed through it is in the last listing, and nothing flows any more. */
  isStill(key: K): boolean {
    const watched = this.#watched.get(key);
    return watched !== undefined && !watched.moves && this.#at - watched.grownAt >= this.#lagMs();
  }

  /** For how long it has been watched, in ms. */
  age(key: K): number {
    const watched = this.#watched.get(key);
    return watched ? this.#at - watched.since : 0;
  }

  /** What moves although it was met longer ago than the node lags behind. */
  moving(): readonly K[] {
    return [...this.#watched].flatMap(([key, { moves, sparedUntil }]) =>
      moves && sparedUntil <= this.#at ? [key] : [],
    );
  }

  /** Whether the next listing may tell something new about one of them. */
  isOpen(): boolean {
    for (const [key, { sparedUntil }] of this.#watched) if (sparedUntil <= this.#at && !this.isStill(key)) return true;
    return false;
  }

  /** All connections were ended: everything begins anew. What moved is left alone for a while if it moves again. */
  ended(at: number): void {
    for (const [key, { bytes, moves, tries }] of this.#watched) {
      const pause = Math.min(LONGEST_FUTILE_MS, FUTILE_MS * 2 ** Math.min(tries, 10));
      const next = moves ? { tries: tries + 1, sparedUntil: at + pause } : { tries, sparedUntil: 0 };
      this.#watched.set(key, { ...met(bytes, at), ...next });
    }
  }
}

const met = (bytes: number, at: number) => ({ since: at, bytes, grownAt: at, moves: false });
