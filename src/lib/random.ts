import { randomFillSync } from 'node:crypto';

/** Random bytes come from a pool: a system call for each id or nonce costs more than the rest of the work. */
const pool = Buffer.alloc(65_536);
let used = pool.length;
export function random(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return Buffer.from(pool.subarray(used - bytes, used)); // a copy: the pool is filled again
}
