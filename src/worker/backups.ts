import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { RefusedFile } from '../adapters/backup/refused-file.js';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { discard, flush } from '../adapters/data-directory/files.js';
import { asSystem, type Dispatch } from '../commands/bus.js';
import {
  BackupError,
  type BackupFile,
  type BackupStatus,
  type Backups,
  type Incoming,
  type KeptBackup,
  type Replacement,
} from '../commands/ports/backups.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Actor } from '../events/log/event.js';
import { stateDigest } from '../events/log/fold.js';
import type { Folding } from '../events/log/replay.js';
import { Queue } from '../lib/queue.js';
import type { ReadModels } from '../projections/read-models.js';
import { backupName, keptIn, privateCopy, unfinishedFile } from '../store/backup-files.js';
import { backupStatus } from '../store/backup-status.js';
import { jobFailure } from '../store/full-disk.js';
import { stage, switchTo } from '../store/generations.js';
import type { BackupWork } from './backup-jobs.js';
import type { Digests } from './backup-work.js';
import type { CorePlace } from './foreign-template.js';

/** The running panel, as far as its backups need it. */
interface BackupsPanel {
  readonly read: ReadModels;
  readonly dispatch: Dispatch;
  readonly foldings: readonly Folding[];
  readonly directory: DataDirectory;
  readonly now: () => number;
  readonly markReplaced: () => void;
}

interface BackupsParts {
  readonly panel: BackupsPanel;
  readonly work: BackupWork;
  /** The version of the panel. */
  readonly release: string;
  /** Ends the process soon, so that the next one serves what is staged. Null: nobody would start it again. */
  readonly switchOver: (() => void) | null;
  /** Where the core of this machine is. */
  readonly corePlace: () => CorePlace;
  /** Whether a restart, of the servers or of the process, is under way. */
  readonly restarting: () => boolean;
  readonly warn: (message: string, fields?: object) => void;
}

/** What the log destroyed while a backup was made cannot be compared with what was there before: so often it is made again. */
const TRIES = 3;
/** How long a copy, or a replacement, waits for those before it; in ms. */
const PATIENCE_MS = 30_000;

/**
 * Copies of the state of a running panel, and the way of another state into it. One at a time: copies queue behind one
 * another, and where the state is to be replaced nothing else begins.
 */
export class PanelBackups implements Backups {
  readonly #parts: BackupsParts;
  readonly #queue = new Queue(PATIENCE_MS);
  #replacing = false;
  #keeping = false;

  constructor(parts: BackupsParts) {
    this.#parts = parts;
  }

