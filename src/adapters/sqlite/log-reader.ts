import type { RecordedEvent } from '../../events/catalog.js';
import { sharedStream } from '../../events/client/members.js';
import type { Steps } from '../../lib/time/slices.js';
import { eventsIn, newestFirst, olderRows, wholeStreams } from './client-streams.js';
import type { SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';
import { type LogStatements, statements } from './log-statements.js';
import { RollUps } from './roll-ups.js';
import { StoredLog } from './stored-log.js';

const ID_BYTES = 16;
/** Around the place where an id belongs by its time, other events of the same millisecond may have been appended. */
const ID_WINDOW = 500;
/** Rows that are searched for an id that is not in its place. */
const FALLBACK_ROWS = 5000;
/** Of a query of SQLite. */
const ALL_ROWS = -1;

/** Reads the event log in a SQLite database. Everything is synchronous. */
export class LogReader {
  /** The rows behind the events. */
  readonly stored: StoredLog;
  protected readonly db: SqliteDatabase;
  protected readonly keyring: Keyring;
  protected readonly rollUps: RollUps;
  protected readonly sql: LogStatements;

  /** `upTo`: the last position that may be read, when only a part of the log is readable; see `endAt`. */
  constructor(db: SqliteDatabase, keyring: Keyring, upTo?: number) {
    this.db = db;
    this.keyring = keyring;
    this.sql = statements(db);
    this.rollUps = new RollUps(db, keyring);
    this.stored = new StoredLog({ db, sql: this.sql, keyring, rollUps: this.rollUps }, upTo);
  }

  read(position: number, limit: number, without?: ReadonlySet<RecordedEvent['type']>): readonly RecordedEvent[] {
    const unwanted: ReadonlySet<string> | undefined = without;
    let after = position;
    for (;;) {
      const rows = this.stored.rows(after, limit);
      const events = rows.flatMap((row) => (unwanted?.has(row.type) ? [] : this.stored.eventsOf(row)));
      // A page with only pruned or unwanted rows is not the end of the log.
      if (events.length > 0 || rows.length < limit) return events;
      after = rows.at(-1)?.position ?? after;
    }
  }

  /** Also the members of events about many clients, if it is the stream of a client and `version` is 0. */
  readStream(stream: string, version = 0, limit = 1000): readonly RecordedEvent[] {
    const own = this.sql.stream.all(stream, version, limit).flatMap((row) => this.stored.eventsOf(row));
    const shared = version === 0 ? sharedStream(stream) : null;
    if (shared === null) return own;
    const end = own.length < limit ? Number.POSITIVE_INFINITY : (own.at(-1)?.position ?? 0);
    const members: RecordedEvent[] = [];
    for (const row of this.sql.stream.iterate(shared, 0, ALL_ROWS)) {
      if (row.position > end) break;
      members.push(...eventsIn(this.stored, row, stream));
    }
    if (members.length === 0) return own;
    return [...own, ...members].sort((one, other) => one.position - other.position).slice(0, limit);
  }

  /** The events of whole streams, oldest first, in steps; the result has what was appended during them. */
  streamSteps(streams: readonly string[]): Steps<ReadonlyMap<string, readonly RecordedEvent[]>> {
    return wholeStreams(this.stored, streams, (...page) => this.sql.stream.all(...page));
  }

  /** The event at a position; undefined if there is none, or if it was rolled up. */
  at(position: number): RecordedEvent | undefined {
    const row = this.sql.at.get(position);
    return row && this.stored.eventsOf(row)[0];
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

  /**
   * The event with this id before a position. Reads at most about 7,500 rows of a log of any length. Null for an event far
   * back that was appended while the clock was set back.
   */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null {
    const wanted = Buffer.from(id.replaceAll('-', ''), 'hex');
    if (wanted.length !== ID_BYTES) return null;
    const near = (middle: number, rows: number) =>
      this.sql.place.get(middle - rows, Math.min(middle + rows, before - 1), wanted);
    // A cause is nearly always one of the last events.
    const last = near(before - 1, ID_WINDOW);
    if (last) return last;
    // Ids begin with their time, so they ascend with the positions, unless the clock was set back.
    let [low, high] = [1, before - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.sql.idAt.get(middle)?.id.compare(wanted) ?? 1) <= 0) low = middle;
      else high = middle - 1;
    }
    return near(low, ID_WINDOW) ?? near(before - 1, FALLBACK_ROWS) ?? null;
  }

  /** The newest event of a stream with one of these types that `fits`; null if there is none, or if it was rolled up. */
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits: (event: RecordedEvent) => boolean = () => true,
  ): RecordedEvent | null {
    const versionsOf = () => ({ first: 0, end: Number.MAX_SAFE_INTEGER });
    const events = newestFirst(this.stored, stream, types, { rows: olderRows(this.sql.older), versionsOf });
    for (const event of events) if (fits(event)) return event;
    return null;
  }

  /** The last position that is rolled up; 0 = none. */
  get rolledTo(): number {
    return this.rollUps.rolledTo;
  }

  measuredRoot(from: number, to: number): { root: string; count: number } {
    return this.rollUps.root(from, to);
  }
}
