import { message } from '../../messages/message.js';
import { sumOf } from './operation-sentences.js';
import type { DataOf, Sentences } from './sentence-types.js';

/** Events of nodes and of their synchronization. */
export const nodeSentences = {
  NodeAdded: ({ spec: { scheme, host, port } }: DataOf<'NodeAdded'>) =>
    message('audit.nodeAdded', { host: `${scheme}://${host}:${port}` }),
  NodeUpdated: ({ changes }: DataOf<'NodeUpdated'>) => message('audit.nodeUpdated', { fields: Object.keys(changes) }),
  NodeTokenReplaced: () => message('audit.nodeTokenReplaced'),
  NodeEnabled: () => message('audit.nodeEnabled'),
  NodeDisabled: () => message('audit.nodeDisabled'),
  NodeDeleted: () => message('audit.nodeDeleted'),
  NodeIdentified: ({ kind }: DataOf<'NodeIdentified'>) => message('audit.nodeIdentified', { kind }),
  NodeWentOnline: () => message('audit.nodeOnline'),
  NodeWentOffline: ({ reason }: DataOf<'NodeWentOffline'>) => message('audit.nodeOffline', { reason }),
  NodeInboundApplied: ({ tag, position }: DataOf<'NodeInboundApplied'>) =>
    message('audit.nodeApplied', { tag, position }),
  NodeInboundAdopted: ({ tag }: DataOf<'NodeInboundAdopted'>) => message('audit.nodeAdopted', { tag }),
  NodeInboundRemoved: ({ tag }: DataOf<'NodeInboundRemoved'>) => message('audit.nodeRemoved', { tag }),
  NodeInboundRejected: ({ inbound, reason }: DataOf<'NodeInboundRejected'>) =>
    message('audit.nodeRejected', { inbound, reason }),
  NodeUnmanagedItemsFound: ({ inboundTags, clients, omitted }: DataOf<'NodeUnmanagedItemsFound'>) =>
    message('audit.nodeUnmanaged', { inbounds: inboundTags.length, clients: clients.length, omitted }),
  NodeTrafficRecorded: ({ clients, inbounds }: DataOf<'NodeTrafficRecorded'>) =>
    message('audit.nodeTraffic', { ...sumOf(inbounds), clients: clients.length }),
  NodeSyncFailed: ({ reason }: DataOf<'NodeSyncFailed'>) => message('audit.nodeSyncFailed', { reason }),
  NodeSyncRecovered: () => message('audit.nodeSyncRecovered'),
  NodeCoreRestarted: ({ clients, inbounds }: DataOf<'NodeCoreRestarted'>) =>
    message('audit.nodeCoreRestarted', { clients: clients.length, inbounds: inbounds.length }),
} satisfies Partial<Sentences>;
