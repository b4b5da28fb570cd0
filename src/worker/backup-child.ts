import { setPriority } from 'node:os';
import { RefusedFile } from '../adapters/backup/refused-file.js';
import { ForeignError } from '../commands/ports/foreign-panel.js';
import { jobFailure } from '../store/full-disk.js';
import type { Answer, Request } from './backup-jobs.js';
import { copy, type ImportForeign, stageState, verify } from './backup-work.js';

// One job for the panel that started this process: from its channel alone, so that no passphrase stands anywhere else.
const LOW_PRIORITY = 10;
process.umask(0o077);
// Nobody waits for the result any more.
process.once('disconnect', () => process.exit(1));
process.once('message', (request: Request) => {
  if (request.humble) setPriority(LOW_PRIORITY);
  void answerTo(request).then((answer) => process.send?.(answer, () => process.exit(0)));
});

async function answerTo({ name, job }: Request): Promise<Answer> {
  try {
    switch (name) {
      case 'copy':
        return { ok: true, result: copy(job) };
      case 'verify':
        return { ok: true, result: verify(job) };
      case 'stage':
        return { ok: true, result: await stageState(job, foreign) };
    }
  } catch (error) {
    const refused = error instanceof RefusedFile || error instanceof ForeignError;
    return { ok: false, refused, message: refused ? error.message : jobFailure(error) };
  }
}

/** Loaded by whom it is for: it brings the core with it. */
const foreign: ImportForeign = async (file, directory, options) => {
  const { importForeign } = await import('./import-foreign.js');
  return importForeign(file, directory, options);
};
