import { z } from 'zod';
import { Bytes, Count, Down, Position, place, Run, Time, Up } from '../fields.js';
import { ClientNumber, InboundId, NodeId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { NodeTraffic } from '../node/node-sync.js';

const id = z.int().positive();
const client = place('client', id.meta(ClientNumber.meta() ?? {}));
const inbound = place('inbound', id.meta(InboundId.meta() ?? {}));
const outbound = place('tag', z.string().describe('Tag of the outbound.'));
const bytes = [place('up', Up), place('down', Down)] as const;

/** In a sum of many polls, a row of a client also has the time of the last of them. */
const ClientBytes = z.union([
  z.tuple([client, ...bytes]),
  z.tuple([
    client,
    ...bytes,
    place('lastPollAt', Time.describe('Only in a sum of many polls: time of the last of them.')),
  ]),
]);

export const TrafficSum = z
  .strictObject({
    run: Run,
    clients: z.array(ClientBytes).describe('Growth of the counters of clients.'),
    inbounds: z.array(z.tuple([inbound, ...bytes])).describe('Growth of the counters of inbounds.'),
    outbounds: z.array(z.tuple([outbound, ...bytes])).describe('Growth of the counters of outbounds.'),
  })
  .meta({ typeName: 'TrafficSum' });
export type TrafficSum = z.infer<typeof TrafficSum>;

export const TrafficRecorded = defineEvent('TrafficRecorded', {
  summary: 'The traffic of the core since the previous poll was recorded. Counters that did not grow are omitted.',
  recordedBy: {
    RecordTraffic:
      'a poll of the core (`pollSeconds`), or a reading before a command that changes counters, finds growth',
  },
  class: 'measured',
  data: TrafficSum,
  stream: () => 'traffic',
});

export const InboundCountersReleased = defineEvent('InboundCountersReleased', {
  summary:
    'The core stopped counting an inbound under its tag. Later growth of the counter with this tag belongs to the next inbound with this tag.',
  recordedBy: { RecordTraffic: 'an inbound was removed or got another tag, and the core no longer runs it' },
  data: z.strictObject({
    run: Run,
    counters: z
      .array(
        z.tuple([
          place('tag', z.string().describe('Tag of the inbound.')),
          place('up', Up.describe('Value of the counter of bytes up.')),
          place('down', Down.describe('Value of the counter of bytes down.')),
        ]),
      )
      .describe('Values of the counters. All of their growth is recorded.'),
  }),
  stream: () => 'traffic',
});

export const OutboundTrafficReset = defineEvent('OutboundTrafficReset', {
  summary: 'The counters of an outbound were set to 0.',
  recordedBy: { ResetOutboundTraffic: 'an admin resets the traffic of one or all outbounds' },
  data: z.strictObject({
    tag: z.string().describe('Tag of the outbound.'),
    up: Up.describe('Bytes up before the reset.'),
    down: Down.describe('Bytes down before the reset.'),
  }),
  stream: () => 'traffic',
});

export const RecountRule = z
  .strictObject({
    from: Time.optional().describe('First time of the period; absent = from the beginning.'),
    to: Time.optional().describe('End of the period, exclusive; absent = open.'),
    node: NodeId.nullable()
      .optional()
      .describe('The node that measured it; null = the core of this panel; absent = any.'),
    moreThan: Bytes.optional().describe(
      'Only growth of a client in one measurement, up plus down, above this; absent = any.',
    ),
    count: z
      .number()
      .min(0)
      .max(100)
      .meta({ unit: 'factor', description: 'The matching growth is multiplied by this; 0 = it is not counted.' }),
  })
  .meta({
    typeName: 'RecountRule',
    description: 'Which growth of counters is counted differently. The first match applies.',
  });
export type RecountRule = z.infer<typeof RecountRule>;

export const TrafficRecounted = defineEvent('TrafficRecounted', {
  summary: 'The measurements of clients were counted again under other rules. The adjusted counters follow.',
  recordedBy: { RecountTraffic: 'the operator applies a recount; the counters of at least one client change' },
  data: z.strictObject({
    rules: z.array(RecountRule).describe('The rules, in order.'),
    position: Position.describe('Position of the last measurement that was counted.'),
    clients: Count.describe('Number of emails whose counters change.'),
  }),
  stream: () => 'traffic',
});

const endOf = Position.min(1).describe('Position of the last event in the sum.');

export const MeasurementsRolledUp = defineEvent('MeasurementsRolledUp', {
  summary:
    'The measurements of a range of the log were summed up and their payloads removed. Their positions and hashes stay in the log.',
  recordedBy: { RecordRollUp: 'measurements are older than `measuredRetentionHours`; checked once an hour' },
  data: z.strictObject({
    fromPosition: Position.min(1).describe('First position of the range.'),
    toPosition: Position.min(1).describe('Last position of the range.'),
    firstAt: Time.describe('Time of the first event in the range.'),
    lastAt: Time.describe('Latest time in the range, except those after `skewedAfterAt`.'),
    skewedAfterAt: Time.optional().describe(
      'Events in the range that are later than this time are from a clock that was ahead; absent = there are none.',
    ),
    digest: z.string().meta({
      unit: 'hex',
      description: 'SHA-256 over the payload hashes of the removed payloads, in order of their positions.',
    }),
    prunedCount: Count.describe('Number of payloads that were removed.'),
    sums: z
      .array(z.strictObject({ position: endOf, sum: TrafficSum.describe('The traffic since the previous sum.') }))
      .describe('Sums of `TrafficRecorded`. A reader of the log gets them in place of the removed events.'),
    nodeSums: z
      .array(z.strictObject({ position: endOf, sum: NodeTraffic.describe('The traffic since the previous sum.') }))
      .describe('Sums of `NodeTrafficRecorded`, one series for each node.'),
  }),
  stream: () => 'log',
});

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

/** Whether a roll-up may have pruned a measurement of this time. Folds forget it then, so that a replay gives the same state. */
export const mayBePruned = ({ lastAt, skewedAfterAt = Number.POSITIVE_INFINITY }: RollUp, at: number): boolean =>
  at <= lastAt || at > skewedAfterAt;

export const trafficEvents = [
  TrafficRecorded,
  InboundCountersReleased,
  OutboundTrafficReset,
  MeasurementsRolledUp,
  TrafficRecounted,
] as const;
