import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { flush } from '../../data-directory/files.js';
import { openDatabase } from '../database.js';

/** A copy of a log: position and chain hash (hex) of its last event. */
export interface LogCopy {
  readonly position: number;
  readonly hash: string;
}

/**
 * Writes a consistent copy of a database to a new file, while a panel writes to it. It has the events as they are stored,
 * with their encrypted fields, and the encrypted data keys; the master key is not in it. `VACUUM INTO` rebuilds the pages, so
 * that destroyed keys do not remain in the copy.
 */
export function copyDatabase(database: string, file: string): LogCopy {
  // Created with our mode first, so that no other account can read it.
  closeSync(openSync(file, 'wx', 0o600));
  try {
    const source = openDatabase(database, { readonly: true });
    try {
      source.prepare('VACUUM INTO ?').run(file);
    } finally {
      source.close();
    }
    const copy = new Database(file);
    try {
      // A cache, which the new member computes from the events.
      copy.exec('DROP TABLE IF EXISTS tree');
      const last = copy
        .prepare<[], { position: number; hash: Buffer }>(
          'SELECT position, hash FROM events ORDER BY position DESC LIMIT 1',
        )
        .get();
      if (last === undefined) throw new Error('the log is empty');
      return { position: last.position, hash: last.hash.toString('hex') };
    } finally {
      copy.close();
      flush(file);
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
