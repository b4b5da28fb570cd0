import type { Actor } from '../../events/log/event.js';

/** A fresh, consistent copy of the whole state as one file, in a private place of the data directory. */
export interface BackupFile {
  readonly path: string;
  /** What it should be called where people see it; it says whether the file is sealed. */
  readonly name: string;
  readonly bytes: number;
  /** The last event in it. */
  readonly position: number;
  /** The key in it is wrapped by a passphrase: without that nothing secret in it can be read. */
  readonly sealed: boolean;
  /** Deletes the file; readers that have it open can continue. Idempotent. */
  remove(): void;
}

/** A backup that was kept in the data directory, and what was found when it was read again. */
export interface KeptBackup {
  /** When it was made, in ms since 1970. */
  readonly at: number;
  readonly name: string;
  readonly position: number;
  readonly bytes: number;
  readonly sealed: boolean;
}

export interface BackupStatus {
  /** The last attempt; null before the first. `why` is null when it was read again and found good. */
  readonly last: { readonly at: number; readonly why: string | null } | null;
  /** The last one that was read again, replayed, and found good; null when there is none. */
  readonly lastGood: KeptBackup | null;
  /** When the next one is due, in ms since 1970; null = they are off. */
  readonly next: number | null;
  /** The last good one is older than the schedule allows. */
  readonly late: boolean;
}

/** A file that shall become the whole state. */
export interface Incoming {
  readonly path: string;
  /** For a sealed backup. */
  readonly passphrase?: string | undefined;
  /** Who wants it; the new log names them. */
  readonly requestedBy: Actor;
}

/** What an incoming file was, once its content is staged and the switch is decided. */
export interface Replacement {
  readonly kind: 'portolan' | '3x-ui';
  /** SHA-256 of the file in hex. */
  readonly sha256: string;
  /** Of the new log: its identity and its last event. */
  readonly generation: string;
  readonly position: number;
  /** Settings that stay as they are on this machine, each with the reason as a sentence. */
  readonly kept: readonly { readonly key: string; readonly why: string }[];
  /** What a foreign database held and what became of it; null for a backup of ours. */
  readonly report: unknown;
}

/** Nothing was done, and nothing has changed; the message is a sentence for people. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  /** `busy`: an import or restart is under way, or those before it took too long. `refused`: the file is not one of ours, or not whole. */
  readonly kind: 'busy' | 'refused' | 'failed';

  constructor(kind: BackupError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Copies of the whole state out of, and into, the running panel. */
export interface Backups {
  /** After those that were asked for before it, for which it waits a while. Rejects with `BackupError`. */
  create(): Promise<BackupFile>;
  /** Makes one, reads it again in a scratch place, and keeps it among the timed ones. Rejects with `BackupError`. */
  keep(): Promise<KeptBackup>;
  latest(): BackupStatus;
  /** The kept ones that lie in the data directory, newest first. */
  list(): readonly { readonly name: string; readonly bytes: number; readonly at: number }[];
  /**
   * Checks a file whole, stages what it holds, and decides that the next start serves it; then the panel starts anew
   * within seconds. Rejects with `BackupError`, and then nothing has changed.
   */
  replace(file: Incoming): Promise<Replacement>;
  /** The same for a file that stays where it is. */
  replaceFrom(path: string, passphrase: string, requestedBy: Actor): Promise<Replacement>;
}
