import type { RecordedEvent } from '../../events/catalog.js';
import type { InboundId, NodeId } from '../../events/ids.js';
import type { Fold } from '../../events/log/fold.js';
import { bornOf } from '../../lib/node-words.js';
import type { Text } from '../../messages/message.js';

/** What a node has been told of one inbound, and what not yet. */
export interface OutboxEntry {
  readonly inbound: InboundId;
  readonly node: NodeId;
  /** The name under which it is wanted. */
  readonly tag: string;
  /** The names under which the node has had it, the newest last. */
  readonly had: readonly string[];
  /** A panel before this one put it there, and nothing was seen of it yet. */
  readonly inherited: boolean;
  /** Up to where the node has it, and when that was seen; null = it never had it. */
  readonly applied: { readonly position: number; readonly digest: string; readonly at: number } | null;
  /** Why the node rejects it, and since when: ms since 1970. */
  readonly refused: { readonly reason: Text; readonly since: number } | null;
  /** It was deleted here. */
  readonly deleted: boolean;
}

/** What only a node has, as it was last seen. */
export interface UnmanagedItems {
  readonly inboundTags: readonly string[];
  readonly clients: readonly { readonly inboundTag: string; readonly email: string }[];
  readonly omitted: number;
}

/** What was decided and has not arrived at its node. */
export interface NodeOutbox {
  readonly entries: Map<InboundId, OutboxEntry>;
  /** Positions of what was decided for each since its node last had everything, in order. */
  readonly waiting: Map<InboundId, number[]>;
  /** The inbound of each client that lives on a node. */
  readonly places: Map<number, InboundId>;
  readonly unmanaged: Map<NodeId, UnmanagedItems>;
  /** Of everything that was ever bound to a node, by number: see `bornOf`. */
  readonly born: { readonly clients: Map<number, string>; readonly inbounds: Map<number, string> };
  /** This log was once taken from a backup: numbers that it gives out may stand in nodes for others. */
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
  version: 3,
  initial: () => ({
    ...{ entries: new Map(), waiting: new Map(), places: new Map(), unmanaged: new Map() },
    born: { clients: new Map(), inbounds: new Map() },
    fromBackup: false,
  }),
  apply(state, event) {
    switch (event.type) {
      case 'InboundAdded': {
        const { inbound, node, spec } = event.data;
        if (node === null) break;
        const none = { had: [], inherited: false, applied: null, refused: null, deleted: false };
        state.entries.set(inbound, { inbound, node, tag: spec.tag, ...none });
        state.born.inbounds.set(inbound, bornOf(event));
        wait(state, inbound, event.position);
        break;
      }
      case 'ClientAdded':
        if (!state.entries.has(event.data.inbound)) break;
        state.born.clients.set(event.data.client, bornOf(event));
        state.places.set(event.data.client, event.data.inbound);
        wait(state, event.data.inbound, event.position);
        break;
      case 'ClientDeleted':
        state.places.delete(event.data.client);
        wait(state, event.data.inbound, event.position);
        break;
      case 'InboundDeleted': {
        const entry = state.entries.get(event.data.inbound);
        // What the node never had need not be taken from it.
        if (entry?.had.length === 0) drop(state, entry.inbound);
        else put(state, entry, { deleted: true, refused: null });
        wait(state, event.data.inbound, event.position);
        break;
      }
      case 'NodeDeleted':
        for (const { inbound, node } of state.entries.values()) if (node === event.data.node) drop(state, inbound);
        for (const [client, inbound] of state.places) if (!state.entries.has(inbound)) state.places.delete(client);
        state.unmanaged.delete(event.data.node);
        break;
      case 'NodeInboundApplied': {
        const { inbound, tag, position, digest } = event.data;
        const entry = state.entries.get(inbound);
        if (!entry) break;
        arrived(state, inbound, position);
        const had = [...entry.had.filter((name) => name !== tag), tag];
        const applied = { position, digest, at: event.meta.at };
        put(state, entry, { had, inherited: false, applied, refused: null });
        break;
      }
      case 'NodeInboundAdopted':
        put(state, state.entries.get(event.data.inbound), { had: [event.data.tag], inherited: true });
        break;
      case 'NodeInboundRemoved':
        arrived(state, event.data.inbound, event.position);
        put(state, state.entries.get(event.data.inbound), { inherited: false, applied: null, refused: null });
        break;
      case 'NodeInboundRejected': {
        const { inbound, reason } = event.data;
        const entry = state.entries.get(inbound);
        put(state, entry, { refused: { reason, since: entry?.refused?.since ?? event.meta.at } });
        break;
      }
      case 'NodeUnmanagedItemsFound': {
        const { node, inboundTags: inbounds, clients, omitted: more } = event.data;
        if (inbounds.length + clients.length + more === 0) state.unmanaged.delete(node);
        else state.unmanaged.set(node, { inboundTags: inbounds, clients, omitted: more });
        break;
      }
      case 'StateImported':
        // A foreign file makes a new log, whose numbers nobody has given out before.
        if (event.data.source === 'portolan') state.fromBackup = true;
        break;
      default:
        change(state, event);
    }
  },
};

/** The entries of a node, of inbounds that were deleted as well. */
export function outboxOf(state: NodeOutbox, node: NodeId): readonly OutboxEntry[] {
  return [...state.entries.values()].filter((entry) => entry.node === node);
}

/** The node that an event has something for, if there is one. After it was folded. */
export function nodeConcerned(state: NodeOutbox, event: RecordedEvent): NodeId | undefined {
  const { data } = event;
  if (event.type.startsWith('NodeInbound') || event.type === 'NodeUnmanagedItemsFound') return undefined;
  if ('inbound' in data && data.inbound !== undefined) return state.entries.get(data.inbound)?.node;
  const inbound = OF_CLIENT.has(event.type) && 'client' in data ? state.places.get(data.client) : undefined;
  return inbound === undefined ? undefined : state.entries.get(inbound)?.node;
}

function change(state: NodeOutbox, event: RecordedEvent): void {
  if (OF_INBOUND.has(event.type)) {
    const { inbound, changes } = event.data as { inbound: InboundId; changes?: { tag?: string } };
    if (changes?.tag !== undefined) put(state, state.entries.get(inbound), { tag: changes.tag });
    wait(state, inbound, event.position);
  } else if (OF_CLIENT.has(event.type)) {
    const inbound = state.places.get((event.data as { client: number }).client);
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
