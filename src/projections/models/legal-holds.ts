import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { evolveHolds, type LegalHolds } from '../../events/personal-data/hold-document.js';

/** The legal holds in force. */
export const legalHolds: Fold<LegalHolds> = {
  name: 'legal-holds',
  version: 1,
  ignores: TRAFFIC,
  initial: () => new Map(),
  apply: evolveHolds,
};
