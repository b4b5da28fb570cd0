/** 10 Gbit/s: what flows faster than this through one counter did not flow. Bytes a second. */
const FASTEST = 1.25e9;
/** A panel reads its own core only now and then, and tells of it at once. In ms. */
const AHEAD_MS = 30_000;
/** Whatever the clock says, or nobody knows. In ms. */
const LONGEST_MS = 24 * 3_600_000;
const AHEAD_BYTES = bytesIn(AHEAD_MS);

/** What was credited ahead of its time up to a moment, in bytes, and that moment: ms since 1970; 0 = never. */
interface Drawn {
  readonly bytes: number;
  readonly at: number;
}

/**
 * How much the counters of a node may be credited. Over any stretch of time that is what can flow in it, and half a minute
 * of that ahead, once: what was drawn of it comes back with the time, and with nothing else.
 */
export class Allowances {
  /** By counter; the one that was drawn from last stands last. */
  readonly #drawn = new Map<string, Drawn>();
  readonly #before: Drawn;
  /** What will be drawn from each counter that was asked for at a moment if it is credited nothing. Negative = time is left. */
  readonly #asked = new Map<string, number>();
  #askedAt = 0;

  /** `recordedAt`: when the log last shows a reading. What the life before drew is not known: it may be everything. */
  constructor(recordedAt: number) {
    this.#before = { bytes: recordedAt > 0 ? AHEAD_BYTES : 0, at: recordedAt };
  }

  /** Bytes that a counter may have grown by since it was read before. Both times in ms since 1970, `readAt` 0 = never. */
  of(counter: string, readAt: number, now: number): number {
    const { bytes, at } = this.#drawn.get(counter) ?? this.#before;
    const sinceDrawn = since(at, now);
    const elapsed = Math.min(since(readAt, now), sinceDrawn);
    const drawn = Math.max(0, bytes - bytesIn(sinceDrawn - elapsed)) - bytesIn(elapsed);
    if (this.#askedAt !== now) this.#asked.clear();
    this.#askedAt = now;
    this.#asked.set(counter, drawn);
    return AHEAD_BYTES - drawn;
  }

  /** A counter was credited something of what it was just allowed. */
  draw(counter: string, credited: number, now: number): void {
    const drawn = this.#asked.get(counter) ?? 0;
    this.#asked.delete(counter);
    this.#drawn.delete(counter);
    this.#drawn.set(counter, { bytes: Math.max(0, drawn + credited), at: now });
    for (const [other, drawn] of this.#drawn) {
      if (since(drawn.at, now) < LONGEST_MS) break;
      this.#drawn.delete(other);
    }
  }
}

/** A clock that was set back tells nothing. */
function since(at: number, now: number): number {
  return at > 0 && at <= now ? Math.min(now - at, LONGEST_MS) : LONGEST_MS;
}

function bytesIn(ms: number): number {
  // Whole numbers: a fraction of a second times the rate would not add up to the byte.
  return ms * (FASTEST / 1000);
}
