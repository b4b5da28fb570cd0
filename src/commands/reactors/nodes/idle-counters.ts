import { backoffMs } from './backoff.js';

interface Watched {
  /** When it was seen first, ms since 1970. */
  readonly since: number;
  /** Bytes at the last reading. */
  readonly bytes: number;
  /** When it last grew; `since` if it did not. */
  readonly grownAt: number;
  /** It grew by traffic after `since`, and not only by bytes that the node had not read from its core by then. */
  readonly moves: boolean;
  /** Restarts in a row that were made because of it, and until when it causes none. */
  readonly tries: number;
  readonly pausedUntil: number;
}

/** Pause after a restart that did not stop a counter; doubles each time. In ms. */
const REPEATED = { first: 300_000, longest: 3_600_000 };

/**
 * Which counters of a node are idle. A node reads its core periodically, so a counter can be `lagMs` old: growth within that
 * time may be traffic from before.
 */
export class IdleCounters<K> {
  readonly #lagMs: () => number;
  readonly #watched = new Map<K, Watched>();
  #at = 0;

  constructor(lagMs: () => number) {
    this.#lagMs = lagMs;
  }

  /** Takes in the counters of a listing, in bytes; others are dropped. `at`: when the listing was requested, ms. */
  update(counters: ReadonlyMap<K, number>, at: number): void {
    for (const key of this.#watched.keys()) if (!counters.has(key)) this.#watched.delete(key);
    for (const [key, bytes] of counters) {
      const before = this.#watched.get(key);
      if (!before) this.#watched.set(key, { ...fresh(bytes, at), tries: 0, pausedUntil: 0 });
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

  /** Watches a counter from the last listing on, in which it had this value. */
  watch(key: K, bytes: number): void {
    if (!this.#watched.has(key)) this.#watched.set(key, { ...fresh(bytes, this.#at), tries: 0, pausedUntil: 0 });
  }

  has(key: K): boolean {
    return this.#watched.has(key);
  }

  /** Whether the last listing has all its traffic, and there is no more. */
  isIdle(key: K): boolean {
    const watched = this.#watched.get(key);
    return watched !== undefined && !watched.moves && this.#at - watched.grownAt >= this.#lagMs();
  }

  /** For how long it has been watched, in ms. */
  age(key: K): number {
    const watched = this.#watched.get(key);
    return watched ? this.#at - watched.since : 0;
  }

  /** Counters that still grow. */
  moving(): readonly K[] {
    return [...this.#watched].flatMap(([key, { moves, pausedUntil }]) =>
      moves && pausedUntil <= this.#at ? [key] : [],
    );
  }

  /** Whether the next listing can show that one of them is idle. */
  isWaiting(): boolean {
    for (const [key, { pausedUntil }] of this.#watched) if (pausedUntil <= this.#at && !this.isIdle(key)) return true;
    return false;
  }

  /** The core was restarted, so all connections ended. A counter that grew before pauses if it grows again. */
  restart(at: number): void {
    for (const [key, { bytes, moves, tries }] of this.#watched) {
      const pause = backoffMs(tries + 1, REPEATED);
      const next = moves ? { tries: tries + 1, pausedUntil: at + pause } : { tries, pausedUntil: 0 };
      this.#watched.set(key, { ...fresh(bytes, at), ...next });
    }
  }
}

const fresh = (bytes: number, at: number) => ({ since: at, bytes, grownAt: at, moves: false });
