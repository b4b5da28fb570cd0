import { setPriority } from 'node:os';
import { copyForMirror } from '../adapters/sqlite/mirror/mirror-copy.js';
import { copyDatabase, type LogCopy } from '../adapters/sqlite/replication/log-copy.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { reducedForLinks } from '../projections/subscription/link-config.js';
import { jobFailure } from '../store/full-disk.js';
import type { Answer, Progress, Request } from './backup-jobs.js';
import { copy, type Follow, type ImportXui, type SnapshotJob, stageState, verify } from './backup-work.js';
import { diff } from './log-diff.js';

// Runs one job. It arrives over the IPC channel, so that a passphrase is neither in the arguments nor in a file.
const LOW_PRIORITY = 10;
process.umask(0o077);
// The parent process has ended.
process.once('disconnect', () => process.exit(1));
process.once('message', (request: Request) => {
  if (request.lowPriority) setPriority(LOW_PRIORITY);
  void answerTo(request).then((answer) => process.send?.(answer, () => process.exit(0)));
});

async function answerTo({ name, job }: Request): Promise<Answer> {
  try {
    switch (name) {
      case 'copy':
        return { ok: true, result: copy(job) };
      case 'snapshot':
        return { ok: true, result: snapshot(job) };
      case 'verify':
        return { ok: true, result: verify(job) };
      case 'stage':
        return { ok: true, result: await stageState(job, importXui, follow) };
      case 'diff':
        return { ok: true, result: diff(job) };
    }
  } catch (error) {
    return {
      ok: false,
      refused: error instanceof RefusedFile,
      text: jobFailure(error),
    };
  }
}

function snapshot({ database, file, mirror }: SnapshotJob): LogCopy {
  return mirror === null ? copyDatabase(database, file) : copyForMirror(database, file, mirror, reducedForLinks);
}

/** Interval in ms between two reports of the same phase. */
const REPORT_MS = 250;
let reported = { phase: '', at: 0 };
const follow: Follow = (progress) => {
  const { phase } = progress;
  const at = Date.now();
  if (phase === reported.phase && at - reported.at < REPORT_MS) return;
  reported = { phase, at };
  const sent: Progress = { progress };
  process.send?.(sent);
};

/** Loaded only when needed, because it loads the adapter of the core. */
const importXui: ImportXui = async (file, directory, options) => {
  const xui = await import('./import-xui.js');
  return xui.importXui(file, directory, options);
};
