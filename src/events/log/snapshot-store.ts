/** A cache of folded states. Safe to delete at any time; what cannot be read counts as not there. */
export interface SnapshotStore {
  /** The newest usable snapshot of this fold version, or null. */
  load(name: string, version: number): { readonly position: number; readonly state: unknown } | null;
  save(name: string, version: number, position: number, state: unknown): Promise<void>;
  /** Removes all of them, so that nothing remembers what was erased. */
  clear(): void;
}
