import { LRUCache } from 'lru-cache';

/**
 * A cache of the `max` entries that were used last. Its memory grows with its entries. `LRUCache` with the option `max`
 * allocates memory for all entries when it is created, which slows down the start. `ttl`: lifetime of an entry in ms,
 * unlimited by default.
 */
export const lruOf = <K extends {}, V extends {}>(max: number, { ttl = 0 } = {}): LRUCache<K, V> =>
  new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl });
