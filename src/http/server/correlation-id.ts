import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
/** Random bytes for many ids at once: a call for each costs more than the rest of a request that is answered from memory. */
const pool = Buffer.allocUnsafe(256 * ID_BYTES);
let used = pool.length;

/** A UUID v7: names one request in its answer, in the events that it causes and in the logs. */
export function correlationId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return v7({ random: pool.subarray(used - ID_BYTES, used) });
}
