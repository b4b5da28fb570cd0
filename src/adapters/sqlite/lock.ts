import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { readSpare, replaceFile } from '../data-directory/files.js';
import { storageError } from './database.js';
import { assertRegular, headerOf, OtherDatabaseError } from './own-file.js';

/**
 * Locks a data directory against a second panel with an exclusive lock on a separate file, which the kernel releases when
 * the process ends. Throws `MessageError` when another process holds it.
 */
export function lockDirectory(file: string): { release(): void } {
  // The process id is in a second file, because the locked one cannot be read.
  const pidFile = `${file}.pid`;
  assertRegular(file);
  const header = headerOf(file);
  if (header && !header.isEmpty && !header.isDatabase)
    throw new OtherDatabaseError(file, message('storage.lockNotDatabase'));
  const db = new Database(file, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    const tables = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
    if (tables.some((name) => name !== 'holder'))
      throw new OtherDatabaseError(file, message('storage.tables', { tables }));
    db.exec(
      `CREATE TABLE IF NOT EXISTS holder (pid INTEGER); DELETE FROM holder; INSERT INTO holder VALUES (${process.pid}); COMMIT`,
    );
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      const pid = readSpare(pidFile)?.toString().trim() ?? '';
      const folder = dirname(dirname(file));
      throw new MessageError(
        /^\d{1,10}$/.test(pid)
          ? message('storage.directoryLockedBy', { folder, pid })
          : message('storage.directoryLocked', { folder }),
      );
    }
    throw storageError(error);
  }
  replaceFile(pidFile, `${process.pid}\n`);
  return { release: () => db.close() };
}
