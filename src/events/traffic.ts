import { z } from 'zod';
import { Bytes, Time } from './ids.js';
import { defineEvent } from './log/event.js';
import { NodeTraffic } from './node/node-sync.js';

/** `[client number, up, down]`, and in a sum of many polls the time of the last of them. */
const ClientBytes = z.union([
  z.tuple([z.int().positive(), Bytes, Bytes]),
  z.tuple([z.int().positive(), Bytes, Bytes, Time]),
]);
/** `[inbound id, up, down]` */
const InboundBytes = z.tuple([z.int().positive(), Bytes, Bytes]);
/** `[outbound tag, up, down]` */
const OutboundBytes = z.tuple([z.string(), Bytes, Bytes]);

export const TrafficSum = z.strictObject({
  /** The run of the core that counted: its counters start at zero, so the sum over a run is the counter's value. */
  run: z.string(),
  clients: z.array(ClientBytes),
  inbounds: z.array(InboundBytes),
  outbounds: z.array(OutboundBytes),
});
export type TrafficSum = z.infer<typeof TrafficSum>;

export const TrafficRecorded = defineEvent('TrafficRecorded', {
  summary:
    'The bytes that the counters of the core grew by since the previous poll were recorded. Unchanged counters are omitted.',
  class: 'measured',
  data: TrafficSum,
  stream: () => 'traffic',
});

export const InboundCountersReleased = defineEvent('InboundCountersReleased', {
  summary:
    'The core stopped counting an inbound under its tag. Later growth of that counter belongs to the next inbound with the tag.',
  data: z.strictObject({
    run: z.string(),
    /** `[tag, up, down]`: where the counter stood. All of it was recorded before. */
    counters: z.array(z.tuple([z.string(), Bytes, Bytes])),
  }),
  stream: () => 'traffic',
});

export const OutboundTrafficReset = defineEvent('OutboundTrafficReset', {
  summary: 'The counters of one outbound were set to zero.',
  data: z.strictObject({ tag: z.string(), up: Bytes, down: Bytes }),
  stream: () => 'traffic',
});

export const MeasurementsRolledUp = defineEvent('MeasurementsRolledUp', {
  summary: 'The measured events of a range were summed up and their payloads removed. Rows, hashes and the chain stay.',
  data: z.strictObject({
    fromPosition: z.int().positive(),
    toPosition: z.int().positive(),
    /** Time of the first event of the range, and the latest time in it. */
    firstAt: Time,
    lastAt: Time,
    /** There where the range has events of a clock that was ahead: their times are later than this one, and not in `toTime`. */
    skewedAfterAt: Time.optional(),
    /** SHA-256 over the payload hashes of the pruned events, in order, hex. */
    digest: z.string(),
    prunedCount: z.int().nonnegative(),
    /** Sums of TrafficRecorded between events that would not commute with them. A reader meets each at `at`. */
    sums: z.array(z.strictObject({ position: z.int().positive(), sum: TrafficSum })),
    /** The same of NodeTrafficRecorded. */
    nodeSums: z.array(z.strictObject({ position: z.int().positive(), sum: NodeTraffic })),
  }),
  stream: () => 'log',
});

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

/** Whether a roll-up may have pruned what was measured at a time. A fold forgets it then, so that a replay agrees. */
export const mayBePruned = (
  { lastAt: toTime, skewedAfterAt: aheadOf = Number.POSITIVE_INFINITY }: RollUp,
  at: number,
): boolean => at <= toTime || at > aheadOf;

export const trafficEvents = [
  TrafficRecorded,
  InboundCountersReleased,
  OutboundTrafficReset,
  MeasurementsRolledUp,
] as const;
