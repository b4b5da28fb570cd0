import type { Fold } from '../../events/log/fold.js';
import { type Counters, evolveCounters, noCounters } from '../../events/traffic/counters.js';

/** Counters, and totals that are not affected by resets. */
interface Traffic extends Counters {
  /** Up plus down of each client since it was added, in bytes. */
  readonly clientsAllTime: Map<number, number>;
  readonly inboundsAllTime: Map<number, number>;
  /** When each client last had traffic, ms since 1970. */
  readonly lastOnline: Map<number, number>;
}

export const traffic: Fold<Traffic> = {
  name: 'traffic',
  version: 2,
  initial: () => ({
    ...noCounters(),
    clientsAllTime: new Map(),
    inboundsAllTime: new Map(),
    lastOnline: new Map(),
  }),
  apply(state, event) {
    evolveCounters(state, event);
    switch (event.type) {
      case 'TrafficRecorded':
        for (const [client, up, down, at] of event.data.clients) {
          if (!state.clients.has(client)) continue; // deleted since the core counted these bytes
          add(state.clientsAllTime, client, up + down);
          setOnline(state, client, at ?? event.meta.at);
        }
        for (const [inbound, up, down] of event.data.inbounds) {
          if (state.inbounds.has(inbound)) add(state.inboundsAllTime, inbound, up + down);
        }
        break;
      case 'NodeTrafficRecorded':
        for (const [client, up, down, , , , , , at] of event.data.clients) {
          if (!state.clients.has(client) || up + down === 0) continue;
          add(state.clientsAllTime, client, up + down);
          setOnline(state, client, at);
        }
        for (const [inbound, up, down] of event.data.inbounds) {
          if (state.inbounds.has(inbound)) add(state.inboundsAllTime, inbound, up + down);
        }
        break;
      case 'ClientHistoryImported': {
        const { client, allTime, lastOnlineAt } = event.data;
        add(state.clientsAllTime, client, allTime);
        if (lastOnlineAt > (state.lastOnline.get(client) ?? 0)) state.lastOnline.set(client, lastOnlineAt);
        break;
      }
      case 'InboundHistoryImported':
        add(state.inboundsAllTime, event.data.inbound, event.data.allTime);
        break;
      case 'ClientTrafficTransferred': {
        const { client, fromClient: from, up, down } = event.data;
        // From a client that was deleted before, only traffic that was counted since is transferred.
        add(state.clientsAllTime, client, state.clientsAllTime.get(from) ?? up + down);
        state.clientsAllTime.delete(from);
        const seen = state.lastOnline.get(from) ?? 0;
        if (seen > (state.lastOnline.get(client) ?? 0)) state.lastOnline.set(client, seen);
        break;
      }
      case 'ClientDeleted':
        state.clientsAllTime.delete(event.data.client);
        state.lastOnline.delete(event.data.client);
        break;
      case 'InboundDeleted':
        state.inboundsAllTime.delete(event.data.inbound);
        break;
      default:
    }
  },
};

/** Several machines report it, not in the order of time. */
function setOnline({ lastOnline }: Traffic, client: number, at: number): void {
  if (at > (lastOnline.get(client) ?? 0)) lastOnline.set(client, at);
}

function add(totals: Map<number, number>, key: number, bytes: number): void {
  totals.set(key, (totals.get(key) ?? 0) + bytes);
}
