import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { quoted } from '../../lib/escaped.js';
import { LAYOUT, PRUNED_INDEX, SCHEMA, type SqliteDatabase } from '../sqlite/database.js';
import { BACKUP_SCHEMA, type BackupRow, FORMAT } from './layout.js';
import { RefusedFile } from './refused-file.js';

/** What makes a database ours, and one of 3x-ui; both in another database make it neither. */
const OURS = ['events', 'keys', 'backup'];
const FOREIGN = ['inbounds', 'settings', 'users'];
const HEADER = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** Names that a sentence lists. */
const NAMED = 5;

/**
 * Opens a file of a stranger for reading. Nothing in it is trusted: no function of a schema runs, cells are checked, no
 * page is mapped into memory. Throws `RefusedFile` for what is not a whole database.
 */
export function openUntrusted(file: string): SqliteDatabase {
  checkHeader(file);
  return told(() => {
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

/** What a database is, by its tables. Throws `RefusedFile` when it is of neither kind. */
export function kindOf(db: SqliteDatabase): 'portolan' | '3x-ui' {
  const objects = told(() => schemaOf(db));
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name);
  const has = (names: readonly string[]): boolean => names.every((name) => tables.includes(name));
  if (has(OURS)) return 'portolan';
  if (has(FOREIGN)) return '3x-ui';
  if (has(['events', 'keys', 'meta']))
    throw new RefusedFile('It is a log without its key, and no backup: make one with getDb or portolan backup');
  if (tables.length === 0) throw new RefusedFile('It is a database without tables');
  throw new RefusedFile(`It is a database of something else; its tables are ${listed(tables)}`);
}

/**
 * Reads what a backup says it is, once its schema is exactly ours and SQLite finds every page sound. Throws
 * `RefusedFile` that names what is too much, missing, newer or broken.
 */
export function checkBackup(db: SqliteDatabase): BackupRow {
  return told(() => {
    const layout = db.pragma('user_version', { simple: true }) as number;
    if (layout !== LAYOUT)
      throw new RefusedFile(`It was written by another release (layout ${layout}, this one knows ${LAYOUT})`);
    checkSchema(db);
    const rows = db.prepare<[], BackupRow>('SELECT * FROM backup LIMIT 2').all();
    const [row] = rows;
    if (!row || rows.length > 1) throw new RefusedFile('It does not say what it is: its table backup has not one row');
    if (row.format !== FORMAT)
      throw new RefusedFile(`It is a backup of a newer release (format ${row.format}, this one knows ${FORMAT})`);
    const flaw = db.pragma('integrity_check(1)', { simple: true });
    if (flaw !== 'ok') throw new RefusedFile(`The database is damaged: ${String(flaw).slice(0, 200)}`);
    return row;
  });
}

/** Only the beginning is read, and the size: a header may claim what it likes. */
function checkHeader(file: string): void {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(handle);
    if (!fstatSync(handle).isFile()) throw new RefusedFile('It is not a plain file');
    const header = Buffer.alloc(HEADER_BYTES);
    if (size === 0) throw new RefusedFile('The file is empty');
    if (readSync(handle, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || header.toString('latin1', 0, 16) !== HEADER)
      throw new RefusedFile('It is not an SQLite database');
    const stored = header.readUInt16BE(16);
    const pageSize = stored === 1 ? 65_536 : stored;
    // In the header of a database that was written by any SQLite of this century.
    const claimed = header.readUInt32BE(28) * pageSize;
    if (claimed > size) throw new RefusedFile(`The file is cut short: it should have ${claimed} bytes and has ${size}`);
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

/** Exactly our tables, indexes and triggers, word for word: a view or a trigger more would run with our rights. */
function checkSchema(db: SqliteDatabase): void {
  const ours = new Database(':memory:');
  try {
    ours.exec(SCHEMA);
    ours.exec(BACKUP_SCHEMA);
    ours.exec(PRUNED_INDEX);
    const wanted = new Map(schemaOf(ours).map((object) => [`${object.type} ${object.name}`, object]));
    for (const { type, name, sql } of schemaOf(db)) {
      const known = wanted.get(`${type} ${name}`);
      if (!known) throw new RefusedFile(`It has the ${type} ${quoted(name)}, which no backup has`);
      if (known.sql !== sql) throw new RefusedFile(`Its ${type} ${quoted(name)} is not the one of a backup`);
      wanted.delete(`${type} ${name}`);
    }
    // Backups of earlier releases are without it.
    wanted.delete('index pruned');
    const [missing] = wanted.keys();
    if (missing !== undefined) throw new RefusedFile(`It lacks the ${missing}`);
  } finally {
    ours.close();
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).map(quoted).join(', ')}${more}`;
}

/** What SQLite says of a broken file, as a sentence. */
function told<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new RefusedFile(`The database is damaged: ${error.message}`, { cause: error });
  }
}
