import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { RefusedFile } from '../../commands/ports/refused-file.js';
import { quoted } from '../../lib/escaped.js';
import { message } from '../../messages/message.js';
import { LAYOUT, PRUNED_INDEX, SCHEMA, type SqliteDatabase } from '../sqlite/database.js';
import { BACKUP_SCHEMA, type BackupRow, FORMAT } from './layout.js';

/** The tables by which a backup of this panel and a database of 3x-ui are recognized. */
const OURS = ['events', 'keys', 'backup'];
const XUI = ['inbounds', 'settings', 'users'];
const HEADER = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** Names that a message lists. */
const MAX_NAMED = 5;

/**
 * Opens an untrusted file for reading: no function of its schema runs, cells are checked, and no page is mapped into
 * memory. Throws `RefusedFile` when it is not a complete database.
 */
export function openUntrusted(file: string): SqliteDatabase {
  checkHeader(file);
  return refusing(() => {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      db.unsafeMode(false);
      for (const pragma of ['trusted_schema = OFF', 'cell_size_check = ON', 'mmap_size = 0', 'query_only = ON'])
        db.pragma(pragma);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** The kind of a database, by its tables. Throws `RefusedFile` for any other database. */
export function kindOf(db: SqliteDatabase): 'portolan' | '3x-ui' {
  const objects = refusing(() => schemaOf(db));
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name);
  const has = (names: readonly string[]): boolean => names.every((name) => tables.includes(name));
  if (has(OURS)) return 'portolan';
  if (has(XUI)) return '3x-ui';
  if (has(['events', 'keys', 'meta'])) throw new RefusedFile(message('backup.logWithoutKey'));
  if (tables.length === 0) throw new RefusedFile(message('backup.noTables'));
  throw new RefusedFile(message('backup.otherDatabase', { tables: listed(tables) }));
}

/**
 * Reads the description of a backup, after checking that its schema is exactly ours and that SQLite finds no damaged
 * page. Throws `RefusedFile` with the first difference.
 */
export function checkBackup(db: SqliteDatabase): BackupRow {
  return refusing(() => {
    const layout = db.pragma('user_version', { simple: true }) as number;
    if (layout !== LAYOUT) throw new RefusedFile(message('backup.layout', { layout, known: LAYOUT }));
    checkSchema(db);
    const rows = db.prepare<[], BackupRow>('SELECT * FROM backup LIMIT 2').all();
    const [row] = rows;
    if (!row || rows.length > 1) throw new RefusedFile(message('backup.noDescription'));
    if (row.format !== FORMAT)
      throw new RefusedFile(message('backup.newerFormat', { format: row.format, known: FORMAT }));
    const problem = String(db.pragma('integrity_check(1)', { simple: true }));
    if (problem !== 'ok') throw new RefusedFile(message('backup.databaseDamaged', { problem: problem.slice(0, 200) }));
    return row;
  });
}

/** Checks the header and the size of the file without SQLite. */
function checkHeader(file: string): void {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(handle);
    if (!fstatSync(handle).isFile()) throw new RefusedFile(message('backup.notRegular'));
    const header = Buffer.alloc(HEADER_BYTES);
    if (size === 0) throw new RefusedFile(message('backup.fileEmpty'));
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || header.toString('latin1', 0, 16) !== HEADER)
      throw new RefusedFile(message('backup.notSqlite'));
    const stored = header.readUInt16BE(16);
    const pageSize = stored === 1 ? 65_536 : stored;
    // SQLite has written the page count since version 3.7.0 (2010).
    const claimed = header.readUInt32BE(28) * pageSize;
    if (claimed > size) throw new RefusedFile(message('backup.cutShort', { claimed, size }));
  } finally {
    closeSync(handle);
  }
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

function schemaOf(db: SqliteDatabase): readonly SchemaObject[] {
  return db.prepare<[], SchemaObject>('SELECT type, name, sql FROM sqlite_schema').all();
}

/** The schema must equal ours word for word: an additional view or trigger would run with our rights. */
function checkSchema(db: SqliteDatabase): void {
  const ours = new Database(':memory:');
  try {
    ours.exec(SCHEMA);
    ours.exec(BACKUP_SCHEMA);
    ours.exec(PRUNED_INDEX);
    const wanted = new Map(schemaOf(ours).map((object) => [`${object.type} ${object.name}`, object]));
    for (const { type, name, sql } of schemaOf(db)) {
      const known = wanted.get(`${type} ${name}`);
      if (!known) throw new RefusedFile(message('backup.schemaExtra', { type, name: quoted(name) }));
      if (known.sql !== sql) throw new RefusedFile(message('backup.schemaChanged', { type, name: quoted(name) }));
      wanted.delete(`${type} ${name}`);
    }
    // Backups of earlier releases do not have it.
    wanted.delete('index pruned');
    const [missing] = wanted.keys();
    if (missing !== undefined) throw new RefusedFile(message('backup.schemaMissing', { object: missing }));
  } finally {
    ours.close();
  }
}

function listed(names: readonly string[]): readonly string[] {
  return [...names.slice(0, MAX_NAMED).map(quoted), ...(names.length > MAX_NAMED ? ['…'] : [])];
}

/** Turns an error of SQLite into a `RefusedFile`. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new RefusedFile(message('backup.databaseDamaged', { problem: error.message }), { cause: error });
  }
}
