import { createHash } from 'node:crypto';

/** Names an encrypted data key, so that two keys with the same id have different names: 96 bits of its SHA-256, base64url. */
export const keyMark = (wrapped: Uint8Array): string =>
  createHash('sha256').update(wrapped).digest().subarray(0, 12).toString('base64url');

/** Keys in a group at most, so that its message stays small. */
const MAX_GROUP = 500;

/** Keys as groups by name. The name comes from the marks: 96 bits of a SHA-256, base64url. */
export function keyGroups(
  keys: readonly (readonly [string, Uint8Array])[],
): ReadonlyMap<string, ReadonlyMap<string, Uint8Array>> {
  const groups = new Map<string, ReadonlyMap<string, Uint8Array>>();
  for (let from = 0; from < keys.length; from += MAX_GROUP) {
    const group = new Map(keys.slice(from, from + MAX_GROUP));
    const hash = createHash('sha256');
    for (const [id, wrapped] of group) hash.update(`${id} ${keyMark(wrapped)}\n`);
    groups.set(hash.digest().subarray(0, 12).toString('base64url'), group);
  }
  return groups;
}

/**
 * The data keys of the log, each encrypted with the master key, which is not here. There may be several under one id: a leader
 * that failed before it published an event leaves the key of that event, and the next leader creates another one. Each batch
 * names the keys of its events, and the groups in which new ones were stored. Every key that a confirmed event needs is here, and so
 * is every key in the log of a member that has no events of its own.
 */
export interface KeyBucket {
  /** Stores keys as a group under its name; see `keyGroups`. */
  putGroup(name: string, keys: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** The key with a `keyMark`. Null for a key that is not in the bucket: it was destroyed. `group`: where it is looked for first. */
  get(id: string, mark: string, group: string | null): Promise<Uint8Array | null>;
  /** All keys under an id. */
  all(id: string): Promise<readonly Uint8Array[]>;
  /** Destroys all keys under these ids. */
  destroy(ids: readonly string[]): Promise<void>;
}
