import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith, terminate } from '../adapters/core/process/proc.js';

/** How long the threads of a killed process may take to end, in ms. */
const RELEASE_MS = 5000;

/** The path of the program, without the extension. */
export const PROGRAM = 'followers/follower';

/**
 * Ends the followers of a panel that was killed. They end by themselves, but not while they are stopped, and until then they
 * hold the port of the subscription server. The caller must hold the lock of the data directory.
 */
export async function endOrphans(database: string): Promise<void> {
  const orphans = processesWith((args) => args.includes(database) && args.some((arg) => arg.includes(PROGRAM)));
  await Promise.all(orphans.map((orphan) => terminate(orphan, 0)));
  const until = performance.now() + RELEASE_MS;
  while (orphans.some(({ pid }) => hasThreads(pid)) && performance.now() < until) await sleep(5);
}

/** The threads of a process may end after it, and with the last one its sockets. */
function hasThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}
