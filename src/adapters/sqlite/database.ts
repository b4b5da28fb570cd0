import Database from 'better-sqlite3';
import { StorageError } from '../../events/log.js';

export type SqliteDatabase = Database.Database;

/**
 * The whole schema. Events are never changed or deleted: triggers refuse it. The one exception is that the payload of a
 * measured event may be dropped once a roll-up in the log covers its position; its hash, and so the chain, stays.
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
 * Finds at a start, in an instant, which payloads are missing. Databases and backups of earlier releases do not have it; it
 * can be made again at any time, so it is no part of the layout.
 */
export const PRUNED_INDEX = 'CREATE INDEX IF NOT EXISTS pruned ON events (type, position) WHERE payload IS NULL';

/** Version of the layout above; a database with a higher one was written by a newer panel. */
export const LAYOUT = 1;

/** How long a write waits for another process that holds the database, in ms. It blocks the loop, so it is short. */
const BUSY_MS = 50;

/**
 * Opens `events.db`, making it when it is not there. Durable to the last commit: write-ahead log with `synchronous=FULL`,
 * set and read back on each connection because better-sqlite3 is built with NORMAL for WAL databases.
 */
export function openDatabase(file: string, { readonly = false } = {}): SqliteDatabase {
  const db = new Database(file, { readonly, fileMustExist: readonly, timeout: BUSY_MS });
  try {
    if (!readonly) {
      db.pragma('journal_mode = WAL');
      db.pragma('secure_delete = ON');
      db.pragma('journal_size_limit = 67108864');
    }
    db.pragma('synchronous = FULL');
    if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('SQLite does not keep synchronous=FULL');
    const layout = db.pragma('user_version', { simple: true }) as number;
    if (layout > LAYOUT) {
      throw new StorageError(
        'read-only',
        `the database was written by a newer release (layout ${layout}, this one knows ${LAYOUT})`,
      );
    }
    if (layout === 0 && !readonly) {
      db.transaction(() => {
        db.exec(SCHEMA);
        db.pragma(`user_version = ${LAYOUT}`);
      }).immediate();
    }
    if (!readonly) indexPruned(db);
    return db;
  } catch (error) {
    db.close();
    throw storageError(error);
  }
}

/** Takes a second for each million events, once. Without room for it the start reads the whole table instead. */
function indexPruned(db: SqliteDatabase): void {
  try {
    db.exec(PRUNED_INDEX);
  } catch (error) {
    const told = storageError(error);
    if (!(told instanceof StorageError) || told.kind !== 'full') throw error;
  }
}

/** SQLite's codes in the port's words; other errors pass. */
export function storageError(error: unknown): unknown {
  const code = error instanceof Database.SqliteError ? error.code : '';
  const message = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  if (code === 'SQLITE_FULL') return new StorageError('full', 'the disk is full', options);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new StorageError('busy', 'another program holds the database', options);
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_CANTOPEN')
    return new StorageError('read-only', 'the file system is read-only', options);
  if (code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB')
    return new StorageError('failed', message, options);
  return error;
}
