import type { InboundId } from '../../events/ids.js';
import type { ReadModels } from '../read-models.js';

/** The counters of inbounds in the read models of a moment. Inbounds that were never used are left out. */
export function inboundsUsed({ inbounds, usage }: Pick<ReadModels, 'inbounds' | 'usage'>, ids: readonly InboundId[]) {
  return new Map(
    ids.flatMap((id) => {
      const inbound = inbounds.get(id);
      if (!inbound) return [];
      const allTime = usage.inboundAllTime(inbound);
      if (allTime === 0 && inbound.resetAt === 0) return [];
      return [[id, { ...usage.inbound(inbound), allTime, resetAt: inbound.resetAt }] as const];
    }),
  );
}
