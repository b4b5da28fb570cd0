import type { RecordedEvent } from '../events/catalog.js';
import type { InboundId } from '../events/ids.js';
import type { Text } from '../messages/message.js';

/** The inbounds that the core rejects, with the reason. */
export function evolveRefused(refused: Map<InboundId, Text>, event: RecordedEvent): void {
  switch (event.type) {
    case 'InboundRejectedByCore':
      refused.set(event.data.inbound, event.data.reason);
      break;
    case 'InboundAcceptedByCore':
    case 'InboundDeleted':
      refused.delete(event.data.inbound);
      break;
    default:
  }
}
