import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { decode, type EventRow, exportLineOf, storedData } from '../codec.js';
import type { SqliteDatabase } from '../database.js';
import type { Keyring } from '../keyring.js';
import { keysOf } from './batch-codec.js';

const PAGE = 500;

/** The part of the log after a position. */
interface Tail {
  readonly first: number;
  readonly last: number;
  /** Data keys that its events are encrypted with. */
  readonly keys: ReadonlySet<string>;
  /** Data keys that its events have destroyed. */
  readonly destroyed: readonly string[];
  /** Whether it has removed payloads of measurements, which only the stream still has. */
  readonly prunes: boolean;
  /** Position at which the panel began to run alone: later events were acknowledged. Null = it did not. */
  readonly leftAt: number | null;
}

function* rowsAfter(db: SqliteDatabase, position: number): Generator<EventRow> {
  const page = db.prepare<[number, number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  for (let rows = page.all(position, PAGE); rows.length > 0; rows = page.all(rows.at(-1)?.position ?? 0, PAGE))
    yield* rows;
}

/** Stores the key of a log that its events are encrypted with. */
function restore(db: SqliteDatabase, keyring: Keyring, id: string, keys: readonly Uint8Array[]): void {
  const row = keys.length > 1 ? lastWith(db, id) : undefined;
  for (const key of keys) {
    keyring.adopt(id, Buffer.from(key));
    if (row === undefined || opens(row, keyring)) return;
  }
}

/** The last event that is encrypted with a key under this id. */
function lastWith(db: SqliteDatabase, id: string): EventRow | undefined {
  const rows = db.prepare<[], EventRow>('SELECT * FROM events ORDER BY position DESC').iterate();
  for (const row of rows) if (row.payload !== null && keysOf(row).includes(id)) return row;
  return undefined;
}

function opens(row: EventRow, keyring: Keyring): boolean {
  try {
    decode(row, keyring);
    return true;
  } catch {
    return false;
  }
}

/** What the log has after a position; null = nothing. */
export function tailAfter(db: SqliteDatabase, position: number): Tail | null {
  let last = position;
  let prunes = false;
  let leftAt: number | null = null;
  const destroyed: string[] = [];
  const keys = new Set<string>();
  for (const row of rowsAfter(db, position)) {
    last = row.position;
    for (const id of keysOf(row)) keys.add(id);
    prunes ||= row.type === 'MeasurementsRolledUp';
    if (row.type === 'ClusterLeft') leftAt ??= row.position;
    if (row.type === 'DataKeyDestroyed') destroyed.push(String(storedData(row)?.['key']));
  }
  return last === position ? null : { first: position + 1, last, keys, destroyed, prunes, leftAt };
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
 * Removes the events after a position, and stores the data keys again that these events destroyed: `destroyed` has the keys
 * that the cluster has under each id. Keys that only the removed events used stay until the cluster has another one. One
 * transaction. Only for events that the cluster never confirmed, so that none of them was acknowledged.
 */
export function removeTail(
  db: SqliteDatabase,
  position: number,
  keyring: Keyring,
  destroyed: ReadonlyMap<string, readonly Uint8Array[]>,
): void {
  const trigger = db
    .prepare<[], { sql: string }>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'events_keep'")
    .get();
  if (trigger === undefined) throw new Error('the database has no trigger events_keep');
  db.transaction(() => {
    db.exec('DROP TRIGGER events_keep');
    db.prepare('DELETE FROM events WHERE position > ?').run(position);
    db.prepare('DELETE FROM commands WHERE last > ?').run(position);
    db.exec('DELETE FROM tree');
    for (const [id, keys] of destroyed) restore(db, keyring, id, keys);
    db.exec(trigger.sql);
  }).immediate();
}
