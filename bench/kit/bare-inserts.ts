import { join } from 'node:path';
import Database from 'better-sqlite3';
import { newFolder, removeFolder } from './inside.js';
import { processorTime } from './turns.js';

/** Bytes of a stored event: a payload and its hashes. */
const ROW_BYTES = 400;

/** Processor time of one synced transaction that inserts rows into an empty database without an index, in ms. */
export function bareInserts(rows: number): number {
  const folder = newFolder();
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE rows (position INTEGER PRIMARY KEY, payload BLOB)');
  const insert = db.prepare('INSERT INTO rows (payload) VALUES (?)');
  const payload = Buffer.alloc(ROW_BYTES, 7);
  const times = Array.from({ length: 5 }, () => {
    const before = processorTime();
    db.transaction(() => {
      for (let n = 0; n < rows; n += 1) insert.run(payload);
    })();
    return processorTime() - before;
  });
  db.close();
  removeFolder(folder);
  return Math.min(...times);
}
