import { fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { RefusedFile } from '../adapters/backup/refused-file.js';
import type { CopyJob, copy, StageJob, stageState, Verified, VerifyJob } from './backup-work.js';

/** What is done with whole logs, away from the loop of the panel. All of it rejects with a sentence. */
export interface BackupWork {
  copy(job: CopyJob): Promise<ReturnType<typeof copy>>;
  verify(job: VerifyJob): Promise<Verified>;
  stage(job: StageJob): ReturnType<typeof stageState>;
}

export type Request = { readonly humble: boolean } & (
  | { readonly name: 'copy'; readonly job: CopyJob }
  | { readonly name: 'verify'; readonly job: VerifyJob }
  | { readonly name: 'stage'; readonly job: StageJob }
);

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly refused: boolean; readonly message: string };

/** How long a job may take, in ms: a full verification of a million events takes a minute. */
const PATIENCE_MS = 30 * 60_000;
const LEAST_MB = 512;
const MOST_MB = 4096;

/**
 * Each job in a process of its own, with limits: what a stranger's file does there is over with it. `humble`: beside a
 * panel that has more urgent things to do.
 */
export function childWork({ humble }: { readonly humble: boolean }): BackupWork {
  return {
    copy: (job) => run({ name: 'copy', job, humble }) as ReturnType<BackupWork['copy']>,
    verify: (job) => run({ name: 'verify', job, humble }) as ReturnType<BackupWork['verify']>,
    stage: (job) => run({ name: 'stage', job, humble }) as ReturnType<BackupWork['stage']>,
  };
}

async function run(request: Request): Promise<unknown> {
  const memory = Math.floor(Math.min(MOST_MB, Math.max(LEAST_MB, (totalmem() * 3) / 4 / 1_048_576)));
  const child = fork(fileURLToPath(new URL('./backup-child.js', import.meta.url)), [], {
    // A log is read page by page, and most of what is made of a page is thrown away: young garbage should stay young.
    execArgv: [`--max-old-space-size=${memory}`, '--max-semi-space-size=64'],
    // What stands in the environment of the panel is not for whoever breaks into this one.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, PATIENCE_MS);
  try {
    const answer = await new Promise<Answer | null>((resolve, reject) => {
      let told: Answer | null = null;
      child.once('message', (message) => {
        told = message as Answer;
      });
      child.once('error', reject);
      child.once('exit', () => resolve(told));
      child.send(request, (error) => (error ? reject(error) : undefined));
    });
    if (answer === null)
      throw new Error(
        late
          ? `It took longer than ${Math.round(PATIENCE_MS / 60_000)} minutes and was given up`
          : `It ended in the middle; it may need more memory than ${memory} MB`,
      );
    if (answer.ok) return answer.result;
    throw answer.refused ? new RefusedFile(answer.message) : new Error(answer.message);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}
