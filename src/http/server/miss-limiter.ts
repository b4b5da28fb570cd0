import { network } from '../panel/auth/peer.js';
import { Rate } from './rate.js';

const TERMS = { burst: 60, perSecond: 1 } as const;

/** Counts requests that found nothing, by address. Guessing becomes slow; requests that find something are never refused. */
export class MissLimiter {
  readonly #rate: Rate;
  readonly #missed: (network: string) => void;

  /** `missed` receives the network of each miss that was allowed, for the limiters of other processes. */
  constructor(now: () => number, missed: (network: string) => void = () => undefined) {
    this.#rate = new Rate(now, TERMS);
    this.#missed = missed;
  }

  /** Counts one miss. Returns false when the address has had too many. */
  allowMiss(ip: string): boolean {
    const key = network(ip);
    const isAllowed = this.count(key);
    if (isAllowed) this.#missed(key);
    return isAllowed;
  }

  /** Counts a miss of a network. Returns false when it has had too many. */
  count(key: string): boolean {
    return this.#rate.take(key);
  }
}
