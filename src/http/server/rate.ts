import { lruOf } from '../../lib/lru.js';

const MAX_REMEMBERED = 20_000;

interface Terms {
  /** How often at once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** How often each source may do something: a token bucket for each. The 20,000 sources that were seen last are remembered. */
export class Rate {
  readonly #now: () => number;
  readonly #terms: Terms;
  readonly #buckets = lruOf<string, { left: number; at: number }>(MAX_REMEMBERED);

  /** `now`: ms. */
  constructor(now: () => number, terms: Terms) {
    this.#now = now;
    this.#terms = terms;
  }

  /** Counts one time. Returns false, and does not count, when the source has had too many. */
  take(source: string): boolean {
    if (this.waitOf(source) > 0) return false;
    const bucket = this.#buckets.get(source);
    if (bucket) bucket.left -= 1;
    return true;
  }

  /** When the source may do it again, in ms from now; 0 = now. */
  waitOf(source: string): number {
    const { left } = this.#current(source);
    return left >= 1 ? 0 : Math.ceil(((1 - left) / this.#terms.perSecond) * 1000);
  }

  #current(source: string): { readonly left: number } {
    const now = this.#now();
    const { burst, perSecond } = this.#terms;
    const bucket = this.#buckets.get(source) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.#buckets.set(source, bucket);
    return bucket;
  }
}
