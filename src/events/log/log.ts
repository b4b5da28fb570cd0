import type { Observable } from 'rxjs';
import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';
import type { PanelEvent, RecordedEvent } from '../catalog.js';
import type { Actor, Caused } from './event.js';

/** The caller's `Idempotency-Key`, and a digest of the request that it was sent with. */
export interface CommandId {
  readonly key: string;
  readonly fingerprint: string;
}

export interface AppendContext {
  readonly at: number;
  readonly actor: Actor;
  /** A UUID. Of any other value, here and in the ids below, the log stores a keyed digest. */
  readonly correlationId: string;
  /** The event outside this batch that caused it. */
  readonly causationId?: string | null;
  readonly commandId?: CommandId | null;
}

export interface LogHead {
  /** Position of the last event; 0 when there is none. */
  readonly position: number;
  /** Chain hash of the last event, hex. */
  readonly hash: string;
}

/** The event log. Appends are synchronous, atomic and durable. Readers page and never block the database. */
export interface EventLog {
  /**
   * Appends all of `events` or none, and emits them on `appended$` before it returns.
   * Throws `StorageError` if the disk fails, and another error if an event does not match its schema.
   */
  append(events: readonly Caused<PanelEvent>[], context: AppendContext): readonly RecordedEvent[];
  /**
   * Runs `work`; everything that it appends is committed in one durable transaction and emitted afterwards, batch by batch.
   * Throws, and appends nothing, if `work` throws or the disk fails.
   */
  group<T>(work: () => T): T;
  /**
   * Up to `limit` events after `position`, in order; empty only at the end. In a range that was rolled up, traffic is returned
   * as sums at the positions where they were taken, and other measurements are skipped. Events of the types in `without` may
   * be left out.
   */
  read(position: number, limit: number, without?: ReadonlySet<RecordedEvent['type']>): readonly RecordedEvent[];
  /** Position and time (ms) of the first event after `position` with a time up to `time`; null if there is none. */
  nextBy(position: number, time: number): { readonly position: number; readonly at: number } | null;
  readStream(stream: string, version?: number, limit?: number): readonly RecordedEvent[];
  /** What the command with this key appended, and whether the request was the same; null if the key is new. */
  outcomeOf(id: CommandId): { readonly same: boolean; readonly events: readonly RecordedEvent[] } | null;
  head(): LogHead;
  /** SHA-256 (hex) over the payload hashes of the measured events from `from` to `to`, and their number. */
  measuredRoot(from: number, to: number): { readonly root: string; readonly count: number };
  readonly appended$: Observable<readonly RecordedEvent[]>;
}

/** The disk failed a write, and nothing was appended, or a read. `kind` is for code, the text for people. */
export class StorageError extends MessageError {
  override readonly name: string = 'StorageError';
  readonly kind: 'full' | 'busy' | 'read-only' | 'failed' | 'damaged';

  constructor(kind: StorageError['kind'], text: Text, options?: ErrorOptions) {
    super(text, options);
    this.kind = kind;
  }
}
