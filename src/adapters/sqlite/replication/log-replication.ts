import { type Batch, keyMark } from '../../../commands/ports/cluster.js';
import type { LogHead } from '../../../events/log/log.js';
import { type EventRow, idText, knownType, type StoredMeta } from '../codec.js';
import type { SqliteEventLog } from '../event-log.js';
import { decodeBatch, encodeBatch, type ForeignBatch, keysOf } from './batch-codec.js';

/** Rows of a batch at most, and the size from which no further command is added to it, in bytes. */
const MAX_ROWS = 500;
const FULL_BYTES = 512 * 1024;

/** A batch with the data keys that its events are encrypted with. */
export interface OutgoingBatch extends Batch {
  readonly keys: readonly string[];
  /** Keys that its events destroy. */
  readonly destroyed: readonly string[];
}

/** A batch of another member, decoded. */
export interface IncomingBatch extends ForeignBatch {
  /** The `keyMark` of each data key that this log does not have, by id; null = it was destroyed. */
  readonly keys: ReadonlyMap<string, string | null>;
}

/** Reads batches for the other members from the log, and appends those of others. */
export class LogReplication {
  readonly #log: SqliteEventLog;

  constructor(log: SqliteEventLog) {
    this.#log = log;
  }

  head(): LogHead {
    return this.#log.head();
  }

  hashAt(position: number): string | null {
    return this.#log.hashAt(position);
  }

  /**
   * The next whole commands after a position; null at the head. Events of one command have the same time and correlation id, so
   * a command is never divided, however large it is. `to`: the last position that it may contain.
   */
  batchAfter(position: number, to = Number.POSITIVE_INFINITY): OutgoingBatch | null {
    const rows: EventRow[] = [];
    let size = 0;
    for (let after = position; ; ) {
      const page = this.#log.stored.rows(after, MAX_ROWS);
      for (const row of page) {
        const isNext = rows.length > 0 && !sameCommand(rows.at(-1), row);
        if (row.position > to) return this.#batchOf(rows);
        if (isNext && (rows.length >= MAX_ROWS || size >= FULL_BYTES)) return this.#batchOf(rows);
        rows.push(row);
        size += row.payload?.length ?? 0;
      }
      after = page.at(-1)?.position ?? after;
      if (page.length < MAX_ROWS) return rows.length === 0 ? null : this.#batchOf(rows);
    }
  }

  #batchOf(rows: readonly EventRow[]): OutgoingBatch {
    const [first, last] = [rows[0] as EventRow, rows.at(-1) as EventRow];
    const commands = [...new Set(rows.map(({ meta }) => (JSON.parse(meta) as StoredMeta).command))].flatMap((key) => {
      const found = key === undefined ? undefined : this.#log.stored.commandRow(key);
      return found ? [found] : [];
    });
    const keys = [...new Set(rows.flatMap(keysOf))];
    const marks = keys.flatMap((id) => {
      const wrapped = this.wrappedKey(id);
      return wrapped === null ? [] : [[id, keyMark(wrapped)] as const];
    });
    return {
      first: first.position,
      last: last.position,
      hash: last.hash.toString('hex'),
      id: idText(first.id),
      body: encodeBatch({ rows, commands, marks: Object.fromEntries(marks) }),
      keys,
      destroyed: rows.flatMap((row) =>
        row.type === 'DataKeyDestroyed'
          ? this.#log.stored
              .eventsOf(row)
              .flatMap((event) => (event.type === 'DataKeyDestroyed' ? [event.data.key] : []))
          : [],
      ),
    };
  }

  /**
   * Decodes a batch, without what this log has already. Throws `NewerRelease` for an event and for a format that this release
   * does not know, and other errors for bytes that are not a batch.
   */
  decode({ body, first }: Pick<Batch, 'body' | 'first'>): IncomingBatch {
    const { position } = this.#log.head();
    const { rows: all, commands, marks } = decodeBatch(body, first);
    const rows = all.filter((row) => row.position > position);
    for (const row of rows) knownType(row);
    const ids = [...new Set(rows.flatMap(keysOf))].filter((id) => this.#lacks(id, marks[id]));
    const keys = new Map(ids.map((id) => [id, marks[id] ?? null]));
    return { rows, commands: commands.filter(({ first }) => first > position), marks, keys };
  }

  /**
   * Whether the table has no key under an id, or one that only events used which were set aside: two leaders may have created
   * a key under the same id, and the events of one of them were never confirmed. A key of confirmed events never differs.
   */
  #lacks(id: string, mark: string | undefined): boolean {
    const own = this.#log.stored.keyring.wrapped(id);
    return own === undefined || (own !== null && mark !== undefined && mark !== keyMark(own));
  }

  /** Appends batches in one durable transaction; see `SqliteEventLog.ingest`. */
  ingest(batches: readonly IncomingBatch[], keys: ReadonlyMap<string, Buffer | null>): void {
    this.#log.ingest(batches, keys);
  }

  /** A data key, encrypted with the master key; null when it was destroyed. */
  wrappedKey(id: string): Buffer | null {
    return this.#log.stored.keyring.wrapped(id) ?? null;
  }
}

/** Commands differ in their correlation id or their time. */
function sameCommand(before: EventRow | undefined, row: EventRow): boolean {
  if (before === undefined || before.at !== row.at) return false;
  const correlationOf = ({ meta }: EventRow): string => (JSON.parse(meta) as StoredMeta).correlation;
  return correlationOf(before) === correlationOf(row);
}
