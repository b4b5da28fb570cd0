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
  summary: 'A node lists an inbound as it was wanted at a position of the log: everything up to there has arrived.',
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
  summary: 'The panel before this one kept an inbound on a node: what is there under its tag is managed from here on.',
  data: z.strictObject({
    node,
    inbound,
    /** The name under which it is there. */
    tag: z.string(),
  }),
  stream,
});

export const NodeInboundRemoved = defineEvent('NodeInboundRemoved', {
  summary: 'An inbound that was deleted here is gone from its node.',
  data: z.strictObject({ node, inbound, tag: z.string() }),
  stream,
});

export const NodeInboundRejected = defineEvent('NodeInboundRejected', {
  summary: 'A node does not take an inbound as it is wanted; the others go on.',
  data: z.strictObject({ node, inbound, reason: z.string() }),
  stream,
});

/** An account that only the node has. Whose it is, nobody here knows: personal data all the same. */
const UnmanagedClient = z.strictObject({ inboundTag: z.string(), email: z.string() });

export const NodeUnmanagedItemsFound = defineEvent('NodeUnmanagedItemsFound', {
  summary: 'What only the node has changed: inbounds, and clients inside of ours. It is listed and never taken over.',
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
 * What a counter of a node was followed to: bytes up and down and the bytes of all time as the node said them; which of
 * them have ever moved: 1 = those of all time, 2 = up or down, and 4 = it has fallen and not grown since, 8 = its client was
 * renamed and it has not fallen since; and where it stood before it fell, in bytes, as long as it stands lower; 0 = it does
 * not.
 */
const seen = [Bytes, Bytes, Bytes, z.int().min(0).max(15), Bytes] as const;

/**
 * Why a counter was not simply counted on from where it stood.
 *
 * - `first`: it was met for the first time; what it says counts as nothing, and from there on it is followed
 * - `fell`: it says less than before; what it says now is where it goes on from, and nothing is taken back
 * - `clipped`: less was credited than it grew by, as much as the node itself can account for
 * - `implausible`: it grew by what no machine carries in the time: nothing was credited
 * - `doubled`: it says exactly twice what it said, and its inbounds have carried nothing like it: nothing was credited
 * - `came back`: it had fallen, and is back at once where it stood: what exceeds that was credited
 * - `cut there`: the node had cut the client by a count of its own, and was told to begin it anew
 */
export const BaselineNote = z.enum(['first', 'fell', 'clipped', 'implausible', 'doubled', 'came back', 'cut there']);
export type BaselineNote = z.infer<typeof BaselineNote>;

export const NodeTraffic = z.strictObject({
  node,
  /** `[client number, up, down, …seen, last online]`: up and down are credited. 0 = the node does not say when. */
  clients: z.array(z.tuple([z.int().positive(), Bytes, Bytes, ...seen, Time])),
  /** `[inbound id, up, down, …seen]` */
  inbounds: z.array(z.tuple([z.int().positive(), Bytes, Bytes, ...seen])),
  /** Counters with a story: `[client or inbound, its number, why]`. */
  anomalies: z.array(z.tuple([z.enum(['client', 'inbound']), z.int().positive(), BaselineNote])),
});
export type NodeTraffic = z.infer<typeof NodeTraffic>;

export const NodeTrafficRecorded = defineEvent('NodeTrafficRecorded', {
  summary: 'What the counters of a node grew by since they were read before, and where they are followed from now on.',
  class: 'measured',
  data: NodeTraffic,
  stream,
});

export const NodeSyncFailed = defineEvent('NodeSyncFailed', {
  summary: 'A node answers, and yet it can neither be told nor asked what it shall have, several times in a row.',
  class: 'measured',
  data: z.strictObject({ node, reason: z.string() }),
  stream,
});

export const NodeSyncRecovered = defineEvent('NodeSyncRecovered', {
  summary: 'A node can be told and asked again.',
  class: 'measured',
  data: z.strictObject({ node }),
  stream,
});

export const NodeCoreRestarted = defineEvent('NodeCoreRestarted', {
  summary:
    'The core of a node was restarted, because clients or inbounds that should be cut there still moved bytes: a panel of 3x-ui does not end their connections.',
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
