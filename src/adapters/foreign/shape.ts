import type { Database } from 'better-sqlite3';
import { ForeignError } from '../../commands/ports/foreign-panel.js';
import type { ImportFinding } from '../../events/import.js';
import { columnOf, needed, obsolete, passedOver, type Table, tables } from './tables.js';

/** Characters of a stranger's name that are shown. */
const SHOWN = 60;
const NAME = '[`"[]?\\w+[`"\\]]?';
/** An index over plain columns of one table; anything else computes. */
const PLAIN_INDEX = new RegExp(
  `^CREATE\\s+(UNIQUE\\s+)?INDEX\\s+${NAME}\\s+ON\\s+${NAME}\\s*\\(\\s*${NAME}(\\s*,\\s*${NAME})*\\s*\\)$`,
  'i',
);

const known = new Map<string, Table<never>>(Object.values(tables).map((table) => [table.name, table as Table<never>]));

/** What the tables show of the release, and the columns that each of them has. */
export interface Shape {
  readonly version: '2.x' | '3.0';
  /** By table; one that is not there is missing here. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Columns that hold something this panel has no place for. */
  readonly findings: readonly ImportFinding[];
}

/**
 * Compares what a database is made of with what 3x-ui makes. Nothing in it has been read or run by then. Throws
 * `ForeignError` with the name of what does not belong there.
 */
export function shapeOf(db: Database): Shape {
  const objects = db.prepare<[], { type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_master ORDER BY rowid',
  );
  const columns = new Map<string, ReadonlySet<string>>();
  const findings: ImportFinding[] = [];
  for (const { type, name, sql } of objects.all()) {
    if (type === 'table') {
      if (!known.has(name) && !passedOver.has(name)) throw stranger(name);
      columns.set(name, plainColumns(db, name, sql ?? ''));
    } else if (type !== 'index') {
      throw new ForeignError(`The database holds the ${type} ${shown(name)}: 3x-ui makes none, so it is not read`);
    } else if (sql !== null && !PLAIN_INDEX.test(sql)) {
      throw new ForeignError(`The database holds the index ${shown(name)}, which computes: 3x-ui makes none like that`);
    }
  }
  for (const table of needed) {
    if (!columns.has(table.name))
      throw new ForeignError(`This is not a database of 3x-ui: it has no table ${table.name}`);
  }
  for (const [name, own] of columns) {
    const table = known.get(name);
    if (table) findings.push(...columnFindings(table, own));
  }
  const newer = ['nodes', 'custom_geo_resources'].some((name) => columns.has(name));
  return { version: newer || columns.get('inbounds')?.has('node_id') ? '3.0' : '2.x', columns, findings };
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

function columnFindings(table: Table<never>, own: ReadonlySet<string>): ImportFinding[] {
  const members = Object.keys(table.columns);
  const missing = table.needed.find((member) => !own.has(columnOf(member)));
  if (missing !== undefined)
    throw new ForeignError(
      `This is not a database of 3x-ui: the table ${table.name} has no column ${columnOf(missing)}`,
    );
  const expected = new Set([...members.map(columnOf), ...(obsolete[table.name] ?? [])]);
  return [...own]
    .filter((column) => !expected.has(column))
    .map((column) => ({
      table: table.name,
      item: `column ${shown(column)}`,
      what: 'noted',
      why: 'this panel has no place for what is in it',
    }));
}

function stranger(name: string): ForeignError {
  if (name === 'events') return new ForeignError('This is a log of Portolan itself: restore it with portolan restore');
  return new ForeignError(
    `The table ${shown(name)} is none of 3x-ui 2.x or 3.0: the database is of something else, or of a newer release`,
  );
}

/** A name of a stranger, for a sentence. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN));
}
