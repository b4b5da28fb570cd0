import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { message, type Text } from '../../messages/message.js';
import { decode, type EventRow, LogDamage } from './codec.js';
import { damageError, type SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';
import { statements } from './log-statements.js';
import { RollUps } from './roll-ups.js';

/** Reads the event log in a SQLite database. Everything is synchronous. */
export class LogReader {
  protected readonly db: SqliteDatabase;
  readonly keyring: Keyring;
  protected readonly rollUps: RollUps;
  protected readonly sql;
  readonly #upTo: number;

  /** `upTo`: the last position that may be read, when only a part of the log is readable; see `endAt`. */
  constructor(db: SqliteDatabase, keyring: Keyring, upTo = Number.POSITIVE_INFINITY) {
    this.db = db;
    this.keyring = keyring;
    this.#upTo = upTo;
    this.sql = statements(db);
    this.rollUps = new RollUps(db, keyring);
  }

  read(position: number, limit: number): readonly RecordedEvent[] {
    let after = position;
    for (;;) {
      const rows = this.rows(after, limit);
      const events = rows.flatMap((row) => this.decode(row));
      // A page with only pruned rows is not the end of the log.
      if (events.length > 0 || rows.length < limit) return events;
      after = rows.at(-1)?.position ?? after;
    }
  }

  readStream(stream: string, version = 0, limit = 1000): readonly RecordedEvent[] {
    return this.sql.stream.all(stream, version, limit).flatMap((row) => this.decode(row));
  }

  /** The event at a position; undefined if there is none, or if it was rolled up. */
  at(position: number): RecordedEvent | undefined {
    const row = this.sql.at.get(position);
    return row && this.decode(row)[0];
  }

  /** Stored rows with encrypted boxes, for export and verification. */
  rows(position: number, limit: number): readonly EventRow[] {
    // Not one row more: SQLite would read the next page, which may be damaged.
    return this.sql.read.all(position, Math.max(0, Math.min(limit, this.#upTo - position)));
  }

  /** The event of a row. If its payload was rolled up: the sum at this position, or nothing. */
  eventsOf(row: EventRow): readonly RecordedEvent[] {
    return this.decode(row);
  }

  hashAt(position: number): string | null {
    return this.sql.hashAt.get(position)?.hash.toString('hex') ?? null;
  }

  /** The last position whose event happened at or before `time` (ms); 0 when there is none. */
  positionAt(time: number): number {
    return this.sql.before.get(time)?.position ?? 0;
  }

  nextBy(position: number, time: number): { readonly position: number; readonly at: number } | null {
    return this.sql.nextBy.get(position, time) ?? null;
  }

  /** All events of some types, oldest first. Reads the whole table: not for requests. */
  *readTypes(types: readonly RecordedEvent['type'][]): Generator<RecordedEvent> {
    const select = this.db.prepare<[number, ...string[]], EventRow>(
      `SELECT * FROM events WHERE position > ? AND type IN (${types.map(() => '?').join()}) ORDER BY position LIMIT 1000`,
    );
    let position = 0;
    for (let rows = select.all(position, ...types); rows.length > 0; rows = select.all(position, ...types)) {
      for (const row of rows) yield* this.decode(row);
      position = rows.at(-1)?.position ?? position;
    }
  }

  /** Finds the event with this id, searching backwards from a later position. */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null {
    return this.sql.place.get(before, Buffer.from(id.replaceAll('-', ''), 'hex')) ?? null;
  }

  /** The newest event of a stream with one of these types that `fits`; null if there is none, or if it was rolled up. */
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits: (event: RecordedEvent) => boolean = () => true,
  ): RecordedEvent | null {
    for (const row of this.sql.backwards.iterate(stream, JSON.stringify(types))) {
      const [event] = this.decode(row);
      if (event && fits(event)) return event;
    }
    return null;
  }

  /** Runs `read` in one read transaction, so it does not see events that are appended or rolled up meanwhile. */
  inSnapshot<T>(read: () => T): T {
    this.sql.beginRead.run();
    try {
      return read();
    } finally {
      this.sql.commit.run();
    }
  }

  /** Whether a roll-up in the log covers a missing payload. */
  coversPruned(position: number): boolean {
    return this.rollUps.covers(position);
  }

  /** The last position that is rolled up; 0 = none. */
  get rolledTo(): number {
    return this.rollUps.rolledTo;
  }

  measuredRoot(from: number, to: number): { root: string; count: number } {
    return this.rollUps.root(from, to);
  }

  /** The difference between a roll-up and the rows of its range, or null; see `RollUps.mismatch`. */
  rollUpMismatch(data: Parameters<RollUps['mismatch']>[0], position: number, rolledTo: number): Text | null {
    return this.rollUps.mismatch(data, position, rolledTo);
  }

  /** Reads every page of the database. Throws `StorageError` of kind `damaged`. */
  checkPages(): void {
    const problem = this.db.pragma('quick_check(1)', { simple: true }) as string;
    if (problem !== 'ok') throw damageError(new Error(problem));
  }

  protected decode(row: EventRow): RecordedEvent[] {
    if (row.payload !== null) {
      const event = decode(row, this.keyring);
      // A reader beside a running panel has loaded the keys before.
      if (event.type === 'DataKeyDestroyed') this.keyring.markDestroyed([event.data.key]);
      return [event];
    }
    if (eventType(row.type)?.class !== 'measured')
      throw new LogDamage(row.position, message('storage.payloadMissingKept', { type: row.type }));
    const sum = this.rollUps.sumAt(row.position);
    if (sum === undefined) throw new LogDamage(row.position, message('storage.payloadMissing'));
    return sum ? [decode({ ...row, encoding: 0, payload: Buffer.from(JSON.stringify(sum)) }, this.keyring)] : [];
  }
}
