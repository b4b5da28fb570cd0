import type { InboundId } from '../../../events/ids.js';
import { sameJson } from '../../../lib/json.js';
import type { Text } from '../../../messages/message.js';
import { RateLimiter } from '../rate-limiter.js';
import type { OutboxItem } from './parts.js';
import { refusals } from './steps.js';

/** An unreadable inbound is reported after this time, in ms. */
const LASTING_MS = 20_000;
/** A refusal is resolved when the inbound was as desired for this time, in ms. */
const RESOLVED_MS = 60_000;
/** A refusal after this time is reported at once again, in ms. */
const REPORT_AGAIN_MS = 3_600_000;
/** How often repeated refusals are reported. */
const REPEAT_RATE = { atOnce: 1, everyMs: 600_000 };

interface State {
  readonly isHealthy: boolean;
  /** ms since 1970. */
  readonly since: number;
}

interface Reported {
  readonly at: number;
  /** Position of the newest change that was refused. */
  readonly decided: number;
}

/**
 * Limits the recorded refusals of a node, which can alternate between refusing and accepting an inbound. The result of an
 * admin's change is recorded at once; other refusals when they last, and repeated ones about once in ten minutes.
 */
export class RefusalReports {
  readonly #now: () => number;
  readonly #repeated: RateLimiter;
  readonly #states = new Map<InboundId, State>();
  readonly #reported = new Map<InboundId, Reported>();

  constructor(now: () => number) {
    this.#now = now;
    this.#repeated = new RateLimiter(now, REPEAT_RATE);
  }

  /** The node refuses it. `record` returns whether that was recorded. */
  report({ inbound, waiting, refused }: OutboxItem, reason: Text, record: () => boolean): void {
    const lasting = this.#statesFor(inbound, false);
    if (refused && sameJson(refused.reason, reason)) return;
    if (reason === refusals.unreadable && waiting.length === 0 && lasting < LASTING_MS) return;
    const now = this.#now();
    const decided = waiting.at(-1) ?? 0;
    const act = (): boolean => {
      if (!record()) return false;
      this.#reported.set(inbound, { at: now, decided });
      return true;
    };
    const before = this.#reported.get(inbound);
    if (!before || decided > before.decided || now - before.at >= REPORT_AGAIN_MS) act();
    else this.#repeated.try(act);
  }

  /** The node has the inbound as desired. Returns whether that resolves a refusal. */
  isResolved(inbound: InboundId): boolean {
    return this.#statesFor(inbound, true) >= RESOLVED_MS;
  }

  /** For how long every check had this result, in ms. */
  #statesFor(inbound: InboundId, isHealthy: boolean): number {
    const now = this.#now();
    const stand = this.#states.get(inbound);
    if (stand?.isHealthy === isHealthy && stand.since <= now) return now - stand.since;
    this.#states.set(inbound, { isHealthy, since: now });
    return 0;
  }
}
