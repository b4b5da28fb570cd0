import type { RecordedEvent } from './catalog.js';
import type { ClientNumber } from './ids.js';
import type { Keep } from './ip-limit.js';
import { mayBePruned } from './traffic/traffic.js';

/** The addresses of a client that are blocked now. */
export interface IpBlock {
  readonly limit: number;
  readonly keep: Keep;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  /** When it was last recorded, ms since 1970. */
  readonly at: number;
}

/** Folds one event into the blocked addresses. Events of other nouns are ignored. */
export function evolveIpBlocks(blocks: Map<ClientNumber, IpBlock>, event: RecordedEvent): void {
  switch (event.type) {
    case 'ClientIpsBlocked': {
      const { client, limit, keep, ips: addresses } = event.data;
      blocks.set(client, { limit, keep, ...addresses, at: event.meta.at });
      break;
    }
    case 'ClientIpsUnblocked':
    case 'ClientDeleted':
      blocks.delete(event.data.client);
      break;
    case 'MeasurementsRolledUp':
      // Forgets what is pruned from the log, so that a replay gives the same state.
      for (const [client, { at }] of blocks) if (mayBePruned(event.data, at)) blocks.delete(client);
      break;
    default:
  }
}
