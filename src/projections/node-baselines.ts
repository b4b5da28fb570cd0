import { type Fold, pairs } from '../events/fold.js';
import type { NodeId } from '../events/ids.js';
import { destination } from '../events/node-document.js';

/** Up to where a counter of a node is followed: what it said then. */
export interface NodeBaseline {
  readonly node: NodeId;
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  /** 1: the bytes of all time have moved, 2: the counter itself has; the sum of both. */
  readonly moved: number;
}

/** How far the counters of all nodes are recorded. A client lives on one machine, so its number says which. */
export interface NodeBaselines {
  readonly clients: Map<number, NodeBaseline>;
  readonly inbounds: Map<number, NodeBaseline>;
  /** The lasting name of the panel that counted; empty = its kind has none. */
  readonly panels: Map<NodeId, string>;
}

interface Saved {
  clients: [number, NodeBaseline][];
  inbounds: [number, NodeBaseline][];
  panels: [NodeId, string][];
}

export const nodeBaselines: Fold<NodeBaselines> = {
  name: 'node-baselines',
  version: 1,
  initial: () => ({ clients: new Map(), inbounds: new Map(), panels: new Map() }),
  apply(state, event) {
    switch (event.type) {
      case 'NodeInboundApplied': {
        const { node, inbound, began, fresh } = event.data;
        const zero: NodeBaseline = { node, up: 0, down: 0, allTime: 0, moved: 0 };
        for (const client of began) state.clients.set(client, zero);
        if (fresh) state.inbounds.set(inbound, zero);
        break;
      }
      case 'NodeTrafficRecorded': {
        const { node, clients, inbounds } = event.data;
        for (const [client, , , up, down, allTime, moved] of clients)
          state.clients.set(client, { node, up, down, allTime, moved });
        for (const [inbound, , , up, down, allTime, moved] of inbounds)
          state.inbounds.set(inbound, { node, up, down, allTime, moved });
        break;
      }
      case 'ClientDeleted':
        state.clients.delete(event.data.client);
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
        // Without a name of its own nobody can say whether the panel that is met there is the same.
        if (moves && !state.panels.get(node)) forget(state, node);
        break;
      }
      case 'NodeDeleted':
        forget(state, event.data.node);
        state.panels.delete(event.data.node);
        break;
      default:
    }
  },
  save: (state) => ({
    clients: pairs(state.clients),
    inbounds: pairs(state.inbounds),
    panels: pairs(state.panels),
  }),
  load: (saved: Saved) => ({
    clients: new Map(saved.clients),
    inbounds: new Map(saved.inbounds),
    panels: new Map(saved.panels),
  }),
};

/** Another panel counts from elsewhere: what it says when it is met is nothing that flowed since. */
function forget({ clients, inbounds }: NodeBaselines, node: NodeId): void {
  for (const counters of [clients, inbounds])
    for (const [key, baseline] of counters) if (baseline.node === node) counters.delete(key);
}
