import { setTimeout as sleep } from 'node:timers/promises';
import { CoreError } from '../../../commands/ports/core.js';
import { message } from '../../../messages/message.js';
import type { CoreApi } from '../control/grpc.js';
import { type Identity, isAlive, refreshed } from './proc.js';
import type { Ending, Started } from './process.js';

/** How long a new core may take to answer, in ms; 40,000 accounts take half a second. */
const START_TIMEOUT_MS = 20_000;

/** Resolves when a core that was just started answers. Rejects with `failure` when it ended, and with 'unreachable' on a timeout. */
export async function waitUntilReady(
  api: CoreApi,
  { core, ended }: Started,
  failure: (ending: Ending) => CoreError,
): Promise<void> {
  let ending: Ending | null = null;
  void ended.then((how) => (ending = how));
  const until = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const up = await respondsOnce(api, 1000);
    // Another process may answer on the socket: the child itself must be alive.
    if (up && isAlive(refreshed(core))) return;
    if (ending !== null || !isAlive(refreshed(core))) throw failure(await ended);
    if (performance.now() > until) throw new CoreError('unreachable', message('core.startedWithoutAnswer'));
    await sleep(20);
  }
}

/** A running core that fails to answer this many requests counts as broken. */
const MAX_REQUESTS = 3;
const REQUEST_TIMEOUT_MS = 4000;
const PAUSE_MS = 1000;

/**
 * Whether a running core still answers. One failed call proves nothing: the core is broken only if its process has ended,
 * or if several requests time out while this process is not busy.
 */
export async function stillResponds(api: CoreApi, core: Identity): Promise<boolean> {
  for (let request = 1; isAlive(core); request += 1) {
    if (await respondsOnce(api, REQUEST_TIMEOUT_MS)) return true;
    if (request === MAX_REQUESTS) return false;
    await sleep(PAUSE_MS);
  }
  return false;
}

/** Whether a core answers one request within `timeoutMs`. Never rejects. */
export function respondsOnce(api: CoreApi, timeoutMs: number): Promise<boolean> {
  return api.call('StatsService/GetSysStats', {}, timeoutMs).then(
    () => true,
    () => false,
  );
}
