import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith, terminate } from '../adapters/core/process/proc.js';

/** How long a port may stay in use after the last process that had it, in ms. */
const RELEASE_MS = 5000;

/** The path of the program, without the extension. */
export const PROGRAM = 'followers/follower';

/**
 * Ends the followers of a panel that was killed. They end by themselves, but not while they are stopped, and until then they
 * hold the port of the subscription server. The caller must hold the lock of the data directory. Resolves to whether there
 * were any and `isFree` became true; a socket may be released shortly after its process.
 */
export async function endOrphans(database: string, isFree: () => Promise<boolean>): Promise<boolean> {
  const orphans = processesWith((args) => args.includes(database) && args.some((arg) => arg.includes(PROGRAM)));
  if (orphans.length === 0) return false;
  await Promise.all(orphans.map((orphan) => terminate(orphan, 0)));
  const until = performance.now() + RELEASE_MS;
  while (performance.now() < until) {
    if (await isFree()) return true;
    await sleep(10);
  }
  return false;
}
