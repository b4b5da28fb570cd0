import type { ClientNumber, InboundId } from '../../events/ids.js';
import type { Node } from '../../events/node/node-document.js';
import {
  NodeCoreRestarted,
  NodeInboundApplied,
  NodeInboundRejected,
  NodeInboundRemoved,
  NodeSyncFailed,
  NodeSyncRecovered,
  NodeUnmanagedItemsFound,
  type UnmanagedItems,
} from '../../events/node/node-sync.js';
import type { Text } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import type { PanelState } from '../state.js';
import { sameAddress } from './node-rules.js';

/** `queried`: the node when it was queried. A reply from a previous address, or after the node was disabled, is dropped. */
interface FromNode {
  readonly queried: Node;
}

export type NodeSyncCommand =
  | Command<
      'RecordNodeInboundApplied',
      FromNode & {
        readonly inbound: InboundId;
        readonly tag: string;
        readonly position: number;
        readonly digest: string;
        readonly newClients: readonly ClientNumber[];
        readonly newInbound: boolean;
      }
    >
  | Command<'RecordNodeInboundRemoved', FromNode & { readonly inbound: InboundId; readonly tag: string }>
  | Command<'RecordNodeInboundRejected', FromNode & { readonly inbound: InboundId; readonly reason: Text }>
  | Command<'RecordNodeUnmanagedItems', FromNode & UnmanagedItems>
  | Command<'RecordNodeSyncFailed', FromNode & { readonly reason: Text }>
  | Command<'RecordNodeSyncRecovered', FromNode>
  /** The clients and inbounds whose connections the restart closed. */
  | Command<
      'RecordNodeCoreRestarted',
      FromNode & { readonly clients: readonly ClientNumber[]; readonly inbounds: readonly InboundId[] }
    >;

export const nodeSync: Decider<NodeSyncCommand> = {
  RecordNodeInboundApplied({ queried, inbound, newClients, ...rest }, state) {
    if (!isCurrent(state, queried) || state.inbounds.get(inbound)?.node !== queried.id) return [];
    const existing = newClients.filter((client) => state.clients.get(client)?.inbound === inbound);
    return [NodeInboundApplied({ node: queried.id, inbound, ...rest, newClients: existing })];
  },

  RecordNodeInboundRemoved({ queried, inbound, tag }, state) {
    return isCurrent(state, queried) ? [NodeInboundRemoved({ node: queried.id, inbound, tag })] : [];
  },

  RecordNodeInboundRejected({ queried, inbound, reason }, state) {
    // The node can also refuse to remove an inbound that was deleted here.
    const bound = state.inbounds.get(inbound)?.node;
    if (!isCurrent(state, queried) || (bound !== undefined && bound !== queried.id)) return [];
    return [NodeInboundRejected({ node: queried.id, inbound, reason })];
  },

  RecordNodeUnmanagedItems({ queried, inboundTags, clients, omitted }, state) {
    if (!isCurrent(state, queried)) return [];
    return [
      NodeUnmanagedItemsFound({
        node: queried.id,
        inboundTags: [...inboundTags],
        clients: clients.map((one) => ({ ...one })),
        omitted,
      }),
    ];
  },

  RecordNodeSyncFailed: ({ queried, reason }, state) =>
    isCurrent(state, queried) ? [NodeSyncFailed({ node: queried.id, reason })] : [],

  RecordNodeSyncRecovered: ({ queried }, state) =>
    isCurrent(state, queried) ? [NodeSyncRecovered({ node: queried.id })] : [],

  RecordNodeCoreRestarted: ({ queried, clients, inbounds }, state) =>
    isCurrent(state, queried)
      ? [NodeCoreRestarted({ node: queried.id, clients: [...clients], inbounds: [...inbounds] })]
      : [],
};

/** Whether the node is enabled and has the address and token with which it was queried. */
export function isCurrent({ nodes }: Pick<PanelState, 'nodes'>, queried: Node): boolean {
  const current = nodes.get(queried.id);
  return current !== undefined && current.enabled && sameAddress(current, queried);
}
