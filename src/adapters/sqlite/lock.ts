import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { readSpare, replaceFile } from '../data-directory/files.js';
import { assertPlain, ForeignDatabase, headerOf } from './own-file.js';

/**
 * Keeps a second panel out of a data directory: an exclusive lock on a file of its own, held as long as the process
 * lives and given back by the kernel when it dies. Throws when another process has it.
 */
export function lockDirectory(file: string): { release(): void } {
  // Beside the lock, for people: who has it cannot be read from the locked file.
  const note = `${file}.pid`;
  assertPlain(file);
  const header = headerOf(file);
  if (header && !header.isEmpty && !header.isDatabase) throw new ForeignDatabase(file, 'it is no database at all');
  const db = new Database(file, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    const tables = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
    if (tables.some((name) => name !== 'holder')) throw new ForeignDatabase(file, `it holds ${tables.length} tables`);
    db.exec(
      `CREATE TABLE IF NOT EXISTS holder (pid INTEGER); DELETE FROM holder; INSERT INTO holder VALUES (${process.pid}); COMMIT`,
    );
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      const pid = readSpare(note)?.toString().trim() ?? '';
      const holder = /^\d{1,10}$/.test(pid) ? ` (pid ${pid})` : '';
      throw new Error(
        `another portolan process${holder} uses this data directory, ${dirname(dirname(file))}: stop it first`,
      );
    }
    throw error;
  }
  replaceFile(note, `${process.pid}\n`);
  return { release: () => db.close() };
}