  async create(): Promise<BackupFile> {
    if (this.#replacing) throw busy();
    return this.#inTurn(() => this.#create());
  }

  async keep(): Promise<KeptBackup> {
    if (this.#keeping) throw busy();
    this.#keeping = true;
    try {
      return await this.#keep();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'busy') this.#record({ type: 'RecordBackupFailed', data: { reason: failure.message } });
      throw failure;
    } finally {
      this.#keeping = false;
    }
  }

  latest(): BackupStatus {
    const { read, now } = this.#parts.panel;
    return backupStatus(read.records.backups(), read.settings.current(), now());
  }

  list(): ReturnType<Backups['list']> {
    const { backups } = this.#parts.panel.directory;
    return keptIn(backups);
  }

  async replace(incoming: Incoming): Promise<Replacement> {
    if (this.#replacing) throw busy();
    this.#replacing = true;
    try {
      return await this.#inTurn(() => this.#replace(incoming));
    } finally {
      this.#replacing = false;
    }
  }

  async replaceFrom(path: string, passphrase: string, requestedBy: Actor): Promise<Replacement> {
    const own = await privateCopy(path, this.#parts.panel.directory).catch((error: unknown) => {
      throw failureOf(error);
    });
    try {
      return await this.replace({ path: own.path, passphrase, requestedBy });
    } finally {
      own.remove();
    }
  }

  async #create(): Promise<BackupFile> {
    const { panel, work, release } = this.#parts;
    const { directory, read, now } = panel;
    const path = unfinishedFile(directory);
    const at = now();
    const { bytes, position, sealed } = await work.copy({
      root: directory.root,
      file: path,
      passphrase: read.settings.secrets().backupPassphrase,
      release,
      now: at,
    });
    const name = backupName(at, position, sealed);
    return { path, name, bytes, position, sealed, remove: () => discard(path) };
  }

  async #keep(): Promise<KeptBackup> {
    const { panel, work } = this.#parts;
    for (let tried = 1; ; tried += 1) {
      const at = panel.now();
      const digests = await this.#digests();
      const file = await this.create();
      try {
        const passphrase = panel.read.settings.secrets().backupPassphrase;
        const { compared, overtaken } = await work.verify({ file: file.path, passphrase, digests });
        if (overtaken && tried < TRIES) continue;
        const { name, position, bytes, sealed } = file;
        this.#shelve(file);
        this.#record({
          type: 'RecordBackupVerified',
          data: { name, position, bytes, encrypted: sealed, createdAt: at, comparedModels: compared },
        });
        return { at, name, position, bytes, sealed };
      } finally {
        file.remove();
      }
    }
  }

  /** One fold after the other, with a pause for the loop between them; each at the position that it has. */
  async #digests(): Promise<Digests> {
    const digests: Record<string, Digests[string]> = {};
    for (const { fold, state, position } of this.#parts.panel.foldings) {
      digests[fold.name] = { position, digest: stateDigest(fold, state) };
      await breathe();
    }
    return digests;
  }

  /** Puts it among those that are kept, and takes away the oldest that are too many. */
  #shelve({ path, name }: BackupFile): void {
    const { directory, read } = this.#parts.panel;
    renameSync(path, join(directory.backups, name));
    flush(directory.backups);
    const keep = Math.max(1, read.settings.current().backupKeep);
    for (const old of keptIn(directory.backups).slice(keep)) rmSync(join(directory.backups, old.name), { force: true });
  }

  async #replace({ path, passphrase = '', requestedBy }: Incoming): Promise<Replacement> {
    const { panel, work, switchOver, warn, restarting } = this.#parts;
    const { directory, read, now } = panel;
    if (switchOver === null)
      throw new BackupError('failed', 'This panel cannot start anew: start it with `npm start` or `portolan serve`');
    const staged = stage(directory);
    try {
      const replacement = await work.stage({
        file: path,
        passphrase,
        root: staged.directory.root,
        requestedBy,
        now: now(),
        host: read.settings.current(),
        core: this.#parts.corePlace(),
      });
      if (restarting()) throw busy();
      const { kind, sha256, generation } = replacement;
      const what = kind === 'portolan' ? 'a backup' : 'a database of 3x-ui';
      switchTo(directory, staged, `${what} (SHA-256 ${sha256}) takes the place of the state`);
      this.#record(
        { type: 'RecordStateReplaced', data: { source: kind, sha256, newGeneration: generation } },
        requestedBy,
      );
      panel.markReplaced();
      warn('the state is replaced: the panel starts anew', { kind, sha256, generation });
      switchOver();
      return replacement;
    } catch (error) {
      staged.discard();
      throw error;
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { restarting } = this.#parts;
    const begin = (): Promise<T> => (restarting() ? Promise.reject(busy()) : work());
    if (restarting()) throw busy();
    try {
      return await this.#queue.run(begin, busy);
    } catch (error) {
      throw failureOf(error);
    }
  }

  #record(command: Parameters<Dispatch>[0], actor = asSystem('backup').actor): void {
    const done = this.#parts.panel.dispatch(command, { ...asSystem('backup'), actor });
    if (done instanceof Rejection) this.#parts.warn(`${command.type} was refused`, { reason: done.message });
  }
}

const busy = (): BackupError => new BackupError('busy', reject('BACKUP_BUSY').message);

function failureOf(error: unknown): BackupError {
  if (error instanceof BackupError) return error;
  if (error instanceof RefusedFile) return new BackupError('refused', error.message, { cause: error });
  return new BackupError('failed', jobFailure(error), { cause: error });
}
