import type { InboundId } from '../../../events/ids.js';
import { RateLimiter } from '../rate-limiter.js';
import type { Outgoing } from './parts.js';
import { refusals } from './steps.js';

/** A list that cannot be read is a hiccup unless it lasts so long, in ms. */
const LASTING_MS = 20_000;
/** What has been well for so long, in ms, is so. */
const WELL_MS = 60_000;
/** What was refused so long ago, in ms, and is refused again is news. */
const NEWS_MS = 3_600_000;
/** Of all that is no news. */
const OFTEN = { atOnce: 1, everyMs: 600_000 };

interface Stand {
  readonly well: boolean;
  /** ms since 1970. */
  readonly since: number;
}

interface Told {
  readonly at: number;
  /** Position of the newest decision that it was about. */
  readonly decided: number;
}

/**
 * What of the refusals of a node is told. It can refuse and take an inbound in turn as often as it is asked, so only
 * what an admin decided is told at once, whatever comes of it; the rest when it lasts, and seldom when it comes again.
 */
export class Refusals {
  readonly #now: () => number;
  readonly #repeated: RateLimiter;
  readonly #stands = new Map<InboundId, Stand>();
  readonly #told = new Map<InboundId, Told>();

  constructor(now: () => number) {
    this.#now = now;
    this.#repeated = new RateLimiter(now, OFTEN);
  }

  /** The node refuses it. `record` says whether that was written down. */
  tell({ inbound, waiting, refused }: Outgoing, reason: string, record: () => boolean): void {
    const lasting = this.#standsFor(inbound, false);
    if (refused?.reason === reason) return;
    if (reason === refusals.unreadable && waiting.length === 0 && lasting < LASTING_MS) return;
    const now = this.#now();
    const decided = waiting.at(-1) ?? 0;
    const act = (): boolean => {
      if (!record()) return false;
      this.#told.set(inbound, { at: now, decided });
      return true;
    };
    const before = this.#told.get(inbound);
    if (!before || decided > before.decided || now - before.at >= NEWS_MS) act();
    else this.#repeated.try(act);
  }

  /** The node has it as it is wanted. Whether a refusal of it is over with that. */
  isOver(inbound: InboundId): boolean {
    return this.#standsFor(inbound, true) >= WELL_MS;
  }

  /** For how long it has been so whenever it was looked at, in ms. */
  #standsFor(inbound: InboundId, well: boolean): number {
    const now = this.#now();
    const stand = this.#stands.get(inbound);
    if (stand?.well === well && stand.since <= now) return now - stand.since;
    this.#stands.set(inbound, { well, since: now });
    return 0;
  }
}
