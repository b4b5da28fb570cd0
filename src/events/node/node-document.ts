import type { RecordedEvent } from '../catalog.js';
import type { NodeId } from '../ids.js';
import { evolve } from '../log/fold.js';
import type { NodeSpec } from './node.js';

/** The current state of a node. Its availability is a measurement and not part of it. */
export interface Node extends NodeSpec {
  readonly id: NodeId;
  readonly enabled: boolean;
  /** The API token of the remote panel; empty = there is none. Only for requests to the node. */
  readonly token: string;
  readonly keyVersion: number;
  /** The panel that the node reported to be; null before its first reply, also after its address changed. */
  readonly identity: { readonly kind: 'portolan' | '3x-ui'; readonly panelId: string } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The members that determine where requests go. */
export const destination = ['scheme', 'host', 'port', 'basePath'] as const satisfies readonly (keyof NodeSpec)[];

/** Folds one event into the collection of nodes. Events of other nouns are ignored. */
export function evolveNodes(nodes: Map<NodeId, Node>, event: RecordedEvent): void {
  switch (event.type) {
    case 'NodeAdded': {
      const { node, enabled, spec, keyVersion, secret } = event.data;
      const at = event.meta.at;
      const times = { createdAt: at, updatedAt: at };
      nodes.set(node, { ...spec, id: node, enabled, keyVersion, token: secret.token, identity: null, ...times });
      break;
    }
    case 'NodeDeleted':
      nodes.delete(event.data.node);
      break;
    case 'NodeUpdated': {
      const { changes } = event.data;
      evolve(nodes, event.data.node, (draft) => {
        Object.assign(draft, changes, { updatedAt: event.meta.at });
        if (destination.some((member) => changes[member] !== undefined)) draft.identity = null;
      });
      break;
    }
    case 'NodeTokenReplaced': {
      const { keyVersion, secret } = event.data;
      evolve(nodes, event.data.node, (draft) => {
        Object.assign(draft, { keyVersion, token: secret.token, identity: null, updatedAt: event.meta.at });
      });
      break;
    }
    case 'NodeEnabled':
    case 'NodeDisabled':
      evolve(nodes, event.data.node, (draft) => {
        draft.enabled = event.type === 'NodeEnabled';
      });
      break;
    case 'NodeIdentified': {
      const { kind, panelId } = event.data;
      evolve(nodes, event.data.node, (draft) => {
        draft.identity = { kind, panelId };
      });
      break;
    }
    default:
  }
}
