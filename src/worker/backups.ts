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
import type { Settings } from '../events/settings/settings.js';
import { sameJson } from '../lib/json.js';
import { message } from '../messages/message.js';
import type { ReadModels } from '../projections/read-models.js';
import { backupName, keptIn, privateCopy, unfinishedFile } from '../store/backup-files.js';
import { backupStatus } from '../store/backup-status.js';
import { jobFailure } from '../store/full-disk.js';
import { type Staged, stage, switchTo } from '../store/generations.js';
import type { BackupWork } from './backup-jobs.js';
import type { Digests, Follow } from './backup-work.js';
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
  /** A member of a cluster has the state of the cluster, which no file can replace. */
  readonly inCluster: boolean;
  /** The path of the core of this machine. */
  readonly corePlace: () => CorePlace;
  /** Whether the servers or the process are restarting. */
  readonly restarting: () => boolean;
  readonly warn: (message: string, fields?: object) => void;
}

/** A state that is ready to replace the current one. */
export interface Prepared {
  readonly replacement: Replacement;
  readonly staged: Staged;
  /** The settings of the panel when it was prepared. */
  readonly host: Settings;
  /** Deletes it, unless it has replaced the state. */
  discard(): void;
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

  pathOf(name: string): string | null {
    const { backups } = this.#parts.panel.directory;
    return keptIn(backups).some((kept) => kept.name === name) ? join(backups, name) : null;
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

  /** Checks a file and prepares its state beside the current one, which does not change. Rejects with `BackupError`. */
  async prepare(incoming: Incoming, follow?: Follow): Promise<Prepared> {
    if (this.#replacing) throw busy();
    const sealed = this.#parts.panel.read.settings.secrets().backupPassphrase;
    const passphrase = incoming.passphrase || sealed;
    return this.#enqueue(() => this.#prepare({ ...incoming, passphrase }, follow));
  }

  /** Replaces the state by a prepared one. Rejects with `BackupError`; then nothing has changed. */
  async commit(prepared: Prepared, requestedBy: Actor): Promise<Replacement> {
    if (this.#replacing) throw busy();
    this.#replacing = true;
    try {
      return await this.#enqueue(async () => {
        // The new state has the addresses of this machine as they were at the check.
        if (!sameJson(prepared.host, this.#parts.panel.read.settings.current()))
          throw new BackupError('refused', message('backup.settingsChanged'));
        return this.#switch(prepared, requestedBy);
      });
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

  async #replace(incoming: Incoming): Promise<Replacement> {
    this.#assertLauncher();
    const prepared = await this.#prepare(incoming);
    try {
      return this.#switch(prepared, incoming.requestedBy);
    } catch (error) {
      prepared.discard();
      throw error;
    }
  }

  async #prepare({ path, passphrase = '', requestedBy }: Incoming, follow?: Follow): Promise<Prepared> {
    const { panel, work, corePlace } = this.#parts;
    const staged = stage(panel.directory);
    const host = panel.read.settings.current();
    try {
      const { root } = staged.directory;
      const job = { file: path, passphrase, root, requestedBy, now: panel.now(), host, core: corePlace() };
      const replacement = await work.stage(job, follow);
      return { replacement, staged, host, discard: () => staged.discard() };
    } catch (error) {
      staged.discard();
      throw error;
    }
  }

  #switch({ replacement, staged }: Prepared, requestedBy: Actor): Replacement {
    const { panel, warn, restarting } = this.#parts;
    const switchOver = this.#assertLauncher();
    if (restarting()) throw busy();
    const { kind, sha256, generation } = replacement;
    const code = kind === 'portolan' ? 'backup.replacedByBackup' : 'backup.replacedByPanel';
    switchTo(panel.directory, staged, message(code, { sha256 }));
    this.#record(
      { type: 'RecordStateReplaced', data: { source: kind, sha256, newGeneration: generation } },
      requestedBy,
    );
    panel.markReplaced();
    warn('the state is replaced: the panel restarts', { kind, sha256, generation });
    switchOver();
    return replacement;
  }

  #assertLauncher(): () => void {
    const { switchOver, inCluster } = this.#parts;
    if (inCluster) throw new BackupError('failed', message('backup.inCluster'));
    if (switchOver === null) throw new BackupError('failed', message('backup.noLauncher'));
    return switchOver;
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
