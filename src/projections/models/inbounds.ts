import type { InboundId } from '../../events/ids.js';
import { evolveInbounds, type Inbound } from '../../events/inbound/inbound-document.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';

export type Inbounds = Map<InboundId, Inbound>;

/** Inbounds by id. */
export const inbounds: Fold<Inbounds> = {
  name: 'inbounds',
  version: 2,
  ignores: TRAFFIC,
  initial: () => new Map(),
  apply: evolveInbounds,
};
