import { z } from 'zod';
import { Bytes, Count, Down, oneOf, Position, place, Time, Up } from '../fields.js';
import { ClientNumber, InboundId, NodeId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

const node = NodeId;
const inbound = InboundId;
const tag = z.string().describe('Tag of the inbound on the node.');
const stream = (data: { node: number }) => `node-sync-${data.node}`;

/** The name of the data key for the names of unmanaged items on a node. */
export function nodeUnmanagedItemsKey(of: number): string {
  return `node:${of}/unmanaged-items`;
}

export const NodeInboundApplied = defineEvent('NodeInboundApplied', {
  summary: 'A node has an inbound in the configuration that the log had at a position.',
  recordedBy: {
    RecordNodeInboundApplied:
      'the node lists the inbound as desired, after it was changed or when its state was unknown',
  },
  data: z.strictObject({
    node,
    inbound,
    tag,
    position: Position.describe('Position of the log whose configuration of the inbound the node has.'),
    digest: z.string().describe('Digest of that configuration.'),
    newClients: z
      .array(ClientNumber)
      .describe('Clients that the node counts from 0 from here on: all growth of their counters is credited.'),
    newInbound: z.boolean().describe('Whether the same applies to the counters of the inbound.'),
  }),
  stream,
});

export const NodeInboundAdopted = defineEvent('NodeInboundAdopted', {
  summary: 'The imported panel managed an inbound on a node. This panel manages it from now on.',
  recordedBy: { ImportPanel: 'the imported database has the inbound on a node, and it was imported unchanged' },
  data: z.strictObject({
    node,
    inbound,
    tag,
  }),
  stream,
});

export const NodeInboundRemoved = defineEvent('NodeInboundRemoved', {
  summary: 'An inbound that was deleted in this panel was removed from its node.',
  recordedBy: { RecordNodeInboundRemoved: 'the node no longer lists the inbound' },
  data: z.strictObject({ node, inbound, tag }),
  stream,
});

export const NodeInboundRejected = defineEvent('NodeInboundRejected', {
  summary: 'A node rejected an inbound. Its other inbounds are not affected.',
  recordedBy: {
    RecordNodeInboundRejected:
      'the node refuses to add, change or remove the inbound; repeated refusals are recorded rarely',
  },
  data: z.strictObject({ node, inbound, reason: textSchema }),
  stream,
});

/** A client that exists only on the node. Its email is personal data. */
const UnmanagedClient = z.strictObject({
  inboundTag: z.string().describe('Tag of its inbound on the node.'),
  email: z.string().describe('Email of the client on the node.'),
});

/** Inbounds and clients that exist only on a node. */
export interface UnmanagedItems {
  readonly inboundTags: readonly string[];
  readonly clients: readonly { readonly inboundTag: string; readonly email: string }[];
  /** Number of items that are not listed. */
  readonly omitted: number;
}

export const NodeUnmanagedItemsFound = defineEvent('NodeUnmanagedItemsFound', {
  summary:
    'The set of inbounds and clients that exist only on the node changed. The panel lists them and does not manage them.',
  recordedBy: { RecordNodeUnmanagedItems: 'the node lists other unmanaged items than before; at most once a minute' },
  data: z.strictObject({
    node,
    inboundTags: z.array(z.string()).describe('Tags of the inbounds, at most 100.'),
    clients: z.array(UnmanagedClient).describe('The clients, at most 100.'),
    omitted: Count.describe('Number of further inbounds and clients.'),
  }),
  stream,
  seal: { clients: { key: (data) => nodeUnmanagedItemsKey(data.node), erased: () => [] } },
});

/** What is unusual about a counter of a node. A usual counter has no mark, which keeps the event small. */
export const CounterMark = oneOf({
  'never-grown': 'its up and down bytes have not grown since the panel reads it',
  'all-time-never-grown': 'its all-time bytes have not grown since the panel reads it; the node may not count them',
  decreased: 'it decreased and has not grown since',
  renamed: 'its client got another email, and it has not decreased since',
});
export type CounterMark = z.infer<typeof CounterMark>;

/** The last recorded value of a counter of a node. */
export interface CounterBaseline {
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  readonly marks: readonly CounterMark[];
  /** Bytes that it had before it decreased; 0 = it is not below that. */
  readonly high: number;
}

/** The marks of a counter that was read for the first time. */
export const untested: readonly CounterMark[] = ['never-grown', 'all-time-never-grown'];

/** The new baseline of a counter. */
const baseline = [
  place('nodeUp', Bytes.describe('Bytes up that the node reported.')),
  place('nodeDown', Bytes.describe('Bytes down that the node reported.')),
  place('nodeAllTime', Bytes.describe('All-time bytes that the node reported; 0 = it does not count them.')),
  place('marks', z.array(CounterMark).describe('What is unusual about the counter; empty = nothing.')),
  place('bytesBeforeDecrease', Bytes.describe('Value before the counter decreased; 0 = it is not below that.')),
] as const;

/** Why the growth of a counter was not credited as reported. */
export const BaselineNote = oneOf({
  first: 'it was read for the first time; nothing was credited',
  decreased: 'it is lower than before; nothing was credited, and no credited bytes are taken back',
  capped: 'it grew by more than the all-time bytes of the node; only these were credited',
  implausible: 'it grew by more than a machine can transfer in that time; nothing was credited',
  doubled: 'it is exactly twice its previous value, but its inbounds did not transfer that much; nothing was credited',
  recovered: 'it had decreased and returned at once to its previous value; only growth beyond that was credited',
  'depleted-on-node': 'the node had disabled the client by its own count, and the panel reset that count',
});
export type BaselineNote = z.infer<typeof BaselineNote>;

const id = z.int().positive();
const credited = [
  place('up', Up.describe('Bytes up that were credited.')),
  place('down', Down.describe('Bytes down that were credited.')),
] as const;

export const NodeTraffic = z
  .strictObject({
    node,
    clients: z
      .array(
        z.tuple([
          place('client', id.meta(ClientNumber.meta() ?? {})),
          ...credited,
          ...baseline,
          place('lastOnlineAt', Time.describe('When the client was last online; 0 = the node does not report it.')),
        ]),
      )
      .describe('Growth and new baselines of the counters of clients.'),
    inbounds: z
      .array(z.tuple([place('inbound', id.meta(InboundId.meta() ?? {})), ...credited, ...baseline]))
      .describe('Growth and new baselines of the counters of inbounds.'),
    anomalies: z
      .array(
        z.tuple([
          place('kind', z.enum(['client', 'inbound']).describe('Whose counter it is.')),
          place('number', id.meta({ unit: 'id', description: 'Number of the client or inbound.' })),
          place('reason', BaselineNote.describe('Why.')),
        ]),
      )
      .describe('Counters whose growth was not credited as reported.'),
  })
  .meta({ typeName: 'NodeTraffic' });
export type NodeTraffic = z.infer<typeof NodeTraffic>;

export const NodeTrafficRecorded = defineEvent('NodeTrafficRecorded', {
  summary: 'The traffic of a node since the previous listing was recorded, with the new baselines of its counters.',
  recordedBy: { RecordNodeTraffic: 'a listing of the node shows growth, new baselines or anomalies' },
  class: 'measured',
  data: NodeTraffic,
  stream,
});

export const NodeSyncFailed = defineEvent('NodeSyncFailed', {
  summary: 'A node responds, but its inbounds could not be read or written several times in a row.',
  recordedBy: {
    RecordNodeSyncFailed:
      'the sync has failed three times in a row or for 20 seconds, and for another reason than recorded',
  },
  class: 'measured',
  data: z.strictObject({ node, reason: textSchema }),
  stream,
});

export const NodeSyncRecovered = defineEvent('NodeSyncRecovered', {
  summary: 'The inbounds of a node can be read and written again.',
  recordedBy: { RecordNodeSyncRecovered: 'the sync has succeeded for a minute after `NodeSyncFailed`' },
  class: 'measured',
  data: z.strictObject({ node }),
  stream,
});

export const NodeCoreRestarted = defineEvent('NodeCoreRestarted', {
  summary:
    'The core of a 3x-ui node was restarted to close connections of clients or inbounds that may no longer connect.',
  recordedBy: { RecordNodeCoreRestarted: 'the node has accepted the restart' },
  data: z.strictObject({
    node,
    clients: z.array(ClientNumber).describe('Clients whose connections were closed.'),
    inbounds: z.array(inbound).describe('Inbounds whose connections were closed.'),
  }),
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
