import { z } from 'zod';
import { Time } from '../fields.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

const stream = (): string => 'traffic-report';

export const TrafficReportFailed = defineEvent('TrafficReportFailed', {
  summary: 'The traffic receiver has not accepted reports for a while. The panel keeps the sums for later.',
  recordedBy: { RecordTrafficReportFailed: 'reports have failed for a minute; once until the receiver recovers' },
  class: 'measured',
  data: z.strictObject({
    firstFailedAt: Time.describe('When the first report failed.'),
    reason: textSchema.describe('Why the reports failed.'),
  }),
  stream,
});

export const TrafficReportRecovered = defineEvent('TrafficReportRecovered', {
  summary: 'The traffic receiver accepts reports again.',
  recordedBy: { RecordTrafficReportRecovered: 'a report is accepted after `TrafficReportFailed`' },
  class: 'measured',
  data: z.strictObject({ firstFailedAt: Time.describe('When the first report failed.') }),
  stream,
});

export const trafficReportEvents = [TrafficReportFailed, TrafficReportRecovered] as const;
