import type { EventRow } from './codec.js';
import { openDatabase, type SqliteDatabase } from './database.js';

/** Rows per transaction. */
const PAGE = 5000;

/**
 * Copies the events up to `position` with their keys, commands and roll-up ranges into a new database. The source may be
 * damaged after that position. Returns the ids of keys that are destroyed although none of these events destroyed them.
 */
export function copyEvents(from: string, to: string, position: number): readonly string[] {
  const source = openDatabase(from, { readonly: true });
  try {
    const target = openDatabase(to);
    try {
      copyRows(source, target, position);
      copyTable(source, target, 'keys', 'SELECT * FROM keys', 4);
      copyTable(source, target, 'commands', `SELECT * FROM commands WHERE last <= ${position}`, 5);
      copyTable(source, target, 'prunable', `SELECT * FROM prunable WHERE last <= ${position}`, 2);
      copyTable(source, target, 'meta', 'SELECT * FROM meta', 2);
      return target.prepare<[], string>(KEYS_WITHOUT_EVENT).pluck().all();
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

const KEYS_WITHOUT_EVENT = `
SELECT id FROM keys WHERE wrapped IS NULL AND id NOT IN (
  SELECT CAST(payload AS TEXT) ->> '$.key' FROM events WHERE type = 'DataKeyDestroyed'
)`;

function copyRows(source: SqliteDatabase, target: SqliteDatabase, last: number): void {
  const read = source.prepare<[number, number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  const write = target.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const put = target.transaction((rows: readonly EventRow[]) => {
    for (const row of rows) write.run(...Object.values(row));
  });
  for (let position = 0; position < last; ) {
    // Not one row more: SQLite would read the next page, which may be damaged.
    const rows = read.all(position, Math.min(PAGE, last - position));
    put(rows);
    position = rows.at(-1)?.position ?? last;
  }
}

function copyTable(source: SqliteDatabase, target: SqliteDatabase, table: string, sql: string, columns: number): void {
  const write = target.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`);
  target.transaction(() => {
    for (const row of source.prepare<[], unknown[]>(sql).raw().iterate()) write.run(...row);
  })();
}
