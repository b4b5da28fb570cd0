import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { evolveProofs, noProofs, type Proofs } from '../../events/proof/proof-document.js';

/** The signed heads of this panel and of others, and where they were published. */
export const proofs: Fold<Proofs> = {
  name: 'proofs',
  version: 2,
  ignores: TRAFFIC,
  initial: noProofs,
  apply: evolveProofs,
};
