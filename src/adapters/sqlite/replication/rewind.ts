import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { type EventRow, exportLineOf, storedData } from '../codec.js';
import type { SqliteDatabase } from '../database.js';
import { keysOf } from './batch-codec.js';

const PAGE = 500;

/** The part of the log after a position. */
export interface Tail {
  readonly first: number;
  readonly last: number;
  /** Data keys that its events are encrypted with. */
  readonly keys: readonly string[];
  /** Data keys that its events have destroyed. */
  readonly destroyed: readonly string[];
  /** Whether it has removed payloads of measurements, which only the stream still has. */
  readonly prunes: boolean;
}

function* rowsAfter(db: SqliteDatabase, position: number): Generator<EventRow> {
  const page = db.prepare<[number, number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  for (let rows = page.all(position, PAGE); rows.length > 0; rows = page.all(rows.at(-1)?.position ?? 0, PAGE))
    yield* rows;
}

/** What the log has after a position; null = nothing. */
export function tailAfter(db: SqliteDatabase, position: number): Tail | null {
  let last = position;
  let prunes = false;
  const destroyed: string[] = [];
  const keys = new Set<string>();
  for (const row of rowsAfter(db, position)) {
    last = row.position;
    prunes ||= row.type === 'MeasurementsRolledUp';
    if (row.type === 'DataKeyDestroyed') destroyed.push(String(storedData(row)?.['key']));
    for (const id of row.payload === null ? [] : keysOf(row)) keys.add(id);
  }
  return last === position ? null : { first: position + 1, last, keys: [...keys], destroyed, prunes };
}

/** Writes the events after a position to a new file, as `portolan events export` does. Durable when it returns. */
export function exportTail(db: SqliteDatabase, position: number, file: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    for (const row of rowsAfter(db, position)) writeSync(handle, `${exportLineOf(row)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Removes the events after a position and stores the data keys as they were before: `keys` has each key that the events used
 * or destroyed; null = it did not exist. One transaction. Only for events that the cluster never confirmed, so that none of
 * them was acknowledged.
 */
export function removeTail(db: SqliteDatabase, position: number, keys: ReadonlyMap<string, Uint8Array | null>): void {
  const trigger = db
    .prepare<[], { sql: string }>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'events_keep'")
    .get();
  if (trigger === undefined) throw new Error('the database has no trigger events_keep');
  const forget = db.prepare('DELETE FROM keys WHERE id = ?');
  const restore = db.prepare('UPDATE keys SET wrapped = ?, shredded = NULL WHERE id = ?');
  db.transaction(() => {
    db.exec('DROP TRIGGER events_keep');
    db.prepare('DELETE FROM events WHERE position > ?').run(position);
    db.prepare('DELETE FROM commands WHERE last > ?').run(position);
    db.exec('DELETE FROM tree');
    for (const [id, wrapped] of keys) {
      if (wrapped === null) forget.run(id);
      else restore.run(Buffer.from(wrapped), id);
    }
    db.exec(trigger.sql);
  }).immediate();
}
