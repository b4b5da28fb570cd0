import type { RecordedEvent } from '../../events/catalog.js';
import type { InboundId } from '../../events/ids.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { DELETED_SINCE, type Planning } from './planning.js';

/**
 * Counters of inbounds and outbounds that the command reset get their bytes back, and those to which an undo gave them are
 * reset again. Bytes counted since stay counted.
 */
export function totalsBack({ events, inbounds, others }: PastCommand, state: PanelState, planning: Planning): void {
  for (const event of events) {
    if (event.type === 'InboundTrafficReset') {
      const { inbound, up, down } = event.data;
      // A deleted inbound has its own undo.
      if (inbounds.get(inbound)?.after === null) continue;
      restoreInbound(inbound, { up, down, resetAt: others.resetAt.get(inbound) ?? 0 }, state, planning);
    } else if (event.type === 'OutboundTrafficReset') {
      const { tag, up, down } = event.data;
      planning.do('traffic', tag, { type: 'RestoreOutboundTraffic', data: { tag, up, down } });
    } else if (isRestored(event) && inbounds.get(event.data.inbound)?.before !== null) {
      const { inbound, up, down } = event.data;
      const now = state.counters.inbounds.get(inbound) ?? zero;
      const document = `inbound-${inbound}`;
      if (!state.inbounds.has(inbound)) {
        planning.cannot(document, '', DELETED_SINCE);
        continue;
      }
      planning.do(document, '', { type: 'ResetInboundTraffic', data: { inbound } });
      const since = difference(now, { up, down });
      if (since) restoreInbound(inbound, { ...since, resetAt: null }, state, planning);
    } else if (event.type === 'OutboundHistoryImported') {
      const { tag, up, down } = event.data;
      const since = difference(state.counters.outbounds.get(tag) ?? zero, { up, down });
      planning.do('traffic', tag, { type: 'ResetOutboundTraffic', data: { tag } });
      if (since) planning.do('traffic', tag, { type: 'RestoreOutboundTraffic', data: { tag, ...since } });
    }
  }
}

/** Bytes that an undo gave back to an inbound: a total of 0, because a reset does not change the total. */
const isRestored = (event: RecordedEvent): event is Extract<RecordedEvent, { type: 'InboundHistoryImported' }> =>
  event.type === 'InboundHistoryImported' && event.data.allTime === 0;

function restoreInbound(
  inbound: InboundId,
  used: Counter & { readonly resetAt: number | null },
  state: PanelState,
  planning: Planning,
): void {
  const document = `inbound-${inbound}`;
  if (!state.inbounds.has(inbound)) planning.cannot(document, '', DELETED_SINCE);
  else planning.do(document, '', { type: 'RestoreInboundTraffic', data: { inbound, ...used } });
}

/** What was counted beside some bytes; null = nothing. */
function difference(now: Counter, { up, down }: Counter): Counter | null {
  const since = { up: Math.max(0, now.up - up), down: Math.max(0, now.down - down) };
  return since.up + since.down > 0 ? since : null;
}
