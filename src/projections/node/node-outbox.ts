import type { RecordedEvent } from '../../events/catalog.js';
import type { InboundId, NodeId } from '../../events/ids.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import type { UnmanagedItems } from '../../events/node/node-sync.js';
import { uidOf } from '../../lib/ownership-mark.js';
import type { Text } from '../../messages/message.js';

/** The synchronization of one inbound with its node. */
export interface OutboxEntry {
  readonly inbound: InboundId;
  readonly node: NodeId;
  /** The desired tag. */
  readonly tag: string;
  /** The tags that it had on the node, the newest last. */
  readonly tags: readonly string[];
  /** It was imported from a panel that managed the node before, and was not seen on the node yet. */
  readonly adopted: boolean;
  /** The position of the configuration that the node has, and when that was seen; null = it never had the inbound. */
  readonly applied: { readonly position: number; readonly digest: string; readonly at: number } | null;
  /** Why the node rejects it, and since when: ms since 1970. */
  readonly refused: { readonly reason: Text; readonly since: number } | null;
  /** It was deleted in this panel. */
  readonly deleted: boolean;
}

/** Changes that were recorded here and have not reached their node. */
interface NodeOutbox {
  readonly entries: Map<InboundId, OutboxEntry>;
  /** Positions of the changes of each inbound since its node was last in sync, in order. */
  readonly waiting: Map<InboundId, number[]>;
  /** The inbound of each client on a node. */
  readonly inboundOfClient: Map<number, InboundId>;
  readonly unmanaged: Map<NodeId, UnmanagedItems>;
  /** Of every client and inbound that was ever on a node, by number: see `uidOf`. */
  readonly uids: { readonly clients: Map<number, string>; readonly inbounds: Map<number, string> };
  /** The log was restored from a backup: nodes may have other clients and inbounds under numbers that it assigns again. */
  fromBackup: boolean;
}

const OF_INBOUND: ReadonlySet<string> = new Set([
  'InboundUpdated',
  'InboundReconfigured',
  'InboundEnabled',
  'InboundDisabled',
  'InboundDepleted',
  'InboundReactivated',
  'InboundTrafficReset',
] satisfies RecordedEvent['type'][]);
const OF_CLIENT: ReadonlySet<string> = new Set([
  'ClientUpdated',
  'ClientIdentityChanged',
  'ClientCredentialRotated',
  'ClientDepleted',
  'ClientReactivated',
  'ClientExpiryStarted',
  'ClientRenewed',
  'ClientTrafficReset',
  'ClientTrafficAdjusted',
] satisfies RecordedEvent['type'][]);

