import { z } from 'zod';
import { Time } from './fields.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const stream = (): string => 'traffic-inform';

export const TrafficInformFailed = defineEvent('TrafficInformFailed', {
  summary: 'The traffic receiver has not accepted reports for a while. The panel keeps the sums for later.',
  recordedBy: { RecordTrafficInformFailed: 'reports have failed for a minute; once until the receiver recovers' },
  class: 'measured',
  data: z.strictObject({
    firstFailedAt: Time.describe('When the first report failed.'),
    reason: textSchema.describe('Why the reports failed.'),
  }),
  stream,
});

export const TrafficInformRecovered = defineEvent('TrafficInformRecovered', {
  summary: 'The traffic receiver accepts reports again.',
  recordedBy: { RecordTrafficInformRecovered: 'a report is accepted after `TrafficInformFailed`' },
  class: 'measured',
  data: z.strictObject({ firstFailedAt: Time.describe('When the first report failed.') }),
  stream,
});

export const trafficInformEvents = [TrafficInformFailed, TrafficInformRecovered] as const;
