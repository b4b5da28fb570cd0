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
} from '../../events/node/node-sync.js';
import type { Text } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import type { PanelState } from '../state.js';
import { sameAddress } from './node-rules.js';

/** `asked` is the node as it was when it was asked: what another place says, or an answer that comes too late, is nothing. */
interface Told {
  readonly asked: Node;
}

export type NodeSyncCommand =
  | Command<
      'RecordNodeInboundApplied',
      Told & {
        readonly inbound: InboundId;
        readonly tag: string;
        readonly position: number;
        readonly digest: string;
        readonly newClients: readonly ClientNumber[];
        readonly newInbound: boolean;
      }
    >
  | Command<'RecordNodeInboundRemoved', Told & { readonly inbound: InboundId; readonly tag: string }>
  | Command<'RecordNodeInboundRejected', Told & { readonly inbound: InboundId; readonly reason: Text }>
  | Command<
      'RecordNodeUnmanagedItems',
      Told & {
        readonly inboundTags: readonly string[];
        readonly clients: readonly { readonly inboundTag: string; readonly email: string }[];
        readonly omitted: number;
      }
    >
  | Command<'RecordNodeSyncFailed', Told & { readonly reason: Text }>
  | Command<'RecordNodeSyncRecovered', Told>
  /** What had to be cut by that. */
  | Command<
      'RecordNodeCoreRestarted',
      Told & { readonly clients: readonly ClientNumber[]; readonly inbounds: readonly InboundId[] }
    >;

export const nodeSync: Decider<NodeSyncCommand> = {
  RecordNodeInboundApplied({ asked, inbound, newClients, ...rest }, state) {
    if (!stillAsked(state, asked) || state.inbounds.get(inbound)?.node !== asked.id) return [];
    const living = newClients.filter((client) => state.clients.get(client)?.inbound === inbound);
    return [NodeInboundApplied({ node: asked.id, inbound, ...rest, newClients: living })];
  },

  RecordNodeInboundRemoved({ asked, inbound, tag }, state) {
    return stillAsked(state, asked) ? [NodeInboundRemoved({ node: asked.id, inbound, tag })] : [];
  },

  RecordNodeInboundRejected({ asked, inbound, reason }, state) {
    // One that was deleted here can be refused its end there.
    const bound = state.inbounds.get(inbound)?.node;
    if (!stillAsked(state, asked) || (bound !== undefined && bound !== asked.id)) return [];
    return [NodeInboundRejected({ node: asked.id, inbound, reason })];
  },

  RecordNodeUnmanagedItems({ asked, inboundTags, clients, omitted }, state) {
    if (!stillAsked(state, asked)) return [];
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
    stillAsked(state, asked) ? [NodeSyncFailed({ node: asked.id, reason })] : [],

  RecordNodeSyncRecovered: ({ asked }, state) =>
    stillAsked(state, asked) ? [NodeSyncRecovered({ node: asked.id })] : [],

  RecordNodeCoreRestarted: ({ asked, clients, inbounds }, state) =>
    stillAsked(state, asked)
      ? [NodeCoreRestarted({ node: asked.id, clients: [...clients], inbounds: [...inbounds] })]
      : [],
};

/** Whether a node is the one that was asked, where it was asked, and still wanted. */
export function stillAsked({ nodes }: Pick<PanelState, 'nodes'>, asked: Node): boolean {
  const current = nodes.get(asked.id);
  return current !== undefined && current.enabled && sameAddress(current, asked);
}