export const nodeOutbox: Fold<NodeOutbox> = {
  name: 'node-outbox',
  version: 4,
  ignores: TRAFFIC,
  initial: () => ({
    ...{ entries: new Map(), waiting: new Map(), inboundOfClient: new Map(), unmanaged: new Map() },
    uids: { clients: new Map(), inbounds: new Map() },
    fromBackup: false,
  }),
  apply(state, event) {
    switch (event.type) {
      case 'InboundAdded': {
        const { inbound, node, spec } = event.data;
        if (node === null) break;
        const none = { tags: [], adopted: false, applied: null, refused: null, deleted: false };
        state.entries.set(inbound, { inbound, node, tag: spec.tag, ...none });
        state.uids.inbounds.set(inbound, uidOf(event));
        wait(state, inbound, event.position);
        break;
      }
      case 'ClientAdded':
        if (!state.entries.has(event.data.inbound)) break;
        state.uids.clients.set(event.data.client, uidOf(event));
        state.inboundOfClient.set(event.data.client, event.data.inbound);
        wait(state, event.data.inbound, event.position);
        break;
      case 'ClientDeleted':
        state.inboundOfClient.delete(event.data.client);
        wait(state, event.data.inbound, event.position);
        break;
      case 'InboundDeleted': {
        const entry = state.entries.get(event.data.inbound);
        // An inbound that the node never had need not be removed from it.
        if (entry?.tags.length === 0) drop(state, entry.inbound);
        else put(state, entry, { deleted: true, refused: null });
        wait(state, event.data.inbound, event.position);
        break;
      }
      case 'NodeDeleted':
        for (const { inbound, node } of state.entries.values()) if (node === event.data.node) drop(state, inbound);
        for (const [client, inbound] of state.inboundOfClient)
          if (!state.entries.has(inbound)) state.inboundOfClient.delete(client);
        state.unmanaged.delete(event.data.node);
        break;
      case 'NodeInboundApplied': {
        const { inbound, tag, position, digest } = event.data;
        const entry = state.entries.get(inbound);
        if (!entry) break;
        arrived(state, inbound, position);
        const tags = [...entry.tags.filter((name) => name !== tag), tag];
        const applied = { position, digest, at: event.meta.at };
        put(state, entry, { tags, adopted: false, applied, refused: null });
        break;
      }
      case 'NodeInboundAdopted':
        put(state, state.entries.get(event.data.inbound), { tags: [event.data.tag], adopted: true });
        break;
      case 'NodeInboundRemoved':
        arrived(state, event.data.inbound, event.position);
        put(state, state.entries.get(event.data.inbound), { adopted: false, applied: null, refused: null });
        break;
      case 'NodeInboundRejected': {
        const { inbound, reason } = event.data;
        const entry = state.entries.get(inbound);
        put(state, entry, { refused: { reason, since: entry?.refused?.since ?? event.meta.at } });
        break;
      }
      case 'NodeUnmanagedItemsFound': {
        const { node, ...items } = event.data;
        const { inboundTags, clients, omitted } = items;
        if (inboundTags.length + clients.length + omitted === 0) state.unmanaged.delete(node);
        else state.unmanaged.set(node, items);
        break;
      }
      case 'StateImported':
        // An import from another panel starts a new log, which assigns every number for the first time.
        if (event.data.source === 'portolan') state.fromBackup = true;
        break;
      default:
        change(state, event);
    }
  },
};

/** The entries of a node, also those of deleted inbounds. */
export function outboxOf(state: NodeOutbox, node: NodeId): readonly OutboxEntry[] {
  return [...state.entries.values()].filter((entry) => entry.node === node);
}

/** The node whose desired state an event changes. Call it after the event was folded. */
export function affectedNode(state: NodeOutbox, event: RecordedEvent): NodeId | undefined {
  const { data } = event;
  if (event.type.startsWith('NodeInbound') || event.type === 'NodeUnmanagedItemsFound') return undefined;
  if ('inbound' in data && data.inbound !== undefined) return state.entries.get(data.inbound)?.node;
  const inbound = OF_CLIENT.has(event.type) && 'client' in data ? state.inboundOfClient.get(data.client) : undefined;
  return inbound === undefined ? undefined : state.entries.get(inbound)?.node;
}

function change(state: NodeOutbox, event: RecordedEvent): void {
  if (OF_INBOUND.has(event.type)) {
    const { inbound, changes } = event.data as { inbound: InboundId; changes?: { tag?: string } };
    if (changes?.tag !== undefined) put(state, state.entries.get(inbound), { tag: changes.tag });
    wait(state, inbound, event.position);
  } else if (OF_CLIENT.has(event.type)) {
    const inbound = state.inboundOfClient.get((event.data as { client: number }).client);
    if (inbound !== undefined) wait(state, inbound, event.position);
  }
}

function wait(state: NodeOutbox, inbound: InboundId, position: number): void {
  if (!state.entries.has(inbound)) return;
  const positions = state.waiting.get(inbound);
  if (positions) positions.push(position);
  else state.waiting.set(inbound, [position]);
}

function arrived(state: NodeOutbox, inbound: InboundId, upTo: number): void {
  const rest = (state.waiting.get(inbound) ?? []).filter((position) => position > upTo);
  if (rest.length > 0) state.waiting.set(inbound, rest);
  else state.waiting.delete(inbound);
}

function drop(state: NodeOutbox, inbound: InboundId): void {
  state.entries.delete(inbound);
  state.waiting.delete(inbound);
}

function put(state: NodeOutbox, entry: OutboxEntry | undefined, changes: Partial<OutboxEntry>): void {
  if (entry) state.entries.set(entry.inbound, { ...entry, ...changes });
}
