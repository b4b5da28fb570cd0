import type { RecordedEvent } from './catalog.js';
import type { ClientNumber } from './ids.js';
import type { Keep } from './ip-limit.js';
import { mayBePruned } from './traffic.js';

/** Which addresses of a client get nowhere now. */
export interface IpBlock {
  readonly limit: number;
  readonly keep: Keep;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  /** When it was said last, ms. */
  readonly at: number;
}

/** Folds one event into the holds. Events of other nouns are ignored. */
export function evolveIpBlocks(holds: Map<ClientNumber, IpBlock>, event: RecordedEvent): void {
  switch (event.type) {
    case 'ClientIpsBlocked': {
      const { client, limit, keep, ips: addresses } = event.data;
      holds.set(client, { limit, keep, ...addresses, at: event.meta.at });
      break;
    }
    case 'ClientIpsUnblocked':
    case 'ClientDeleted':
      holds.delete(event.data.client);
      break;
    case 'MeasurementsRolledUp':
      // What is pruned from the log is forgotten here too, so that a replay agrees.
      for (const [client, { at }] of holds) if (mayBePruned(event.data, at)) holds.delete(client);
      break;
    default:
  }
}
