import type { Actor } from '../../events/log/event.js';
import type { Text } from '../../messages/message.js';
import type { Incoming, Replacement } from './backups.js';

/** How far the check of a file is. `total` is 0 when the work cannot be counted; otherwise both count events. */
export interface RestoreProgress {
  /**
   * `waiting`: for another job; `reading`: the file and its database; `verifying`: the chain and all events of a backup;
   * `importing`: from a database of 3x-ui; `preparing`: the new state.
   */
  readonly phase: 'waiting' | 'reading' | 'verifying' | 'importing' | 'preparing';
  readonly done: number;
  readonly total: number;
}

/** The check of a file that is to replace the state. It changes nothing. */
export interface RestoreCheck {
  readonly id: string;
  /** The name of a kept backup; null for an upload. */
  readonly name: string | null;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly progress: RestoreProgress;
  /** Null while it runs. `ready`: what a confirmation does. `refused`: why the file cannot be used. */
  readonly outcome: { readonly ready: Replacement } | { readonly refused: Text } | null;
}

/** A file to check: an upload, which is moved away, or the name of a kept backup. */
export type FileToCheck = Pick<Incoming, 'passphrase' | 'requestedBy'> &
  ({ readonly path: string } | { readonly kept: string });

/**
 * Checks a file completely and prepares its state, so that an admin sees the result before it replaces the current state.
 * There is at most one check; a result is kept for 30 minutes.
 */
export interface RestoreChecks {
  /** Starts a check. An unconfirmed result is discarded. Throws `BackupError`: `busy`, or `refused` for an unknown name. */
  begin(file: FileToCheck): RestoreCheck;
  /** The check of this actor; null = none. Other admins have their own. */
  current(actor: Actor): RestoreCheck | null;
  /** Replaces the state by the result; the panel then restarts within seconds. Rejects with `BackupError`. */
  confirm(id: string, actor: Actor): Promise<Replacement>;
  /** Discards a result. An unknown id is ignored. */
  discard(id: string, actor: Actor): void;
}
