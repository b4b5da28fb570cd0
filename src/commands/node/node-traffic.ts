import type { PanelEvent } from '../../events/catalog.js';
import { ClientTrafficTransferred } from '../../events/client/client.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import type { Node } from '../../events/node/node-document.js';
import { type NodeTraffic, NodeTrafficRecorded } from '../../events/node/node-sync.js';
import { zero } from '../../events/traffic/counters.js';
import { recipientOf } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { trafficEffects } from '../traffic/traffic.js';
import { isCurrent } from './node-sync.js';

export type NodeTrafficCommand = Command<
  'RecordNodeTraffic',
  Omit<NodeTraffic, 'node'> & { /** The node when it was queried. */ readonly queried: Node }
>;

export const nodeTraffic: Decider<NodeTrafficCommand> = {
  /**
   * Records bytes of inbounds and clients of that node, and of clients that were deleted here and are still on it. The same
   * decision disables clients and inbounds that reach their cap.
   */
  RecordNodeTraffic({ queried, clients, inbounds, anomalies }, state, { now }) {
    if (!isCurrent(state, queried)) return [];
    const isOurs = (id: InboundId): boolean => state.inbounds.get(id)?.node === queried.id;
    const isClient = (number: number): boolean => {
      const client = state.clients.get(number as ClientNumber);
      return client ? isOurs(client.inbound) : number <= state.lastClient;
    };
    const counted = {
      clients: clients.filter(([number]) => isClient(number)),
      inbounds: inbounds.filter(([id]) => isOurs(id as InboundId)),
      anomalies: anomalies.filter(([kind, key]) => (kind === 'client' ? isClient(key) : isOurs(key as InboundId))),
    };
    if (counted.clients.length + counted.inbounds.length + counted.anomalies.length === 0) return [];
    const moved = ([, up, down]: readonly [number, number, number, ...unknown[]]): boolean => up + down > 0;
    const transferred = counted.clients.filter(moved).flatMap(([number, up, down]) => {
      const recipient = recipientOf(state, number as ClientNumber);
      return recipient
        ? [ClientTrafficTransferred({ client: recipient.number, fromClient: number as ClientNumber, up, down })]
        : [];
    });
    const grown = grownBy(counted.clients.filter(moved), transferred);
    const effects = [...transferred, ...trafficEffects(state, grown, counted.inbounds.filter(moved), now)];
    const recorded = NodeTrafficRecorded({ node: queried.id, ...counted });
    return [recorded, ...effects.map((event): Caused<PanelEvent> => ({ ...event, cause: 0 }))];
  },
};

type Transfer = ReturnType<typeof ClientTrafficTransferred>;

/** The traffic of each client, with what was transferred to it: `[client number, up, down]`. */
function grownBy(clients: NodeTraffic['clients'], transferred: readonly Transfer[]): [number, number, number][] {
  const grown = new Map(clients.map(([number, up, down]) => [number, { up, down }]));
  for (const { data } of transferred) {
    const before = grown.get(data.client) ?? zero;
    grown.set(data.client, { up: before.up + data.up, down: before.down + data.down });
  }
  return [...grown].map(([number, { up, down }]) => [number, up, down]);
}
