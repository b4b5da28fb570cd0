import type { Node } from '../../../events/node/node-document.js';
import { codeOf } from '../../../messages/message.js';
import type { HttpRequest, Needs } from '../context.js';
import type { NodeSyncReply } from '../contract/schemas/node-sync.js';

type Asked = Needs<'read' | 'nodes'> & Pick<HttpRequest, 'say'>;

/** The synchronization state of a node as the API returns it. */
export function wireNodeSync({ read, nodes, say }: Asked, node: Node): NodeSyncReply {
  const entries = read.nodes.outbox(node.id);
  const sync = nodes.state(node.id);
  const positions = entries.flatMap(({ waiting }) => waiting);
  const applied = entries.map(({ applied: last }) => last?.position ?? 0);
  const first = positions.reduce((least, position) => Math.min(least, position), Number.POSITIVE_INFINITY);
  const pending = entries
    .filter(({ waiting, refused }) => waiting.length > 0 || refused !== null)
    .map(({ inbound, tag, deleted, waiting, applied: last, refused }) => ({
      ...{ inboundId: inbound, tag, deleted },
      lag: waiting.length,
      firstPosition: waiting[0] ?? 0,
      appliedPosition: last?.position ?? 0,
      appliedAt: seconds(last?.at ?? 0),
      reason: refused === null ? '' : say(refused.reason),
      reasonCode: codeOf(refused?.reason),
      since: seconds(refused?.since ?? 0),
      retryAt: seconds(refused ? nodes.retryAt(node.id, inbound) : 0),
    }));
  const restart = read.nodes.restart(node.id);
  const unmanaged = read.nodes.unmanagedItems(node.id) ?? { inboundTags: [], clients: [], omitted: 0 };
  return {
    id: node.id,
    name: node.name,
    state: stateOf(node, sync.failingSince > 0, pending),
    lag: positions.length,
    appliedPosition: Number.isFinite(first) ? first - 1 : Math.max(0, ...applied),
    wantedPosition: positions.reduce((most, position) => Math.max(most, position), Math.max(0, ...applied)),
    listedAt: seconds(sync.listedAt),
    error: sync.error === null ? '' : say(sync.error),
    errorCode: codeOf(sync.error),
    failingSince: seconds(sync.failingSince),
    tries: sync.tries,
    nextTryAt: seconds(sync.nextAt),
    pending,
    coreRestartedAt: seconds(restart?.at ?? 0),
    coreRestartedFor: {
      clients: (restart?.clients ?? []).map((number) => read.clients.get(number)?.identity.email ?? `#${number}`),
      inbounds: [...(restart?.inbounds ?? [])],
    },
    unmanaged: {
      inbounds: [...unmanaged.inboundTags],
      clients: unmanaged.clients.map(({ inboundTag, email }) => ({ inbound: inboundTag, email })),
      omitted: unmanaged.omitted,
    },
  };
}

function stateOf(
  node: Node,
  failing: boolean,
  pending: readonly NodeSyncReply['pending'][number][],
): NodeSyncReply['state'] {
  if (!node.enabled) return 'disabled';
  if (failing) return 'failing';
  if (node.identity === null) return 'unknown';
  if (pending.some(({ reason }) => reason !== '')) return 'refused';
  return pending.length > 0 ? 'behind' : 'synced';
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
