import { v7 } from 'uuid';
import { random } from '../../lib/random.js';

/** A UUID v7: names one request in its answer, in the events that it causes and in the logs. */
export function correlationId(): string {
  return v7({ random: random(16) });
}
