import { setTimeout as sleep } from 'node:timers/promises';
import { CoreError } from '../../../commands/ports/core.js';
import type { CoreApi } from '../control/grpc.js';
import { asItIsNow, type Identity, isAlive } from './proc.js';
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
    const up = await answersOnce(api, 1000);
    // A neighbour's answer proves nothing: the child itself must live.
    if (up && isAlive(asItIsNow(core))) return;
    if (ending !== null || !isAlive(asItIsNow(core))) throw failure(await ended);
    if (performance.now() > until) throw new CoreError('unreachable', 'The core started but does not answer');
    await sleep(20);
  }
}

/** Questions that a running core may leave without an answer before it counts as broken, the patience for each and the pause between them, ms. */
const QUESTIONS = 3;
const QUESTION_MS = 4000;
const PAUSE_MS = 1000;

/**
 * Whether a running core still answers. A call that failed proves nothing: only a process that is gone, or silent to
 * several questions while this process is free to listen, is broken.
 */
export async function stillAnswers(api: CoreApi, core: Identity): Promise<boolean> {
  for (let question = 1; isAlive(core); question += 1) {
    if (await answersOnce(api, QUESTION_MS)) return true;
    if (question === QUESTIONS) return false;
    await sleep(PAUSE_MS);
  }
  return false;
}

/** Whether a core answers one question within `patience` ms. Never rejects. */
export function answersOnce(api: CoreApi, patience: number): Promise<boolean> {
  return api.call('StatsService/GetSysStats', {}, patience).then(
    () => true,
    () => false,
  );
}
