import { z } from 'zod';
import { Time } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = (): string => 'traffic-inform';

export const TrafficInformFailed = defineEvent('TrafficInformFailed', {
  summary: 'The traffic receiver has not accepted reports for a while. The panel keeps the sums for later.',
  class: 'measured',
  data: z.strictObject({ firstFailedAt: Time, reason: z.string() }),
  stream,
});

export const TrafficInformRecovered = defineEvent('TrafficInformRecovered', {
  summary: 'The traffic receiver accepts reports again.',
  class: 'measured',
  data: z.strictObject({ /** When it had begun to fail. */ firstFailedAt: Time }),
  stream,
});

export const trafficInformEvents = [TrafficInformFailed, TrafficInformRecovered] as const;
