import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StorageError } from '../../events/log/log.js';
import { quoted } from '../../lib/escaped.js';
import { MessageError, textOf } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { assertRegular, DATABASE_FILES, headerOf, OtherDatabaseError } from './own-file.js';

export type SqliteDatabase = Database.Database;
type Statement = Database.Statement;

/**
 * The whole schema. Triggers prevent any change or deletion of events, with one exception: the payload of a measured event
 * may be removed after a roll-up in the log covers its position. Its hash, and so the chain, stays.
 */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream TEXT NOT NULL,
  version INTEGER NOT NULL,
  id BLOB NOT NULL,
  type TEXT NOT NULL,
  schema INTEGER NOT NULL,
  at INTEGER NOT NULL,
  meta TEXT NOT NULL,
  measured INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  payload BLOB,
  payload_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  UNIQUE (stream, version)
) STRICT;
CREATE INDEX rolled ON events (position) WHERE type = 'MeasurementsRolledUp';
CREATE TABLE prunable (first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT;
CREATE TABLE commands (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (id TEXT PRIMARY KEY, wrapped BLOB, created INTEGER NOT NULL, shredded INTEGER) STRICT, WITHOUT ROWID;
CREATE TRIGGER events_keep BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_fixed BEFORE UPDATE ON events
WHEN NOT (
  OLD.measured = 1 AND NEW.payload IS NULL
  AND NEW.position = OLD.position AND NEW.stream = OLD.stream AND NEW.version = OLD.version AND NEW.id = OLD.id
  AND NEW.type = OLD.type AND NEW.schema = OLD.schema AND NEW.at = OLD.at AND NEW.meta = OLD.meta
  AND NEW.measured = OLD.measured AND NEW.encoding = OLD.encoding
  AND NEW.payload_hash = OLD.payload_hash AND NEW.hash = OLD.hash
  AND EXISTS (SELECT 1 FROM prunable WHERE OLD.position BETWEEN first AND last)
)
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
`;

/**
 * Finds the missing payloads quickly at a start. It is not a part of the layout, because it can be created at any time:
 * databases and backups of earlier releases do not have it.
 */
export const PRUNED_INDEX = 'CREATE INDEX IF NOT EXISTS pruned ON events (type, position) WHERE payload IS NULL';

/**
 * Complete subtrees of the Merkle tree over the hashes. Not a part of the layout either: it is a cache, which `EventTree`
 * fills from the events.
 */
const TREE_TABLE = `
CREATE TABLE IF NOT EXISTS tree (
  level INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID`;

/** Version of the layout above. A database with a higher version was written by a newer release. */
export const LAYOUT = 1;

/** `application_id` of our logs, "POLG". Databases of the first releases have none. */
const MARK = 0x504f_4c47;

/** How long a write waits for a lock of another process, in ms. It is short because it blocks the event loop. */
const BUSY_MS = 50;

/**
 * Opens `events.db`, or creates it. Every commit is durable: write-ahead log with `synchronous=FULL`, which is set and read
 * back on each connection because better-sqlite3 is built with NORMAL for WAL databases. Throws `NotRegularError` and
 * `OtherDatabaseError` for files of others, before SQLite could write to them, and `StorageError` for an unusable database.
 */
export function openDatabase(file: string, { readonly = false } = {}): SqliteDatabase {
  assertOurs(file, readonly);
  const db = new Database(file, { readonly, fileMustExist: readonly, timeout: BUSY_MS });
  try {
    if (!readonly) prepareDatabase(db);
    db.pragma('synchronous = FULL');
    if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('SQLite does not keep synchronous=FULL');
    const layout = db.pragma('user_version', { simple: true }) as number;
    if (layout > LAYOUT) {
      throw new StorageError('read-only', message('storage.newerLayout', { written: layout, known: LAYOUT }));
    }
    return withStorageErrors(db);
  } catch (error) {
    db.close();
    throw storageError(error);
  }
}

/** The damage that was found in open databases, by the object that `openDatabase` has returned. */
const damages = new WeakMap<SqliteDatabase, StorageError>();

/** The first error that showed a database to be damaged, or null. */
export const damageIn = (db: SqliteDatabase): StorageError | null => damages.get(db) ?? null;

/** Wraps a database so that its statements throw `StorageError` for the known codes of SQLite. */
function withStorageErrors(db: SqliteDatabase): SqliteDatabase {
  const converted = (error: unknown): unknown => {
    const stored = storageError(error);
    if (stored instanceof StorageError && stored.kind === 'damaged') damages.set(wrappedDb, stored);
    return stored;
  };
  const wrap = <T extends object>(target: T, result: (value: unknown) => unknown): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          try {
            return result(Reflect.apply(member, target, args));
          } catch (error) {
            throw converted(error);
          }
        };
      },
    });
  function* each(rows: Iterable<unknown>): Generator<unknown> {
    try {
      yield* rows;
    } catch (error) {
      throw converted(error);
    }
  }
  const wrapStatement = (statement: Statement): Statement => {
    const wrapped: Statement = wrap(statement, (value) => {
      if (value === statement) return wrapped;
      return isRows(value) ? each(value) : value;
    });
    return wrapped;
  };
  const wrappedDb = wrap(db, (value) => (isStatement(value) ? wrapStatement(value) : value));
  return wrappedDb;
}

const isStatement = (value: unknown): value is Statement =>
  typeof value === 'object' && value !== null && 'source' in value && 'iterate' in value;

/** Whether a value is the result of `iterate`; `all` returns an array. */
const isRows = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

function assertOurs(file: string, readonly: boolean): void {
  assertRegular(file);
  const header = headerOf(file);
  if (header === null && readonly) throw new MessageError(message('storage.fileMissing', { file }));
  if (header === null || header.isEmpty || header.mark === MARK) return;
  if (!header.isDatabase) throw new StorageError('damaged', message('storage.notDatabase'));
  if (header.mark !== 0) throw new OtherDatabaseError(file, message('storage.applicationId', { id: header.mark }));
  assertOurTables(file);
}

/** A row of `sqlite_schema`. */
interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Limit of names in a message. */
const MAX_NAMES = 5;

/** Accepts a database without a mark: one of the first releases, recognized by its tables, or one that is still empty. */
function assertOurTables(file: string): void {
  const beside = DATABASE_FILES.map((end) => file + end).filter((path) => !existsSync(path));
  const content = contentOf(file);
  const { rows, version, mark } = content;
  const isOurs = ownTables().every(({ name, sql }) => rows.some((row) => row.name === name && row.sql === sql));
  const isEmpty = rows.length === 0 && version === 0 && (mark === 0 || mark === MARK);
  if (isOurs || isEmpty) return;
  // SQLite creates these files even for a read-only connection.
  for (const path of beside) rmSync(path, { force: true });
  throw new OtherDatabaseError(file, otherContent(content));
}

function otherContent({ rows, version, mark }: Content): Text {
  if (rows.length === 0)
    return mark === 0 ? message('storage.userVersion', { version }) : message('storage.applicationId', { id: mark });
  const listed = (names: readonly string[]) => [
    ...names.slice(0, MAX_NAMES),
    ...(names.length > MAX_NAMES ? ['…'] : []),
  ];
  const tables = rows.filter(({ type }) => type === 'table').map(({ name }) => quoted(name));
  return tables.length > 0
    ? message('storage.tables', { tables: listed(tables) })
    : message('storage.noTables', { objects: listed(rows.map(({ type, name }) => `${type} ${quoted(name)}`)) });
}

/** What SQLite reads from a file and its write-ahead log; the header of the file alone may be older. */
interface Content {
  readonly rows: readonly SchemaRow[];
  /** `user_version` */
  readonly version: number;
  /** `application_id` */
  readonly mark: number;
}

function contentOf(file: string): Content {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const number = (name: string) => db.pragma(name, { simple: true }) as number;
    return { rows: schemaOf(db), version: number('user_version'), mark: number('application_id') };
  } catch (error) {
    throw storageError(error);
  } finally {
    db.close();
  }
}

const schemaOf = (db: SqliteDatabase): SchemaRow[] =>
  db.prepare<[], SchemaRow>('SELECT type, name, sql FROM sqlite_schema').all();

function ownTables(): readonly SchemaRow[] {
  const db = new Database(':memory:');
  try {
    db.exec(SCHEMA);
    return schemaOf(db).filter(({ type }) => type === 'table');
  } finally {
    db.close();
  }
}

/** Creates the tables of an empty database, and marks a database of the first releases. */
function prepareDatabase(db: SqliteDatabase): void {
  const isEmpty = (db.pragma('user_version', { simple: true }) as number) === 0;
  const isMarked = db.pragma('application_id', { simple: true }) === MARK;
  // Written before the write-ahead log exists, so that the header of the file has the mark from the start.
  if (isEmpty)
    db.transaction(() =>
      db.exec(`PRAGMA application_id = ${MARK}; PRAGMA user_version = ${LAYOUT}; ${SCHEMA}`),
    ).immediate();
  db.pragma('journal_mode = WAL');
  db.pragma('secure_delete = ON');
  db.pragma('journal_size_limit = 67108864');
  if (!isMarked && !isEmpty) unlessFull(() => db.pragma(`application_id = ${MARK}`));
  // Takes about one second per million events, once. Without it, a start reads the whole table.
  unlessFull(() => db.exec(PRUNED_INDEX));
  unlessFull(() => db.exec(TREE_TABLE));
}

/** Hides the events after a position from a read-only connection, and prevents changes through it. */
export function endAt(db: SqliteDatabase, position: number): void {
  db.pragma('temp_store = MEMORY');
  db.exec(`
    CREATE TEMP VIEW events AS SELECT * FROM main.events WHERE position <= ${Math.trunc(position)};
    CREATE TEMP TRIGGER events_closed INSTEAD OF INSERT ON events BEGIN SELECT RAISE(ABORT, 'read-only'); END;
    CREATE TEMP TRIGGER events_closed_too INSTEAD OF UPDATE ON events BEGIN SELECT RAISE(ABORT, 'read-only'); END;
  `);
}

/** Makes a change that a later start can make too if the disk is full. */
function unlessFull(change: () => void): void {
  try {
    change();
  } catch (error) {
    const stored = storageError(error);
    if (!(stored instanceof StorageError) || stored.kind !== 'full') throw error;
  }
}

/** The error for a damaged page, with the message of the cause. */
export function damageError(cause: unknown): StorageError {
  return new StorageError('damaged', message('storage.damaged', { problem: textOf(cause) }), { cause });
}

/** Converts an error of SQLite to `StorageError`. Returns other errors unchanged. */
export function storageError(error: unknown): unknown {
  const code = error instanceof Database.SqliteError ? error.code : '';
  const options = { cause: error };
  if (code === 'SQLITE_FULL') return new StorageError('full', message('common.diskFull'), options);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new StorageError('busy', message('storage.busy'), options);
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_CANTOPEN')
    return new StorageError('read-only', message('common.diskReadOnly'), options);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damageError(error);
  if (code.startsWith('SQLITE_IOERR')) return new StorageError('failed', message('common.diskFailed'), options);
  return error;
}
