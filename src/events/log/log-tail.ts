import type { RecordedEvent } from '../catalog.js';

/** A place in one log. It is valid only while the log still has this hash at this position. */
export interface LogCursor {
  /** The identity of the log; another one when positions were assigned again. */
  readonly generation: string;
  /** 0 = before the first event. */
  readonly position: number;
  /** Chain hash of the event at the position, hex; zeros at position 0. */
  readonly hash: string;
}

/** Reads a log that another process writes. Everything is synchronous. */
export interface LogTail {
  /** Whether anything was written since the last call. True at the first call. Takes microseconds. */
  moved(): boolean;
  /** The cursor of a position; null when the log has no such event. */
  cursorAt(position: number): LogCursor | null;
  /**
   * Passes all events after `cursor` to `apply`, in pages, as of one moment, and returns the new cursor. Throws
   * `CursorLost`, and `StorageError` when the log cannot be read. `verify`: also checks the chain of what it reads.
   */
  read(
    cursor: LogCursor,
    apply: (events: readonly RecordedEvent[]) => void,
    options?: { readonly verify?: boolean },
  ): LogCursor;
  close(): void;
}

/** The log does not continue what was read before. The reader must start again from a snapshot or the first event. */
export class CursorLost extends Error {
  override readonly name = 'CursorLost';
}
