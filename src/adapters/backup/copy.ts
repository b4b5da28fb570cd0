import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { BackupError } from '../../commands/ports/backups.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { DataDirectory } from '../data-directory/data-directory.js';
import { flush } from '../data-directory/files.js';
import { openDatabase, type SqliteDatabase } from '../sqlite/database.js';
import { SqliteEventLog } from '../sqlite/event-log.js';
import { Keyring, masterKey } from '../sqlite/keyring.js';
import { startProblem } from '../sqlite/start-check.js';
import { boxKey } from './key-box.js';
import { BACKUP_SCHEMA, FORMAT } from './layout.js';
import { missingMb, sizeOf } from './room.js';

interface CopyOptions {
  readonly directory: Pick<DataDirectory, 'database' | 'masterKey'>;
  /** The file to create; it must not exist. */
  readonly file: string;
  /** Empty = the key is stored without encryption. */
  readonly passphrase: string;
  readonly release: string;
  /** ms since 1970. */
  readonly now: number;
}

interface Copied {
  readonly bytes: number;
  readonly position: number;
  readonly sealed: boolean;
}

/**
 * Writes a consistent copy of a log, together with its key, while a panel continues to write to the log. `VACUUM INTO`
 * rebuilds the pages, so that destroyed data does not remain in the copy. Throws `MessageError`, and then leaves no file.
 */
export function copyLog({ directory, file, passphrase, release, now }: CopyOptions): Copied {
  const lacking = missingMb(dirname(file), sizeOf(directory.database) + sizeOf(`${directory.database}-wal`));
  if (lacking !== null) throw new BackupError('failed', message('backup.noRoomForBackup', { mb: lacking }));
  // Created with our mode first, so that no other account can read it.
  closeSync(openSync(file, 'wx', 0o600));
  try {
    const source = openDatabase(directory.database, { readonly: true });
    const master = masterKey(directory.masterKey, { mayCreate: false });
    try {
      assertUndamaged(source, master);
      source.prepare('VACUUM INTO ?').run(file);
    } finally {
      source.close();
    }
    const position = sign(file, master, { passphrase, release, now });
    flush(file);
    return { bytes: statSync(file).size, position, sealed: passphrase !== '' };
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** A start would refuse a damaged log, so a backup of it would be useless. Verification reads the rest later. */
function assertUndamaged(source: SqliteDatabase, master: Buffer): void {
  const log = new SqliteEventLog(source, new Keyring(source, master, Date.now));
  const problem = startProblem(source, log.head().position, () => log.rolledTo);
  if (problem) throw new BackupError('failed', message('backup.logDamaged', { place: problem.text }));
}

/** Adds the row that describes a backup. Returns the position of the last event. */
function sign(
  file: string,
  master: Buffer,
  { passphrase, release, now }: Pick<CopyOptions, 'passphrase' | 'release' | 'now'>,
): number {
  const db = new Database(file);
  try {
    // An unfinished file is deleted, so it needs no journal and only one fsync at the end.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    const generation = db
      .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'generation'")
      .get()?.value;
    if (generation === undefined) throw new MessageError(message('backup.noGeneration'));
    const last = db
      .prepare<[], { position: number; hash: Buffer }>(
        'SELECT position, hash FROM events ORDER BY position DESC LIMIT 1',
      )
      .get();
    const { sealing, salt, cost, key } = boxKey(master, passphrase, generation);
    const { position, hash } = last ?? { position: 0, hash: Buffer.alloc(32) };
    db.exec(BACKUP_SCHEMA);
    // A cache, which a restored panel computes from the events.
    db.exec('DROP TABLE IF EXISTS tree');
    db.prepare('INSERT INTO backup VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      ...[FORMAT, now, release, generation, position, hash.toString('hex'), sealing, salt, cost, key],
    );
    return position;
  } finally {
    db.close();
  }
}
