import { z } from 'zod';
import { Time } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = (): string => 'traffic-inform';

export const TrafficInformFailed = defineEvent('TrafficInformFailed', {
  summary: 'The receiver of traffic figures has not taken any for a while; what it does not get is kept as sums.',
  class: 'measured',
  data: z.strictObject({ firstFailedAt: Time, reason: z.string() }),
  stream,
});

export const TrafficInformRecovered = defineEvent('TrafficInformRecovered', {
  summary: 'The receiver of traffic figures takes them again.',
  class: 'measured',
  data: z.strictObject({ /** When it had begun to fail. */ firstFailedAt: Time }),
  stream,
});

export const trafficInformEvents = [TrafficInformFailed, TrafficInformRecovered] as const;
