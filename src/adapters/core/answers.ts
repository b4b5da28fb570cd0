import { setTimeout as sleep } from 'node:timers/promises';
import { CoreError } from '../../commands/ports/core.js';
import type { CoreApi } from './grpc.js';
import { asItIsNow, isAlive } from './proc.js';
import type { Ending, Started } from './process.js';

/** How long a new core may take to answer, in ms: 40,000 accounts take half a second. */
const PATIENCE_MS = 20_000;

/** Resolves when a core that was just started answers. Rejects with `failure` when it ended, with 'unreachable' when it does neither. */
export async function answers(
  api: CoreApi,
  { core, ended }: Started,
  failure: (ending: Ending) => CoreError,
): Promise<void> {
  let ending: Ending | null = null;
  void ended.then((how) => (ending = how));
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const up = await api.call('StatsService/GetSysStats', {}, 1000).then(
      () => true,
      () => false,
    );
    // A neighbour's answer proves nothing: the child itself must live.
    if (up && isAlive(asItIsNow(core))) return;
    if (ending !== null || !isAlive(asItIsNow(core))) throw failure(await ended);
    if (performance.now() > until) throw new CoreError('unreachable', 'The core started but does not answer');
    await sleep(20);
  }
}
