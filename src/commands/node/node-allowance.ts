/** Bytes per second that one counter can grow by: 10 Gbit/s. */
const MAX_RATE = 1.25e9;
/** A panel may read its core late and report the growth at once: so much more time is allowed, once. In ms. */
const BURST_MS = 30_000;
/** The longest time that is credited between two readings, in ms. */
const MAX_ELAPSED_MS = 24 * 3_600_000;
const BURST_BYTES = bytesIn(BURST_MS);

/** Bytes that were credited in advance at a moment: ms since 1970; 0 = never. */
interface Advance {
  readonly bytes: number;
  readonly at: number;
}

/**
 * Limits what the counters of a node are credited: a token bucket for each counter. It refills at `MAX_RATE` and holds what
 * flows in the time since the last reading, plus a burst of half a minute.
 */
export class Allowances {
  /** By counter, in the order of their last use. */
  readonly #advances = new Map<string, Advance>();
  readonly #initial: Advance;
  /** The advance of each counter that was queried at one moment if it is credited nothing. Negative = time is left. */
  readonly #queried = new Map<string, number>();
  #queriedAt = 0;

  /** `recordedAt`: when the log last has a reading. The bursts count as used then, because it is unknown whether they were. */
  constructor(recordedAt: number) {
    this.#initial = { bytes: recordedAt > 0 ? BURST_BYTES : 0, at: recordedAt };
  }

  /** Bytes that a counter can have grown by since it was last read. Both times in ms since 1970; `readAt` 0 = never. */
  available(counter: string, readAt: number, now: number): number {
    const { bytes, at } = this.#advances.get(counter) ?? this.#initial;
    const sinceUse = elapsed(at, now);
    const sinceRead = Math.min(elapsed(readAt, now), sinceUse);
    const advance = Math.max(0, bytes - bytesIn(sinceUse - sinceRead)) - bytesIn(sinceRead);
    if (this.#queriedAt !== now) this.#queried.clear();
    this.#queriedAt = now;
    this.#queried.set(counter, advance);
    return BURST_BYTES - advance;
  }

  /** Records that a counter was credited bytes, at the same moment as `available` was called. */
  use(counter: string, credited: number, now: number): void {
    const advance = this.#queried.get(counter) ?? 0;
    this.#queried.delete(counter);
    this.#advances.delete(counter);
    this.#advances.set(counter, { bytes: Math.max(0, advance + credited), at: now });
    for (const [other, { at }] of this.#advances) {
      if (elapsed(at, now) < MAX_ELAPSED_MS) break;
      this.#advances.delete(other);
    }
  }
}

/** If the clock was set back, the elapsed time is unknown and the longest is assumed. */
function elapsed(at: number, now: number): number {
  return at > 0 && at <= now ? Math.min(now - at, MAX_ELAPSED_MS) : MAX_ELAPSED_MS;
}

function bytesIn(ms: number): number {
  // The rate per ms is an integer, so sums are exact to the byte.
  return ms * (MAX_RATE / 1000);
}
