import type { Subtree } from '../../lib/proof/merkle.js';
import type { Steps } from '../../lib/time/slices.js';

/** The Merkle tree over the chain hashes of all events: the leaf with index 0 is the hash of the event at position 1. */
export interface LogTree {
  /** The hash of a complete subtree of the events in the log. Throws `RangeError` beyond the last event. */
  readonly subtree: Subtree;
  /** Stores the subtrees that new events have completed, so that roots and proofs read few rows. */
  grow(): Steps<void>;
  /** The event as a line of an export, and the chain hash of the event before (hex); null when there is no such event. */
  lineAt(position: number): { readonly line: string; readonly previous: string } | null;
}
