import type { RecordedEvent } from '../../events/catalog.js';
import { memberIn, sharedStream } from '../../events/client/members.js';
import type {
  ChainPart,
  EventHeader,
  HeaderFilter,
  HeaderPage,
  LogSearch,
  StreamPart,
} from '../../events/log/log-search.js';
import { message, type Text } from '../../messages/message.js';
import { newestFirst, olderRows } from './client-streams.js';
import { chainHash, decodeMeta, type EventRow, idText, payloadHash } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { LogReader } from './log-reader.js';
import { older } from './log-statements.js';

type HeaderRow = Pick<EventRow, 'position' | 'stream' | 'version' | 'id' | 'type' | 'at' | 'meta'>;

const COLUMNS = 'position, stream, version, id, type, at, meta';
/** Versions of a stream that one search for an earlier event reads at most. */
const MAX_EARLIER = 20_000;

/** Of a query of SQLite. */
const NO_LIMIT = -1;

type Nullable = string | null;
type Between = [number, number, number, number, Nullable, Nullable, Nullable, Nullable, Nullable, Nullable, number];

function statements(db: SqliteDatabase) {
  return {
    between: db.prepare<Between, HeaderRow>(
      `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ? AND ? AND at BETWEEN ? AND ?
       AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
       AND (? IS NULL OR json_extract(meta, '$.actor.kind') = ?)
       AND (? IS NULL OR json_extract(meta, '$.actor.kind') <> 'system' OR type IN (SELECT value FROM json_each(?)))
       ORDER BY position DESC LIMIT ?`,
    ),
    ofStream: db.prepare<[string, number, number], HeaderRow>(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND version <= ? ORDER BY version DESC LIMIT ?`,
    ),
    header: db.prepare<[number], HeaderRow>(`SELECT ${COLUMNS} FROM events WHERE position = ?`),
    version: db.prepare<[string], { version: number | null }>(
      'SELECT max(version) AS version FROM events WHERE stream = ?',
    ),
    placeOf: db.prepare<[string, number], { position: number }>(
      'SELECT position FROM events WHERE stream = ? AND version = ?',
    ),
    older: older(db),
    causedBy: db.prepare<[number, number, string], HeaderRow>(
      `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ? AND ? AND json_extract(meta, '$.cause') = ?
       ORDER BY position`,
    ),
  };
}

/** Searches a log in a SQLite database. It needs no index besides those that appends and streams need. */
export class SqliteLogSearch implements LogSearch {
  readonly #log: LogReader & Pick<LogSearch, 'head'>;
  readonly #sql;
  /** The actors of the last command: its events have the same `meta`, and opening its box takes most of the time. */
  #last: { readonly text: string; readonly at: number; readonly meta: EventHeader['meta'] } | null = null;

  constructor(db: SqliteDatabase, log: LogReader & Pick<LogSearch, 'head'>) {
    this.#log = log;
    this.#sql = statements(db);
  }

  head() {
    return this.#log.head();
  }

  between(
    low: number,
    high: number,
    { types, actorKind, from, to }: HeaderFilter,
    { limit, addressTypes }: HeaderPage = { limit: NO_LIMIT, addressTypes: null },
  ): readonly EventHeader[] {
    const kind = [actorKind, actorKind] as const;
    const names = types === null ? null : JSON.stringify([...types]);
    const others = addressTypes && JSON.stringify(addressTypes);
    const rows = this.#sql.between.all(low, high, from, to, names, names, ...kind, others, others, limit);
    return rows.map((row) => this.#header(row));
  }

  ofStream(stream: string, before: number, limit: number): StreamPart {
    const own = this.#sql.ofStream.all(stream, this.#versionBefore(stream, before), limit);
    const shared = sharedStream(stream);
    if (shared === null) return { headers: own.map((row) => this.#header(row)), next: lastOf(own, limit) };
    const many = this.#sql.ofStream.all(shared, this.#versionBefore(shared, before), limit);
    const next = Math.max(lastOf(own, limit), lastOf(many, limit));
    const headers = own.filter(({ position }) => position >= next).map((row) => this.#header(row));
    for (const row of many) if (row.position >= next) headers.push(...this.#memberHeaders(row, stream));
    return { headers: headers.sort((one, other) => other.position - one.position), next };
  }

  /** The header of the part of a client in an event about many; none if the event is about others. */
  #memberHeaders(row: HeaderRow, stream: string): readonly EventHeader[] {
    const event = this.event(row.position);
    const member = event && memberIn(event, stream);
    return member ? [{ ...this.#header(row), stream, type: member.type, isPart: true }] : [];
  }

  header(position: number): EventHeader | null {
    const row = this.#sql.header.get(position);
    return row ? this.#header(row) : null;
  }

  event(position: number): RecordedEvent | undefined {
    return this.#log.at(position);
  }

  earlier(stream: string, before: number, types: readonly RecordedEvent['type'][]): Iterable<RecordedEvent> {
    const versionsOf = (one: string) => {
      const end = this.#versionBefore(one, before) + 1;
      return { first: end - MAX_EARLIER, end };
    };
    return newestFirst(this.#log.stored, stream, types, { rows: olderRows(this.#sql.older), versionsOf });
  }

  find(id: string, before: number): EventHeader | null {
    const place = this.#log.place(id, before);
    return place && this.header(place.position);
  }

  causedBy(id: string, low: number, high: number): readonly EventHeader[] {
    return this.#sql.causedBy.all(low, high, id).map((row) => this.#header(row));
  }

  verify(after: number, limit: number): ChainPart {
    const hash = this.#log.hashAt(after);
    let before: Buffer = hash === null ? Buffer.alloc(32) : Buffer.from(hash, 'hex');
    let position = after;
    for (const row of this.#log.stored.rows(after, limit)) {
      const what = problemOf(row, position, before);
      if (what !== null) return { position, fault: { position: position + 1, what } };
      position = row.position;
      before = row.hash;
    }
    return { position, fault: null };
  }

  hashAt(position: number): string | null {
    return this.#log.hashAt(position);
  }

  /** The last version of a stream with a position before `before`; 0 = none. Versions ascend with the positions. */
  #versionBefore(stream: string, before: number): number {
    let [low, high] = [0, this.#sql.version.get(stream)?.version ?? 0];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#sql.placeOf.get(stream, middle)?.position ?? before) < before) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #header(row: HeaderRow): EventHeader {
    const { position, id, stream, version, type, meta: text, at } = row;
    if (this.#last?.text !== text || this.#last.at !== at)
      this.#last = { text, at, meta: decodeMeta(row, this.#log.stored.keyring) };
    return { position, id: idText(id), stream, version, type, meta: this.#last.meta };
  }
}

/** The position of the last row of a full page; 1 = there are no more rows. */
const lastOf = (rows: readonly HeaderRow[], limit: number): number =>
  rows.length < limit ? 1 : (rows.at(-1)?.position ?? 1);

function problemOf(row: EventRow, position: number, before: Buffer): Text | null {
  if (row.position !== position + 1) return message('storage.positionMissing', { position: position + 1 });
  if (!chainHash(before, row).equals(row.hash)) return message('storage.chainBroken');
  const isChanged = row.payload !== null && !payloadHash(row.payload).equals(row.payload_hash);
  return isChanged ? message('storage.payloadChanged') : null;
}
