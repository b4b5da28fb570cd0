import { existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { chainHash, type EventRow, payloadHash } from '../../../src/adapters/sqlite/codec.js';

/** Changes the file as a database editor would, without the triggers. */
export function tamper(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file);
  try {
    db.exec('DROP TRIGGER IF EXISTS events_keep; DROP TRIGGER IF EXISTS events_fixed');
    change(db);
  } finally {
    db.close();
  }
}

/** A second connection that obeys the schema. */
export function beside<T>(file: string, ask: (db: Database.Database) => T): T {
  const db = new Database(file, { timeout: 0 });
  try {
    return ask(db);
  } finally {
    db.close();
  }
}

/** The first position where the chain does not hold, or null. */
export function chainBreak(rows: readonly EventRow[]): number | null {
  let before: Buffer = Buffer.alloc(32);
  for (const [i, row] of rows.entries()) {
    const payloadHolds = row.payload === null || payloadHash(row.payload).equals(row.payload_hash);
    if (row.position !== i + 1 || !payloadHolds || !chainHash(before, row).equals(row.hash)) return i + 1;
    before = row.hash;
  }
  return null;
}

/** All bytes of a database as it lies on the disk. */
export function rawBytes(file: string): Buffer {
  return Buffer.concat(
    ['', '-wal', '-shm'].flatMap((end) => (existsSync(file + end) ? [readFileSync(file + end)] : [])),
  );
}
