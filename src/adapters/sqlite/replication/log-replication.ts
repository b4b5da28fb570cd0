import { keyGroups, keyMark } from '../../../commands/ports/cluster/keys.js';
import { type Batch } from '../../../commands/ports/cluster.js';
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
  /** The groups of those that must be stored first, by name. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
  /** Keys that its events destroy. */
  readonly destroyed: readonly string[];
}

/** A batch of another member, decoded. */
export interface IncomingBatch extends ForeignBatch {
  /** The data keys that this log does not have, by id; null = it was destroyed. */
  readonly keys: ReadonlyMap<string, KeyPlace | null>;
}

/** Where a data key is: its `keyMark`, and its group; null = it is stored alone. */
export interface KeyPlace {
  readonly mark: string;
  readonly group: string | null;
}

/** Reads batches for the other members from the log, and appends those of others. */
export class LogReplication {
  readonly #log: SqliteEventLog;
  /** Keys that may be only here. */
  #newKeys: Set<string> | null = null;

  constructor(log: SqliteEventLog) {
    this.#log = log;
  }

  head(): LogHead {
    return this.#log.head();
  }

  hashAt(position: number): string | null {
    return this.#log.hashAt(position);
  }

  /** From now on, batches have the groups of keys that may be only here: those of events after a position, and all that are created. */
  noteNewKeys(position: number): void {
    const found = new Set<string>();
    for (let after = position; ; ) {
      const page = this.#log.stored.rows(after, MAX_ROWS);
      for (const id of page.flatMap(keysOf)) found.add(id);
      after = page.at(-1)?.position ?? after;
      if (page.length < MAX_ROWS) break;
    }
    this.#newKeys = found;
    this.#log.stored.keyring.created = (id) => void found.add(id);
  }

  /** A batch is in the stream, so its keys are in the cluster. */
  confirmed({ keys }: Pick<OutgoingBatch, 'keys'>): void {
    for (const id of keys) this.#newKeys?.delete(id);
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
    const wrapped = keys.flatMap((id) => {
      const key = this.wrappedKey(id);
      return key === null ? [] : [[id, key] as const];
    });
    const marks = Object.fromEntries(wrapped.map(([id, key]) => [id, keyMark(key)]));
    const groups = keyGroups(wrapped.filter(([id]) => this.#newKeys?.has(id)));
    const groupOf = [...groups].flatMap(([name, group]) => [...group.keys()].map((id) => [id, name] as const));
    return {
      first: first.position,
      last: last.position,
      hash: last.hash.toString('hex'),
      id: idText(first.id),
      body: encodeBatch({ rows, commands, marks, groups: Object.fromEntries(groupOf) }),
      keys,
      groups,
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
    const { rows: all, commands, marks, groups } = decodeBatch(body, first);
    const rows = all.filter((row) => row.position > position);
    for (const row of rows) knownType(row);
    const ids = [...new Set(rows.flatMap(keysOf))].filter((id) => this.#lacks(id, marks[id]));
    const placeOf = (id: string): KeyPlace | null => {
      const mark = marks[id];
      return mark === undefined ? null : { mark, group: groups[id] ?? null };
    };
    const keys = new Map(ids.map((id) => [id, placeOf(id)]));
    return { rows, commands: commands.filter(({ first }) => first > position), marks, groups, keys };
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
