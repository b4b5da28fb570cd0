import type { Actor } from '../../events/log/event.js';
import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';
import type { ImportReport } from '../import/plan.js';

/** A fresh, consistent copy of the whole state as one file, in a private place of the data directory. */
export interface BackupFile {
  readonly path: string;
  /** The file name to show to people, which includes whether the backup is sealed. */
  readonly name: string;
  readonly bytes: number;
  /** The last event in it. */
  readonly position: number;
  /** The key in it is encrypted with a passphrase, without which its secrets cannot be read. */
  readonly sealed: boolean;
  /** Deletes the file; readers that have it open can continue. Idempotent. */
  remove(): void;
}

/** A verified backup in the data directory. */
export interface KeptBackup {
  /** In ms since 1970. */
  readonly at: number;
  readonly name: string;
  readonly position: number;
  readonly bytes: number;
  readonly sealed: boolean;
}

export interface BackupStatus {
  /** The last attempt; null before the first. `why` is the error; null when the backup was verified. */
  readonly last: { readonly at: number; readonly why: Text | null } | null;
  /** The last backup that was verified: read again, replayed and compared. Null when there is none. */
  readonly lastGood: KeptBackup | null;
  /** When the next one is due, in ms since 1970; null = scheduled backups are off. */
  readonly next: number | null;
  /** The last verified one is older than the schedule allows. */
  readonly late: boolean;
}

/** A file that is to replace the whole state. */
export interface Incoming {
  readonly path: string;
  /** For a sealed backup. */
  readonly passphrase?: string | undefined;
  /** The new log names this actor. */
  readonly requestedBy: Actor;
}

/** The result of a replacement, once the new state is staged and the switch is recorded. */
export interface Replacement {
  readonly kind: 'portolan' | '3x-ui';
  /** SHA-256 of the file in hex. */
  readonly sha256: string;
  /** Of the new log: its identity and its last event. */
  readonly generation: string;
  readonly position: number;
  /** Settings that keep the value of this machine, each with the reason. */
  readonly kept: readonly { readonly key: string; readonly why: Text }[];
  /** The report of the import from another panel; null for a backup of this panel. */
  readonly report: ImportReport | null;
  /** Where the file comes from; null for the database of another panel. */
  readonly origin: BackupOrigin | null;
  readonly contents: StateContents;
}

/** What a backup says of itself. */
interface BackupOrigin {
  /** The identity of the log, and the last event in the backup. */
  readonly generation: string;
  readonly position: number;
  /** When it was made, in ms since 1970, and by which version of the panel. */
  readonly madeAt: number;
  readonly release: string;
}

/** What a state contains. */
export interface StateContents {
  readonly inbounds: number;
  readonly clients: number;
  readonly nodes: number;
  readonly admins: number;
  /** The path at which the panel answers, with a slash at both ends. */
  readonly basePath: string;
}

/** A backup or an import failed, and nothing was changed. */
export class BackupError extends MessageError {
  override readonly name = 'BackupError';
  /** `busy`: another backup, import or restart is in progress. `refused`: the file is not a valid backup or database. */
  readonly kind: 'busy' | 'refused' | 'failed';

  constructor(kind: BackupError['kind'], text: Text, options?: ErrorOptions) {
    super(text, options);
    this.kind = kind;
  }
}

/** Backs up the state of the running panel and replaces it. */
export interface Backups {
  /** Creates a backup. Requests queue for 30 seconds at most. Rejects with `BackupError`. */
  create(): Promise<BackupFile>;
  /** Creates a backup, verifies it and keeps it among the scheduled ones. Rejects with `BackupError`. */
  keep(): Promise<KeptBackup>;
  latest(): BackupStatus;
  /** The kept backups in the data directory, newest first. */
  list(): readonly { readonly name: string; readonly bytes: number; readonly at: number }[];
  /** The path of a kept backup; null for an unknown name. */
  pathOf(name: string): string | null;
  /**
   * Verifies a file, stages its content and records that the next start uses it. The panel then restarts within seconds.
   * Rejects with `BackupError`; then nothing has changed.
   */
  replace(file: Incoming): Promise<Replacement>;
  /** Like `replace`, for a file that is copied and not moved. */
  replaceFrom(path: string, passphrase: string, requestedBy: Actor): Promise<Replacement>;
}
