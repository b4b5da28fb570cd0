import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { LogCursor, LogTail } from '../events/log/log-tail.js';

const PAGE = 1000;

/** Reads a log that this process appends to, as a follower reads that of another one. */
export class AppendedTail implements LogTail {
  readonly #log: SqliteEventLog;
  readonly #subscription: { unsubscribe(): void };
  #appended: RecordedEvent[] = [];
  /** The position up to which everything was read; null = nothing was read yet. */
  #readTo: number | null = null;

  constructor(log: SqliteEventLog) {
    this.#log = log;
    this.#subscription = log.appended$.subscribe((events) => this.#appended.push(...events));
  }

  moved(): boolean {
    return this.#readTo === null || this.#appended.length > 0;
  }

  cursorAt(position: number): LogCursor | null {
    const hash = position === 0 ? '0'.repeat(64) : this.#log.hashAt(position);
    return hash === null ? null : { generation: this.#log.generation, position, hash };
  }

  /** The events of the first call come from the database. Later ones were verified when they were appended. */
  read(cursor: LogCursor, apply: (events: readonly RecordedEvent[]) => void): LogCursor {
    if (this.#readTo === null) this.#readAll(cursor.position, apply);
    else if (this.#appended.length > 0) apply(this.#appended);
    this.#appended = [];
    const { position, hash } = this.#log.head();
    this.#readTo = position;
    return { generation: this.#log.generation, position, hash };
  }

  #readAll(from: number, apply: (events: readonly RecordedEvent[]) => void): void {
    for (let position = from; ; ) {
      const events = this.#log.read(position, PAGE);
      if (events.length === 0) return;
      apply(events);
      position = events.at(-1)?.position ?? position;
    }
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}
