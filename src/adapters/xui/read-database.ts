import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { RefusedFile } from '../../commands/ports/refused-file.js';
import type { XuiPanel } from '../../commands/ports/xui-panel.js';
import type { ImportFinding } from '../../events/import.js';
import { message, type Text } from '../../messages/message.js';
import { shapeOf, shown } from './shape.js';
import { columnOf, type Table, tables } from './tables.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a private copy of a database of 3x-ui. Throws `RefusedFile` when it is another database, is damaged, or holds an
 * object that computes values. A value that cannot be read is a finding.
 */
export function readDatabase(file: string): XuiPanel {
  const db = opened(file);
  try {
    const { version, columns, findings: strange } = shapeOf(db);
    const [sound] = db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (sound?.integrity_check !== 'ok')
      throw new RefusedFile(
        message('backup.databaseDamaged', { problem: String(sound?.integrity_check).slice(0, 200) }),
      );
    const findings = [...strange];
    const rowsOf = <R>(table: Table<R>): R[] => readTable(db, table, columns.get(table.name), findings);
    return {
      version,
      users: rowsOf(tables.users),
      inbounds: rowsOf(tables.inbounds),
      stats: rowsOf(tables.stats),
      outbounds: rowsOf(tables.outbounds),
      ips: rowsOf(tables.ips),
      settings: rowsOf(tables.settings),
      nodes: rowsOf(tables.nodes),
      geo: rowsOf(tables.geo),
      findings,
    };
  } catch (error) {
    throw refusal(error);
  } finally {
    db.close();
  }
}

/** Nothing in the file is trusted: it defines no functions, maps no memory and changes nothing. */
function opened(file: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    // SQLite first rolls back an interrupted write, which needs write access; the copy is private.
    db = new Database(file, { readonly: !existsSync(`${file}-journal`), fileMustExist: true });
    db.defaultSafeIntegers(true);
    for (const pragma of [
      'trusted_schema = OFF',
      'cell_size_check = ON',
      'mmap_size = 0',
      'ignore_check_constraints = ON',
      'temp_store = MEMORY',
      'query_only = ON',
    ])
      db.pragma(pragma);
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    db?.close();
    throw refusal(error);
  }
}

function readTable<R>(
  db: Database.Database,
  { name, columns, most }: Table<R>,
  columnNames: ReadonlySet<string> | undefined,
  findings: ImportFinding[],
): R[] {
  if (!columnNames) return [];
  const members = (Object.keys(columns) as (keyof R & string)[]).map((member) => [member, columnOf(member)] as const);
  const present = members.filter(([, column]) => columnNames.has(column));
  const absent = members
    .filter(([, column]) => !columnNames.has(column))
    .map(([member]) => [member, columns[member].missing]);
  const list = present.map(([, column]) => `"${column}"`).join(', ');
  const select = db.prepare<[number], Row>(`SELECT ${list} FROM "${name}" ORDER BY "id" LIMIT ?`);
  const rows: R[] = [];
  for (const row of select.iterate(most + 1)) {
    if (rows.length === most) throw new RefusedFile(message('import.tooManyRows', { table: name, most }));
    const read = present.map(([member, column]) => {
      const { schema, rescue } = columns[member];
      const raw = textOfBlob(row[column]);
      const parsed = schema.safeParse(raw);
      if (parsed.success) return [member, parsed.data];
      const replacement = rescue(raw);
      const item = message('import.row', { row: String(row['id']).slice(0, 20) });
      findings.push({ table: name, item, outcome: 'changed', reason: replacedValue(column, raw, replacement) });
      return [member, replacement];
    });
    rows.push(Object.fromEntries([...read, ...absent]) as R);
  }
  return rows;
}

/** As 3x-ui does: a program that edits a database by hand may store a text as bytes. */
function textOfBlob(raw: unknown): unknown {
  return Buffer.isBuffer(raw) ? raw.toString('utf8') : raw;
}

/** Reports an invalid value and its replacement. Long strings are not shown, because they may be secrets. */
function replacedValue(column: string, raw: unknown, replacement: unknown): Text {
  if (typeof replacement === 'string') return message('import.valueTooLong', { column });
  return message('import.valueReplaced', { column, value: shown(String(raw)), taken: String(replacement) });
}

/** SQLite's messages are about the file and quote nothing of its content. */
function refusal(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_NOTADB') return new RefusedFile(message('backup.notSqlite'));
  return new RefusedFile(message('import.databaseUnreadable', { why: error.message.slice(0, 200) }), { cause: error });
}
