/** A cache of folded states. It may be deleted at any time. Unreadable snapshots count as missing. */
export interface SnapshotStore {
  /** The newest usable snapshot of this fold version, or null. */
  load(name: string, version: number): { readonly position: number; readonly state: unknown } | null;
  /** `state` must not change meanwhile: see `detached`. */
  save(name: string, version: number, position: number, state: unknown): Promise<void>;
  /** Removes all snapshots, so that none contains erased data. */
  clear(): void;
}
