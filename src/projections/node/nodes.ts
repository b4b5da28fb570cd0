import type { NodeId } from '../../events/ids.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { destination, evolveNodes, type Node } from '../../events/node/node-document.js';
import { mayBePruned } from '../../events/traffic/traffic.js';
import type { Text } from '../../messages/message.js';

/** The last recorded availability of a node. */
export interface NodeConnectivity {
  readonly online: boolean;
  /** ms since 1970. */
  readonly since: number;
  /** Why it is offline; null while it is online. */
  readonly reason: Text | null;
}

/** Why a node cannot be synchronized, and since when that is the reason: ms since 1970. */
export interface NodeFailing {
  readonly reason: Text;
  readonly since: number;
}

/** When this panel last restarted the core of a node, and why. */
export interface NodeRestart {
  /** ms since 1970. */
  readonly at: number;
  /** Numbers of disabled clients that still transferred data. */
  readonly clients: readonly number[];
  readonly inbounds: readonly number[];
}

interface Nodes {
  readonly documents: Map<NodeId, Node>;
  /** Missing before the first probe, after a change of address and while the node is disabled. */
  readonly connectivity: Map<NodeId, NodeConnectivity>;
  /** Nodes that respond and cannot be synchronized. */
  readonly failings: Map<NodeId, NodeFailing>;
  readonly restarts: Map<NodeId, NodeRestart>;
}

/** Nodes by number, with their availability as it was recorded. */
export const nodes: Fold<Nodes> = {
  name: 'nodes',
  version: 5,
  ignores: TRAFFIC,
  initial: () => ({ documents: new Map(), connectivity: new Map(), failings: new Map(), restarts: new Map() }),
  apply({ documents, connectivity, failings, restarts }, event) {
    evolveNodes(documents, event);
    switch (event.type) {
      case 'NodeWentOnline':
        connectivity.set(event.data.node, { online: true, since: event.meta.at, reason: null });
        break;
      case 'NodeWentOffline':
        connectivity.set(event.data.node, { online: false, since: event.meta.at, reason: event.data.reason });
        break;
      case 'NodeSyncFailed': {
        const { node, reason } = event.data;
        failings.set(node, { reason, since: event.meta.at });
        break;
      }
      case 'NodeSyncRecovered':
        failings.delete(event.data.node);
        break;
      case 'NodeCoreRestarted': {
        const { node, clients, inbounds } = event.data;
        restarts.set(node, { at: event.meta.at, clients, inbounds });
        break;
      }
      case 'NodeUpdated':
        if (destination.every((member) => event.data.changes[member] === undefined)) break;
        connectivity.delete(event.data.node);
        failings.delete(event.data.node);
        break;
      case 'NodeDeleted':
        restarts.delete(event.data.node);
        connectivity.delete(event.data.node);
        failings.delete(event.data.node);
        break;
      case 'NodeTokenReplaced':
      case 'NodeDisabled':
        connectivity.delete(event.data.node);
        failings.delete(event.data.node);
        break;
      case 'MeasurementsRolledUp':
        // Pruned events are dropped here too, so that a replay gives the same state.
        for (const [node, { since }] of connectivity) if (mayBePruned(event.data, since)) connectivity.delete(node);
        for (const [node, { since }] of failings) if (mayBePruned(event.data, since)) failings.delete(node);
        break;
      default:
    }
  },
};
