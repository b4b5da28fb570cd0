import type { NodeId } from '../../events/ids.js';
import type { Fold } from '../../events/log/fold.js';
import { destination } from '../../events/node/node-document.js';
import { type CounterBaseline, untested } from '../../events/node/node-sync.js';

/** The last recorded value of a counter of a node. */
export interface NodeBaseline extends CounterBaseline {
  readonly node: NodeId;
}

/** The last recorded counters of all nodes. A client is on one machine, so its number is a sufficient key. */
interface NodeBaselines {
  readonly clients: Map<number, NodeBaseline>;
  readonly inbounds: Map<number, NodeBaseline>;
  /** The id of the panel that counted; empty for a 3x-ui, which has none. */
  readonly panels: Map<NodeId, string>;
  /** When counters of a node were last recorded, ms since 1970. */
  readonly readAt: Map<NodeId, number>;
  /**
   * Deleted clients that may still be on their node, by inbound, with the position of their deletion. Their traffic counts
   * until the node has removed them.
   */
  readonly leaving: Map<number, [client: number, position: number][]>;
}

export const nodeBaselines: Fold<NodeBaselines> = {
  name: 'node-baselines',
  version: 3,
  initial: () => ({
    ...{ clients: new Map(), inbounds: new Map(), panels: new Map(), readAt: new Map() },
    leaving: new Map(),
  }),
  apply(state, event) {
    switch (event.type) {
      case 'NodeInboundApplied': {
        const { node, inbound, position, newClients: began, newInbound: fresh } = event.data;
        forgetLeft(state, inbound, position);
        const zero: NodeBaseline = { node, up: 0, down: 0, allTime: 0, marks: untested, high: 0 };
        for (const client of began) state.clients.set(client, zero);
        if (fresh) state.inbounds.set(inbound, zero);
        state.readAt.set(node, event.meta.at);
        break;
      }
      case 'NodeTrafficRecorded': {
        const { node, clients, inbounds } = event.data;
        for (const [client, , , up, down, allTime, marks, high] of clients)
          state.clients.set(client, { node, up, down, allTime, marks, high });
        for (const [inbound, , , up, down, allTime, marks, high] of inbounds)
          state.inbounds.set(inbound, { node, up, down, allTime, marks, high });
        state.readAt.set(node, event.meta.at);
        break;
      }
      case 'ClientIdentityChanged': {
        const { client, emailChanged: renamed } = event.data;
        const baseline = state.clients.get(client);
        if (!renamed || !baseline || baseline.marks.includes('renamed')) break;
        state.clients.set(client, { ...baseline, marks: [...baseline.marks, 'renamed'] });
        break;
      }
      case 'ClientDeleted': {
        const { client, inbound } = event.data;
        if (!state.clients.has(client)) break;
        const others = state.leaving.get(inbound);
        if (others) others.push([client, event.position]);
        else state.leaving.set(inbound, [[client, event.position]]);
        break;
      }
      case 'NodeInboundRemoved':
        forgetLeft(state, event.data.inbound, event.position);
        break;
      case 'InboundDeleted':
        state.inbounds.delete(event.data.inbound);
        break;
      case 'NodeIdentified': {
        const { node, panelId } = event.data;
        const before = state.panels.get(node);
        if (before !== undefined && before !== panelId) forget(state, node);
        state.panels.set(node, panelId);
        break;
      }
      case 'NodeUpdated': {
        const { node, changes } = event.data;
        const moves = destination.some((member) => changes[member] !== undefined);
        // A 3x-ui has no id, so the panel at the new address may be another one.
        if (moves && !state.panels.get(node)) forget(state, node);
        break;
      }
      case 'NodeDeleted':
        forget(state, event.data.node);
        for (const [inbound, clients] of state.leaving)
          if (clients.every(([client]) => !state.clients.has(client))) state.leaving.delete(inbound);
        state.panels.delete(event.data.node);
        state.readAt.delete(event.data.node);
        break;
      default:
    }
  },
};

/** The node has removed the clients of this inbound that were deleted up to a position. */
function forgetLeft({ clients, leaving }: NodeBaselines, inbound: number, upTo: number): void {
  const known = leaving.get(inbound);
  if (!known) return;
  for (const [client, position] of known) if (position <= upTo) clients.delete(client);
  const rest = known.filter(([, position]) => position > upTo);
  if (rest.length > 0) leaving.set(inbound, rest);
  else leaving.delete(inbound);
}

/** The counters of another panel start elsewhere: the difference to the old ones is no traffic. */
function forget({ clients, inbounds }: NodeBaselines, node: NodeId): void {
  for (const counters of [clients, inbounds])
    for (const [key, baseline] of counters) if (baseline.node === node) counters.delete(key);
}
