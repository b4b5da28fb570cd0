import { lruOf } from '../../lib/lru.js';
import { network } from '../panel/auth/peer.js';

const MAX_BURST = 60;
const PER_SECOND = 1;
const MAX_REMEMBERED = 20_000;

/** Counts requests that found nothing, by address. Guessing becomes slow; requests that find something are never refused. */
export class MissLimiter {
  readonly #now: () => number;
  readonly #missed: (network: string) => void;
  readonly #buckets = lruOf<string, { left: number; at: number }>(MAX_REMEMBERED);

  /** `missed` receives the network of each miss that was allowed, for the limiters of other processes. */
  constructor(now: () => number, missed: (network: string) => void = () => undefined) {
    this.#now = now;
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
    const now = this.#now();
    const bucket = this.#bucketOf(key, now);
    bucket.left = Math.min(MAX_BURST, bucket.left + (Math.max(0, now - bucket.at) / 1000) * PER_SECOND);
    bucket.at = now;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  #bucketOf(key: string, now: number): { left: number; at: number } {
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = { left: MAX_BURST, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
