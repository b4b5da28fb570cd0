import type { Database } from 'better-sqlite3';
import { ForeignError } from '../../commands/ports/foreign-panel.js';
import type { ImportFinding } from '../../events/import.js';
import { columnOf, isPassedOver, needed, obsolete, type Table, tables } from './tables.js';

/** Characters of a foreign name that are shown. */
const SHOWN = 60;

/** Only what all tables have in common is used of each. */
const known = new Map<string, Table<never>>(Object.values(tables).map((table) => [table.name, table as Table<never>]));

/** What the tables show of the release, and the columns that each of them has. */
export interface Shape {
  readonly version: '2.x' | '3.0';
  /** By table; one that is missing, or of no use, is missing here. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tables and columns that this panel has no place for, and those that it misses. */
  readonly findings: readonly ImportFinding[];
}

/**
 * Compares what a database is made of with what 3x-ui makes. Releases differ: what is missing has a default, and what is
 * unknown is not read; both are findings. Throws `ForeignError` for what computes, and where accounts, inbounds or
 * settings are missing. No row of the database has been read by then.
 */
export function shapeOf(db: Database): Shape {
  const all = plainTables(db);
  for (const { name } of needed) {
    if (all.has(name)) continue;
    if (all.has('events')) throw new ForeignError('This is a log of Portolan itself: restore it with portolan restore');
    throw new ForeignError(`This is not a database of 3x-ui: it has no table ${name}`);
  }
  const columns = new Map<string, ReadonlySet<string>>();
  const findings: ImportFinding[] = [];
  for (const table of known.values()) {
    const own = all.get(table.name);
    if (own && isReadable(db, table, own, findings)) columns.set(table.name, own);
    if (!own)
      findings.push(aboutTable(table.name, 'noted', 'this database does not have it: nothing is taken from it'));
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
    else if (type !== 'index')
      throw new ForeignError(`The database holds the ${type} ${shown(name)}: 3x-ui makes none, so it is not read`);
    else if (sql !== null && !isPlainIndex(db, name, table, sql))
      throw new ForeignError(`The database holds the index ${shown(name)}, which computes: 3x-ui makes none like that`);
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
    throw new ForeignError(`The database holds the virtual table ${shown(table)}: 3x-ui makes none, so it is not read`);
  const rows = db.prepare<[string], { name: string; hidden: bigint | number }>(
    'SELECT name, hidden FROM pragma_table_xinfo(?)',
  );
  const found = rows.all(table);
  const computed = found.find(({ hidden }) => Number(hidden) !== 0);
  if (computed)
    throw new ForeignError(
      `The table ${shown(table)} has the generated column ${shown(computed.name)}: 3x-ui makes none, so it is not read`,
    );
  return new Set(found.map(({ name }) => name));
}

/** Whether the rows of a known table can be read. Throws where the panel would be nothing without them. */
function isReadable(db: Database, table: Table<never>, own: ReadonlySet<string>, findings: ImportFinding[]): boolean {
  const lacking = table.needed.map(columnOf).find((column) => !own.has(column));
  if (lacking !== undefined) {
    if (needed.some(({ name }) => name === table.name))
      throw new ForeignError(`This is not a database of 3x-ui: the table ${table.name} has no column ${lacking}`);
    const why = `it has no column ${lacking}, without which its rows cannot be read (rows: ${rowsIn(db, table.name)})`;
    findings.push(aboutTable(table.name, 'skipped', why));
    return false;
  }
  const note = (column: string, why: string): void =>
    void findings.push({ table: table.name, item: `column ${shown(column)}`, outcome: 'noted', reason: why });
  const members = Object.entries<{ readonly missing: unknown }>(table.columns);
  for (const [member, { missing }] of members)
    if (!own.has(columnOf(member))) note(columnOf(member), `this database does not have it: ${inItsPlace(missing)}`);
  const expected = new Set([...members.map(([member]) => columnOf(member)), ...(obsolete[table.name] ?? [])]);
  for (const column of own) if (!expected.has(column)) note(column, 'this panel has no place for what is in it');
  return true;
}

/** What each row gets for a column that is missing, as a sentence. */
function inItsPlace(missing: unknown): string {
  if (missing === null) return 'what the settings of the inbound say is taken';
  if (typeof missing === 'boolean') return `${missing ? 'yes' : 'no'} is taken for each row`;
  return missing === '' ? 'each row is without it' : `${String(missing)} is taken for each row`;
}

function unknownTable(db: Database, name: string): ImportFinding {
  const rows = rowsIn(db, name);
  return rows === 0
    ? aboutTable(shown(name), 'noted', 'this panel does not know it; it is empty')
    : aboutTable(
        shown(name),
        'skipped',
        `this panel does not know it, and does not read what is in it (rows: ${rows})`,
      );
}

function rowsIn(db: Database, table: string): number {
  const count = db.prepare<[], { rows: bigint | number }>(
    `SELECT count(*) AS rows FROM "${table.replaceAll('"', '""')}"`,
  );
  return Number(count.get()?.rows ?? 0);
}

function aboutTable(table: string, what: ImportFinding['outcome'], why: string): ImportFinding {
  return { table, item: 'the table', outcome: what, reason: why };
}

/** A foreign name, for a sentence. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN));
}
