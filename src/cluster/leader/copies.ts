import { z } from 'zod';
import type { ComparedLog } from '../alignment.js';
import { Watermark } from './watermark.js';

/** What a follower has durably in its `events.db`, and knows to be in the stream. */
const Copy = z.object({ member: z.string(), position: z.int(), hash: z.string() });
export type Copy = z.output<typeof Copy>;

/** Up to where the log of the leader is in the database of another full member, for `PORTOLAN_CLUSTER_ACK=quorum+1`. */
export class Copies {
  readonly #log: ComparedLog;
  readonly #now: () => number;
  readonly #copied = new Watermark(0);
  #behindSince: number | null = null;

  constructor(log: ComparedLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** Takes the report of another member. Throws for an invalid one. */
  take(report: unknown): void {
    const { position, hash } = Copy.parse(report);
    // A member whose log continues differently has no copy.
    if (position <= this.#copied.position || this.#log.hashAt(position) !== hash) return;
    this.#copied.advance(position);
    this.#behindSince = position < this.#log.head().position ? this.#now() : null;
  }

  /** To be called after each append. */
  appended(): void {
    this.#behindSince ??= this.#now();
  }

  /** Since when (ms since 1970) no member has got what it lacks; null = a member has everything, or gets it. */
  missingSince(ms: number): number | null {
    return this.#behindSince !== null && this.#now() - this.#behindSince >= ms ? this.#behindSince : null;
  }

  /** Resolves to whether a member has everything up to a position within `ms`. */
  reached(position: number, ms: number): Promise<boolean> {
    return this.#copied.reached(position, ms);
  }
}
