import type { HeadPublisher } from '../../commands/reactors/proof/head-publisher.js';
import type { ProvenLog } from '../../projections/proof-of-log.js';

/** Signed heads, and proofs for outsiders. */
export interface ProofServices {
  readonly publisher: Pick<HeadPublisher, 'publish' | 'state'>;
  readonly provenLog: ProvenLog;
  /** Resolves when the Merkle tree has the newest events, so that a proof reads few rows. */
  readonly growTree: (signal: AbortSignal) => Promise<void>;
}
