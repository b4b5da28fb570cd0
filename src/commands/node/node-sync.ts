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

/** `asked`: the node when it was queried. A reply from a previous address, or after the node was disabled, is dropped. */
interface FromNode {
  readonly asked: Node;
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
  RecordNodeInboundApplied({ asked, inbound, newClients, ...rest }, state) {
    if (!isCurrent(state, asked) || state.inbounds.get(inbound)?.node !== asked.id) return [];
    const existing = newClients.filter((client) => state.clients.get(client)?.inbound === inbound);
    return [NodeInboundApplied({ node: asked.id, inbound, ...rest, newClients: existing })];
  },

  RecordNodeInboundRemoved({ asked, inbound, tag }, state) {
    return isCurrent(state, asked) ? [NodeInboundRemoved({ node: asked.id, inbound, tag })] : [];
  },

  RecordNodeInboundRejected({ asked, inbound, reason }, state) {
    // The node can also refuse to remove an inbound that was deleted here.
    const bound = state.inbounds.get(inbound)?.node;
    if (!isCurrent(state, asked) || (bound !== undefined && bound !== asked.id)) return [];
    return [NodeInboundRejected({ node: asked.id, inbound, reason })];
  },

  RecordNodeUnmanagedItems({ asked, inboundTags, clients, omitted }, state) {
    if (!isCurrent(state, asked)) return [];
    return [
      NodeUnmanagedItemsFound({
        node: asked.id,
        inboundTags: [...inboundTags],
        clients: clients.map((one) => ({ ...one })),
        omitted,
      }),
    ];
  },

  RecordNodeSyncFailed: ({ asked, reason }, state) =>
    isCurrent(state, asked) ? [NodeSyncFailed({ node: asked.id, reason })] : [],

  RecordNodeSyncRecovered: ({ asked }, state) =>
    isCurrent(state, asked) ? [NodeSyncRecovered({ node: asked.id })] : [],

  RecordNodeCoreRestarted: ({ asked, clients, inbounds }, state) =>
    isCurrent(state, asked)
      ? [NodeCoreRestarted({ node: asked.id, clients: [...clients], inbounds: [...inbounds] })]
      : [],
};

/** Whether the node is enabled and has the address and token with which it was queried. */
export function isCurrent({ nodes }: Pick<PanelState, 'nodes'>, asked: Node): boolean {
  const current = nodes.get(asked.id);
  return current !== undefined && current.enabled && sameAddress(current, asked);
}
