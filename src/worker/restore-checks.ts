import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { discard } from '../adapters/data-directory/files.js';
import { BackupError, type Replacement } from '../commands/ports/backups.js';
import type { FileToCheck, RestoreCheck, RestoreChecks, RestoreProgress } from '../commands/ports/restore-checks.js';
import type { Actor } from '../events/log/event.js';
import { textOf } from '../messages/error.js';
import { message } from '../messages/message.js';
import { keptIn, privateCopy, unfinishedFile } from '../store/backup-files.js';
import type { PanelBackups, Prepared } from './backups.js';

interface Parts {
  readonly backups: Pick<PanelBackups, 'prepare' | 'commit'>;
  readonly directory: DataDirectory;
  readonly now: () => number;
}

interface Job {
  readonly owner: string;
  check: RestoreCheck;
  prepared: Prepared | null;
  /** Discards a result that is not confirmed. */
  expiry: NodeJS.Timeout | undefined;
}

/** How long an unconfirmed result is kept, in ms. */
const EXPIRES_MS = 30 * 60_000;

const ownerOf = ({ kind, id }: Actor): string => `${kind}/${id}`;

/** The check of a file before a restore, one at a time. Its result is in memory and in a staged directory. */
export class PanelRestoreChecks implements RestoreChecks {
  readonly #parts: Parts;
  #job: Job | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(file: FileToCheck): RestoreCheck {
    if (this.#job && this.#job.check.outcome === null) throw new BackupError('busy', message('BACKUP_BUSY'));
    const { directory, now } = this.#parts;
    const kept = 'kept' in file ? keptIn(directory.backups).find(({ name }) => name === file.kept) : undefined;
    if ('kept' in file && !kept)
      throw new BackupError('refused', message('backup.notKept', { name: file.kept.slice(0, 200) }));
    this.#clear();
    const job: Job = {
      owner: ownerOf(file.requestedBy),
      check: {
        id: randomUUID(),
        name: kept?.name ?? null,
        startedAt: now(),
        // A kept backup is copied before it can wait for another job.
        progress: { phase: kept ? 'reading' : 'waiting', done: 0, total: 0 },
        outcome: null,
      },
      prepared: null,
      expiry: undefined,
    };
    // The upload is deleted after the answer, so it is moved before this call returns.
    const own = 'path' in file ? moved(file.path, directory) : null;
    this.#job = job;
    void this.#run(job, file, own);
    return job.check;
  }

  current(actor: Actor): RestoreCheck | null {
    return this.#job?.owner === ownerOf(actor) ? this.#job.check : null;
  }

  async confirm(id: string, actor: Actor): Promise<Replacement> {
    const job = this.#job;
    if (job?.check.id !== id || job.owner !== ownerOf(actor) || !job.prepared)
      throw new BackupError('refused', message('backup.checkGone'));
    const replacement = await this.#parts.backups.commit(job.prepared, actor);
    clearTimeout(job.expiry);
    this.#job = null;
    return replacement;
  }

  discard(id: string, actor: Actor): void {
    const job = this.#job;
    if (job?.check.id === id && job.owner === ownerOf(actor) && job.check.outcome !== null) this.#clear();
  }

  /** Never rejects: the check holds the error. */
  async #run(job: Job, file: FileToCheck, own: string | null): Promise<void> {
    const { backups } = this.#parts;
    const { passphrase, requestedBy } = file;
    const follow = (progress: RestoreProgress): void => void (job.check = { ...job.check, progress });
    let path = own;
    try {
      path ??= (await this.#copyOf('kept' in file ? file.kept : '')).path;
      const prepared = await backups.prepare({ path, passphrase, requestedBy }, follow);
      job.prepared = prepared;
      job.check = { ...job.check, outcome: { ready: prepared.replacement } };
      job.expiry = setTimeout(() => this.#job === job && this.#clear(), EXPIRES_MS).unref();
    } catch (error) {
      job.check = { ...job.check, outcome: { refused: textOf(error) } };
    } finally {
      if (path !== null) for (const suffix of ['', '-wal', '-shm']) discard(`${path}${suffix}`);
    }
  }

  /** A copy of a kept backup. The message of a failure would name a path of this machine. */
  async #copyOf(name: string): ReturnType<typeof privateCopy> {
    const { directory } = this.#parts;
    return privateCopy(join(directory.backups, name), directory).catch((error: unknown) => {
      if (error instanceof BackupError) throw error;
      throw new BackupError('refused', message('backup.keptUnreadable'), { cause: error });
    });
  }

  #clear(): void {
    clearTimeout(this.#job?.expiry);
    this.#job?.prepared?.discard();
    this.#job = null;
  }
}

function moved(path: string, directory: DataDirectory): string {
  const own = unfinishedFile(directory);
  renameSync(path, own);
  return own;
}
