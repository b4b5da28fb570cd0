import { fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { LogCopy } from '../adapters/sqlite/replication/log-copy.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { programFile, programOptions } from '../installation/installation.js';
import { MessageError } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import type { CopyJob, copy, Follow, SnapshotJob, StageJob, stageState, Verified, VerifyJob } from './backup-work.js';
import type { DiffJob, DiffResult } from './log-diff.js';

/** Work on whole logs, outside the process of the panel. Every job rejects with a `MessageError`. */
export interface BackupWork {
  copy(job: CopyJob): Promise<ReturnType<typeof copy>>;
  /** Copies the database of a log for a new member of the cluster; see `copyDatabase`. */
  snapshot(job: SnapshotJob): Promise<LogCopy>;
  verify(job: VerifyJob): Promise<Verified>;
  stage(job: StageJob, follow?: Follow): ReturnType<typeof stageState>;
  /** Ends when `signal` aborts. */
  diff(job: DiffJob, signal: AbortSignal): Promise<DiffResult>;
}

export type Request = { readonly lowPriority: boolean } & (
  | { readonly name: 'copy'; readonly job: CopyJob }
  | { readonly name: 'snapshot'; readonly job: SnapshotJob }
  | { readonly name: 'verify'; readonly job: VerifyJob }
  | { readonly name: 'stage'; readonly job: StageJob }
  | { readonly name: 'diff'; readonly job: DiffJob }
);

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly refused: boolean; readonly text: Text };

/** Sent any number of times before the answer. */
export interface Progress {
  readonly progress: Parameters<Follow>[0];
}

/** How long a job may take, in ms: a full verification of a million events takes a minute. */
const TIMEOUT_MS = 30 * 60_000;
const MIN_HEAP_MB = 512;
const MAX_HEAP_MB = 4096;

/**
 * Runs each job in a separate process with limits on time and memory, so that an untrusted file cannot affect the panel.
 * `lowPriority`: a panel runs on the same machine.
 */
export function childWork({ lowPriority }: { readonly lowPriority: boolean }): BackupWork {
  return {
    copy: (job) => run({ name: 'copy', job, lowPriority }) as ReturnType<BackupWork['copy']>,
    snapshot: (job) => run({ name: 'snapshot', job, lowPriority }) as ReturnType<BackupWork['snapshot']>,
    verify: (job) => run({ name: 'verify', job, lowPriority }) as ReturnType<BackupWork['verify']>,
    stage: (job, follow) => run({ name: 'stage', job, lowPriority }, { follow }) as ReturnType<BackupWork['stage']>,
    diff: (job, signal) => run({ name: 'diff', job, lowPriority }, { signal }) as ReturnType<BackupWork['diff']>,
  };
}

interface Watching {
  readonly follow?: Follow | undefined;
  readonly signal?: AbortSignal;
}

async function run(request: Request, { follow = () => undefined, signal }: Watching = {}): Promise<unknown> {
  signal?.throwIfAborted();
  const memory = Math.floor(Math.min(MAX_HEAP_MB, Math.max(MIN_HEAP_MB, (totalmem() * 3) / 4 / 1_048_576)));
  const child = fork(fileURLToPath(programFile('worker/backup-child')), [], {
    // A log is read page by page, and most objects of a page are short-lived: a large young generation saves copying.
    execArgv: [...programOptions, `--max-old-space-size=${memory}`, '--max-semi-space-size=64'],
    // An untrusted file may compromise this process, so its environment contains no secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, TIMEOUT_MS);
  const abort = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', abort);
  try {
    const answer = await new Promise<Answer | null>((resolve, reject) => {
      let received: Answer | null = null;
      child.on('message', (sent) => {
        const answered = sent as Answer | Progress;
        if ('progress' in answered) follow(answered.progress);
        else received = answered;
      });
      child.once('error', reject);
      child.once('exit', () => resolve(received));
      child.send(request, (error) => (error ? reject(error) : undefined));
    });
    signal?.throwIfAborted();
    if (answer === null)
      throw new MessageError(
        late ? message('backup.timeout', { span: TIMEOUT_MS }) : message('backup.crashed', { mb: memory }),
      );
    if (answer.ok) return answer.result;
    throw answer.refused ? new RefusedFile(answer.text) : new MessageError(answer.text);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    child.kill('SIGKILL');
  }
}
