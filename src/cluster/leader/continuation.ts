import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchStream } from '../../commands/ports/cluster.js';
import { align, batchFrom, type ComparedLog } from '../alignment.js';
import { type Common, Diverged } from '../following.js';

/** Pause while a new leader waits for the last events of the stream, in ms. */
const CATCH_UP_MS = 50;

/**
 * Waits until a member with the lease has everything that is in the stream. Resolves to where it continues the stream; null when
 * `renew` says that it has lost the lease. Rejects with `Diverged`.
 */
export async function continuation(
  stream: BatchStream,
  log: ComparedLog,
  renew: () => Promise<boolean>,
): Promise<Common | null> {
  for (;;) {
    const { relation, position, sequence } = await align(stream, log);
    if (relation === 'equal' || relation === 'ahead') {
      const { last } = await stream.ends();
      if (relation === 'ahead' && last > sequence) throw new Diverged(`the stream ends at ${last}, not at ${sequence}`);
      // A former leader may have published between the two answers. Parts of a batch without its end do not count.
      if (last === sequence || (await batchFrom(stream, sequence + 1)) === null) return { position, sequence: last };
    } else if (relation !== 'behind') {
      throw new Diverged(`the log and the stream are ${relation} at position ${position}`);
    }
    await sleep(CATCH_UP_MS);
    if (!(await renew())) return null;
  }
}
