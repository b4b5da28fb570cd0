import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
import { RefusedFile } from '../commands/ports/refused-file.js';
import { Rejection } from '../commands/rejection.js';
import type { Actor } from '../events/log/event.js';
import { stateDigest } from '../events/log/fold.js';
import type { Folding } from '../events/log/replay.js';
import { message } from '../messages/message.js';
import type { ReadModels } from '../projections/read-models.js';
import { backupName, keptIn, privateCopy, unfinishedFile } from '../store/backup-files.js';
import { backupStatus } from '../store/backup-status.js';
import { jobFailure } from '../store/full-disk.js';
import { stage, switchTo } from '../store/generations.js';
import type { BackupWork } from './backup-jobs.js';
import type { Digests } from './backup-work.js';
import { Queue } from './queue.js';
import type { CorePlace } from './xui-template.js';

/** The parts of the running panel that backups use. */
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
  /** Ends the process soon, so that the next one uses the staged state. Null: there is no launcher to start it. */
  readonly switchOver: (() => void) | null;
  /** The path of the core of this machine. */
  readonly corePlace: () => CorePlace;
  /** Whether the servers or the process are restarting. */
  readonly restarting: () => boolean;
  readonly warn: (message: string, fields?: object) => void;
}

/** Attempts to verify a backup: data that was destroyed meanwhile cannot be compared. */
const MAX_ATTEMPTS = 3;
/** How long a backup or a replacement waits in the queue, in ms. */
const QUEUE_TIMEOUT_MS = 30_000;

/**
 * Backs up the state of a running panel and replaces it, one job at a time. Backups queue; while the state is being
 * replaced, nothing else starts.
 */
export class PanelBackups implements Backups {
  readonly #parts: BackupsParts;
  readonly #queue = new Queue(QUEUE_TIMEOUT_MS);
  #replacing = false;
  #keeping = false;

  constructor(parts: BackupsParts) {
    this.#parts = parts;
  }

  async create(): Promise<BackupFile> {
    if (this.#replacing) throw busy();
    return this.#enqueue(() => this.#create());
  }

  async keep(): Promise<KeptBackup> {
    if (this.#keeping) throw busy();
    this.#keeping = true;
    try {
      return await this.#keep();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== 'busy') this.#record({ type: 'RecordBackupFailed', data: { reason: failure.text } });
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
      return await this.#enqueue(() => this.#replace(incoming));
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
    for (let attempt = 1; ; attempt += 1) {
      const at = panel.now();
      const digests = await this.#digests();
      const file = await this.create();
      try {
        const passphrase = panel.read.settings.secrets().backupPassphrase;
        const { compared, overtaken } = await work.verify({ file: file.path, passphrase, digests });
        if (overtaken && attempt < MAX_ATTEMPTS) continue;
        const { name, position, bytes, sealed } = file;
        this.#retain(file);
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

  /** The digest of each fold at its position. Between two folds the event loop can do other work. */
  async #digests(): Promise<Digests> {
    const digests: Record<string, Digests[string]> = {};
    for (const { fold, state, position } of this.#parts.panel.foldings) {
      digests[fold.name] = { position, digest: stateDigest(fold, state) };
      await nextTurn();
    }
    return digests;
  }

  /** Moves a backup to those that are kept, and deletes the oldest ones beyond the limit. */
  #retain({ path, name }: BackupFile): void {
    const { directory, read } = this.#parts.panel;
    renameSync(path, join(directory.backups, name));
    flush(directory.backups);
    const keep = Math.max(1, read.settings.current().backupKeep);
    for (const old of keptIn(directory.backups).slice(keep)) rmSync(join(directory.backups, old.name), { force: true });
  }

  async #replace({ path, passphrase = '', requestedBy }: Incoming): Promise<Replacement> {
    const { panel, work, switchOver, warn, restarting } = this.#parts;
    const { directory, read, now } = panel;
    if (switchOver === null) throw new BackupError('failed', message('backup.noLauncher'));
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
      const code = kind === 'portolan' ? 'backup.replacedByBackup' : 'backup.replacedByPanel';
      switchTo(directory, staged, message(code, { sha256 }));
      this.#record(
        { type: 'RecordStateReplaced', data: { source: kind, sha256, newGeneration: generation } },
        requestedBy,
      );
      panel.markReplaced();
      warn('the state is replaced: the panel restarts', { kind, sha256, generation });
      switchOver();
      return replacement;
    } catch (error) {
      staged.discard();
      throw error;
    }
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
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

const busy = (): BackupError => new BackupError('busy', message('BACKUP_BUSY'));

function failureOf(error: unknown): BackupError {
  if (error instanceof BackupError) return error;
  if (error instanceof RefusedFile) return new BackupError('refused', error.text, { cause: error });
  return new BackupError('failed', jobFailure(error), { cause: error });
}
