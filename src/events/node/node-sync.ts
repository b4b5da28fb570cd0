import { z } from 'zod';
import { Bytes, ClientNumber, InboundId, NodeId, Time } from '../ids.js';
import { defineEvent } from '../log/event.js';

const node = NodeId;
const inbound = InboundId;
const stream = (data: { node: number }) => `node-sync-${data.node}`;

/** The name of the data key under which it is sealed what only a node has. */
export function nodeUnmanagedItemsKey(of: number): string {
  return `node:${of}/unmanaged-items`;
}

export const NodeInboundApplied = defineEvent('NodeInboundApplied', {
  summary: 'A node reported an inbound in the configuration that the log had at a position.',
  data: z.strictObject({
    node,
    inbound,
    /** The name under which it is there. */
    tag: z.string(),
    position: z.int().nonnegative(),
    /** Of what the node was told. */
    digest: z.string(),
    /** Clients whose counters stand at zero there and were not followed before: all that they grow by counts. */
    newClients: z.array(ClientNumber),
    /** The same of the counters of the inbound. */
    newInbound: z.boolean(),
  }),
  stream,
});

export const NodeInboundAdopted = defineEvent('NodeInboundAdopted', {
  summary: 'The imported panel managed an inbound on a node. This panel manages it from now on.',
  data: z.strictObject({
    node,
    inbound,
    /** The name under which it is there. */
    tag: z.string(),
  }),
  stream,
});

export const NodeInboundRemoved = defineEvent('NodeInboundRemoved', {
  summary: 'An inbound that was deleted here was removed from its node.',
  data: z.strictObject({ node, inbound, tag: z.string() }),
  stream,
});

export const NodeInboundRejected = defineEvent('NodeInboundRejected', {
  summary: 'A node rejected an inbound. Its other inbounds are not affected.',
  data: z.strictObject({ node, inbound, reason: z.string() }),
  stream,
});

/** An account that only the node has. Whose it is, nobody here knows: personal data all the same. */
const UnmanagedClient = z.strictObject({ inboundTag: z.string(), email: z.string() });

export const NodeUnmanagedItemsFound = defineEvent('NodeUnmanagedItemsFound', {
  summary:
    'The set of inbounds and clients that exist only on the node changed. The panel lists them and does not manage them.',
  data: z.strictObject({
    node,
    /** Tags. */
    inboundTags: z.array(z.string()),
    clients: z.array(UnmanagedClient),
    /** How many there are besides those that are named. */
    omitted: z.int().nonnegative(),
  }),
  stream,
  seal: { clients: { key: (data) => nodeUnmanagedItemsKey(data.node), erased: () => [] } },
});

/**
 * What is unusual about a counter of a node. The usual counter has no mark, which keeps the event small.
 *
 * - `never-grown`: its up and down bytes have not grown since the panel follows it
 * - `all-time-never-grown`: its all-time bytes have not grown since then; a panel may not keep them
 * - `decreased`: it decreased and has not grown since
 * - `renamed`: its client got another email, and it has not decreased since
 */
export const CounterMark = z.enum(['never-grown', 'all-time-never-grown', 'decreased', 'renamed']);
export type CounterMark = z.infer<typeof CounterMark>;
/** The marks of a counter that was read for the first time. */
export const untested: readonly CounterMark[] = ['never-grown', 'all-time-never-grown'];

/**
 * The new baseline of a counter: its up, down and all-time bytes as the node reported them, its marks, and the bytes that it
 * had before it decreased; 0 = it is not below that.
 */
const seen = [Bytes, Bytes, Bytes, z.array(CounterMark), Bytes] as const;

/**
 * Why the growth of a counter was not credited as reported.
 *
 * - `first`: it was read for the first time; its value is the baseline, and nothing was credited
 * - `decreased`: it is lower than before; it is followed from its new value, and no credited bytes are taken back
 * - `capped`: it grew by more than the all-time bytes of the node account for; only those were credited
 * - `implausible`: it grew by more than a machine can carry in that time; nothing was credited
 * - `doubled`: it is exactly twice its former value, and its inbounds did not carry those bytes; nothing was credited
 * - `recovered`: it had decreased and returned at once to its former value; only what exceeds that was credited
 * - `depleted on node`: the node had disabled the client by its own count, and was told to reset that count
 */
export const BaselineNote = z.enum([
  'first',
  'decreased',
  'capped',
  'implausible',
  'doubled',
  'recovered',
  'depleted on node',
]);
export type BaselineNote = z.infer<typeof BaselineNote>;

export const NodeTraffic = z.strictObject({
  node,
  /**
   * `[client, up, down, nodeUp, nodeDown, nodeAllTime, marks, bytesBeforeDecrease, lastOnlineAt]`: `up` and `down` were
   * credited; `lastOnlineAt` 0 = the node does not report it.
   */
  clients: z.array(z.tuple([z.int().positive(), Bytes, Bytes, ...seen, Time])),
  /** `[inbound, up, down, nodeUp, nodeDown, nodeAllTime, marks, bytesBeforeDecrease]` */
  inbounds: z.array(z.tuple([z.int().positive(), Bytes, Bytes, ...seen])),
  /** Counters whose growth was not credited as reported: `[client or inbound, its number, reason]`. */
  anomalies: z.array(z.tuple([z.enum(['client', 'inbound']), z.int().positive(), BaselineNote])),
});
export type NodeTraffic = z.infer<typeof NodeTraffic>;

export const NodeTrafficRecorded = defineEvent('NodeTrafficRecorded', {
  summary:
    'The bytes that the counters of a node grew by since the previous poll were recorded, with the new baselines.',
  class: 'measured',
  data: NodeTraffic,
  stream,
});

export const NodeSyncFailed = defineEvent('NodeSyncFailed', {
  summary: 'A node responds, but its inbounds could not be read or written several times in a row.',
  class: 'measured',
  data: z.strictObject({ node, reason: z.string() }),
  stream,
});

export const NodeSyncRecovered = defineEvent('NodeSyncRecovered', {
  summary: 'The inbounds of a node can be read and written again.',
  class: 'measured',
  data: z.strictObject({ node }),
  stream,
});

export const NodeCoreRestarted = defineEvent('NodeCoreRestarted', {
  summary:
    'The core of a 3x-ui node was restarted to close connections of clients or inbounds that may no longer connect.',
  data: z.strictObject({ node, clients: z.array(ClientNumber), inbounds: z.array(inbound) }),
  stream,
});

export const nodeSyncEvents = [
  NodeInboundApplied,
  NodeInboundAdopted,
  NodeInboundRemoved,
  NodeInboundRejected,
  NodeUnmanagedItemsFound,
  NodeTrafficRecorded,
  NodeSyncFailed,
  NodeSyncRecovered,
  NodeCoreRestarted,
] as const;
