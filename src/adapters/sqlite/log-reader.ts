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

  /** `upTo`: the last position that may be read, when only a part of the log is sound; see `endAt`. */
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
      // A page of nothing but pruned rows is not the end.
      if (events.length > 0 || rows.length < limit) return events;
      after = rows.at(-1)?.position ?? after;
    }
  }

  readStream(stream: string, version = 0, limit = 1000): readonly RecordedEvent[] {
    return this.sql.stream.all(stream, version, limit).flatMap((row) => this.decode(row));
  }

  /** The event at a position; undefined where there is none, or where it was rolled up. */
  at(position: number): RecordedEvent | undefined {
    const row = this.sql.at.get(position);
    return row && this.decode(row)[0];
  }

  /** Rows as they are stored, boxes closed, for export and verification. */
  rows(position: number, limit: number): readonly EventRow[] {
    // Never more rows than exist: SQLite would read the next page, which may be the damaged one.
    return this.sql.read.all(position, Math.max(0, Math.min(limit, this.#upTo - position)));
  }

  /** The event of a row; of one whose payload was rolled up what stands for it, if that is here. */
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

  /** All events of some types, oldest first. It reads the whole table: for people, not for requests. */
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

  /** Where the event with this id stands, looked for backwards from a later position. */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null {
    return this.sql.place.get(before, Buffer.from(id.replaceAll('-', ''), 'hex')) ?? null;
  }

  /** The newest event of a stream that is of one of these types, and that `fits`; null where it is not, or not any more. */
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

  /** Runs `read` in one read transaction: it sees the log of one moment, whatever is appended or rolled up meanwhile. */
  still<T>(read: () => T): T {
    this.sql.hold.run();
    try {
      return read();
    } finally {
      this.sql.commit.run();
    }
  }

  /** Whether a roll-up in the log accounts for a payload that is gone. */
  coversPruned(position: number): boolean {
    return this.rollUps.covers(position);
  }

  /** Up to here measurements are rolled up; 0 = nowhere. */
  get rolledTo(): number {
    return this.rollUps.rolledTo;
  }

  measuredRoot(from: number, to: number): { root: string; count: number } {
    return this.rollUps.root(from, to);
  }

  /** What does not agree between a roll-up and the rows of its range, or null; see `RollUps.misfit`. */
  rollUpMisfit(data: Parameters<RollUps['misfit']>[0], position: number, rolledTo: number): Text | null {
    return this.rollUps.misfit(data, position, rolledTo);
  }

  /** Reads every page of the database. Throws `StorageError` of kind `damaged`. */
  checkPages(): void {
    const problem = this.db.pragma('quick_check(1)', { simple: true }) as string;
    if (problem !== 'ok') throw damageError(new Error(problem));
  }

  protected decode(row: EventRow): RecordedEvent[] {
    if (row.payload !== null) {
      const event = decode(row, this.keyring);
      // A reader beside a panel learns so what that has destroyed meanwhile.
      if (event.type === 'DataKeyDestroyed') this.keyring.heed([event.data.key]);
      return [event];
    }
    if (eventType(row.type)?.class !== 'measured')
      throw new LogDamage(row.position, message('storage.payloadMissingKept', { type: row.type }));
    const sum = this.rollUps.sumAt(row.position);
    if (sum === undefined) throw new LogDamage(row.position, message('storage.payloadMissing'));
    return sum ? [decode({ ...row, encoding: 0, payload: Buffer.from(JSON.stringify(sum)) }, this.keyring)] : [];
  }
}
