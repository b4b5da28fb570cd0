import type { Database } from 'better-sqlite3';
import { RefusedFile } from '../../commands/ports/refused-file.js';
import type { ImportFinding } from '../../events/import.js';
import { message, type Text } from '../../messages/message.js';
import { columnOf, isPassedOver, needed, obsolete, type Table, tables } from './tables.js';

/** Characters of a name in the database that are shown. */
const MAX_SHOWN_CHARS = 60;

/** Only what all tables have in common is used of each. */
const known = new Map<string, Table<never>>(Object.values(tables).map((table) => [table.name, table as Table<never>]));

/** What the tables show of the release, and the columns that each of them has. */
interface Shape {
  readonly version: '2.x' | '3.0';
  /** By table; without tables that are missing or cannot be read. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tables and columns that this panel has no place for, and those that it misses. */
  readonly findings: readonly ImportFinding[];
}

/**
 * Compares the schema of a database with that of 3x-ui. Releases differ: missing columns get a default and unknown ones
 * are not read; both are findings. Throws `RefusedFile` for what computes, and where accounts, inbounds or settings are
 * missing. No row of the database has been read by then.
 */
export function shapeOf(db: Database): Shape {
  const all = plainTables(db);
  for (const { name } of needed) {
    if (all.has(name)) continue;
    if (all.has('events')) throw new RefusedFile(message('import.ownLog'));
    throw new RefusedFile(message('import.noTable', { table: name }));
  }
  const columns = new Map<string, ReadonlySet<string>>();
  const findings: ImportFinding[] = [];
  for (const table of known.values()) {
    const own = all.get(table.name);
    if (own && isReadable(db, table, own, findings)) columns.set(table.name, own);
    if (!own) findings.push(aboutTable(table.name, 'noted', message('import.tableMissing')));
  }
  for (const name of all.keys()) if (!known.has(name) && !isPassedOver(name)) findings.push(unknownTable(db, name));
  const newer = ['nodes', 'custom_geo_resources'].some((name) => all.has(name));
  return { version: newer || all.get('inbounds')?.has('node_id') ? '3.0' : '2.x', columns, findings };
}

/** All tables with the names of their columns. Throws for anything else, and for tables and indexes that compute. */
function plainTables(db: Database): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = db.prepare<[], { type: string; name: string; tbl_name: string; sql: string | null }>(
    'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid',
  );
  const found = new Map<string, ReadonlySet<string>>();
  for (const { type, name, tbl_name: table, sql } of objects.all()) {
    if (type === 'table') found.set(name, plainColumns(db, name, sql ?? ''));
    else if (type !== 'index') throw new RefusedFile(message('import.objectRefused', { type, name: shown(name) }));
    else if (sql !== null && !isPlainIndex(db, name, table, sql))
      throw new RefusedFile(message('import.indexComputes', { name: shown(name) }));
  }
  return found;
}

/** Comparisons of columns with constants, such as gorm writes for `where:`; no calls and no patterns. */
const PLAIN_CONDITION = /^\s*WHERE(?:[`"\w\s.<>=!-]|'[^')]*')+$/i;
const COMPUTING_WORD = /\b(?:like|glob|match|regexp|case|collate)\b/i;

/** Whether an index is over whole columns, of all rows or of those that a plain comparison selects. */
function isPlainIndex(db: Database, index: string, table: string, sql: string): boolean {
  const computes = db.prepare<[string], 1>('SELECT 1 FROM pragma_index_xinfo(?) WHERE cid = -2').get(index);
  if (computes !== undefined) return false;
  const partial = db.prepare<[string, string], 1>('SELECT 1 FROM pragma_index_list(?) WHERE name = ? AND partial = 1');
  const condition = sql.slice(sql.lastIndexOf(')') + 1);
  return (
    partial.get(table, index) === undefined || (PLAIN_CONDITION.test(condition) && !COMPUTING_WORD.test(condition))
  );
}

/** The names of the columns of a table, all of which only hold values. */
function plainColumns(db: Database, table: string, sql: string): ReadonlySet<string> {
  if (!/^CREATE\s+TABLE\s/i.test(sql))
    throw new RefusedFile(message('import.objectRefused', { type: 'virtual table', name: shown(table) }));
  const rows = db.prepare<[string], { name: string; hidden: bigint | number }>(
    'SELECT name, hidden FROM pragma_table_xinfo(?)',
  );
  const found = rows.all(table);
  const computed = found.find(({ hidden }) => Number(hidden) !== 0);
  if (computed)
    throw new RefusedFile(message('import.generatedColumn', { table: shown(table), column: shown(computed.name) }));
  return new Set(found.map(({ name }) => name));
}

/** Whether the rows of a known table can be read. Throws for a required table. */
function isReadable(db: Database, table: Table<never>, own: ReadonlySet<string>, findings: ImportFinding[]): boolean {
  const lacking = table.needed.map(columnOf).find((column) => !own.has(column));
  if (lacking !== undefined) {
    if (needed.some(({ name }) => name === table.name))
      throw new RefusedFile(message('import.noColumn', { table: table.name, column: lacking }));
    const why = message('import.columnNeeded', { column: lacking, rows: rowsIn(db, table.name) });
    findings.push(aboutTable(table.name, 'skipped', why));
    return false;
  }
  const note = (column: string, reason: Text): void => {
    const item = message('import.column', { column: shown(column) });
    findings.push({ table: table.name, item, outcome: 'noted', reason });
  };
  const members = Object.entries<{ readonly missing: unknown }>(table.columns);
  for (const [member, { missing }] of members)
    if (!own.has(columnOf(member)))
      note(columnOf(member), message('import.columnMissing', { instead: substituteFor(missing) }));
  const expected = new Set([...members.map(([member]) => columnOf(member)), ...(obsolete[table.name] ?? [])]);
  for (const column of own) if (!expected.has(column)) note(column, message('import.columnUnknown'));
  return true;
}

/** What each row gets for a missing column. */
function substituteFor(missing: unknown): Text {
  if (missing === null) return message('import.insteadSettings');
  if (typeof missing === 'boolean') return message(missing ? 'import.insteadYes' : 'import.insteadNo');
  return missing === '' ? message('import.insteadNothing') : message('import.insteadValue', { value: String(missing) });
}

function unknownTable(db: Database, name: string): ImportFinding {
  const rows = rowsIn(db, name);
  return rows === 0
    ? aboutTable(shown(name), 'noted', message('import.tableUnknownEmpty'))
    : aboutTable(shown(name), 'skipped', message('import.tableUnknown', { rows }));
}

function rowsIn(db: Database, table: string): number {
  const count = db.prepare<[], { rows: bigint | number }>(
    `SELECT count(*) AS rows FROM "${table.replaceAll('"', '""')}"`,
  );
  return Number(count.get()?.rows ?? 0);
}

function aboutTable(table: string, outcome: ImportFinding['outcome'], reason: Text): ImportFinding {
  return { table, item: message('import.table'), outcome, reason };
}

/** A name in the database, for a message. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, MAX_SHOWN_CHARS));
}
