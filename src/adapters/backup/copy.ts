import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { BackupError } from '../../commands/ports/backups.js';
import type { DataDirectory } from '../data-directory/data-directory.js';
import { flush } from '../data-directory/files.js';
import { openDatabase, type SqliteDatabase } from '../sqlite/database.js';
import { SqliteEventLog } from '../sqlite/event-log.js';
import { Keyring, masterKey } from '../sqlite/keyring.js';
import { startProblem } from '../sqlite/start-check.js';
import { boxKey } from './key-box.js';
import { BACKUP_SCHEMA, FORMAT } from './layout.js';
import { roomLacking, sizeOf } from './room.js';

export interface CopyOptions {
  readonly directory: Pick<DataDirectory, 'database' | 'masterKey'>;
  /** The file to make; it must not be there. */
  readonly file: string;
  /** Empty = the key lies in the copy as it is. */
  readonly passphrase: string;
  readonly release: string;
  /** ms since 1970. */
  readonly now: number;
}

export interface Copied {
  readonly bytes: number;
  readonly position: number;
  readonly sealed: boolean;
}

/**
 * Writes a consistent copy of a log, beside a panel that goes on writing it. It is written anew (`VACUUM INTO`), so that
 * nothing lives on in it that was destroyed; the key is in it too. Throws a sentence, and leaves no file then.
 */
export function copyLog({ directory, file, passphrase, release, now }: CopyOptions): Copied {
  const lacking = roomLacking(dirname(file), sizeOf(directory.database) + sizeOf(`${directory.database}-wal`));
  if (lacking !== null) throw new BackupError('failed', `The disk has too little room: a backup needs ${lacking} MB`);
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

/** What a start would refuse could not be restored either. Reading all of it is left to whoever verifies the copy. */
function assertUndamaged(source: SqliteDatabase, master: Buffer): void {
  const log = new SqliteEventLog(source, new Keyring(source, master, Date.now));
  const flaw = startProblem(source, log.head().position, () => log.rolledTo);
  if (flaw) throw new BackupError('failed', `The log is damaged at ${flaw.message}. Run portolan events verify`);
}

/** Puts the row into a copy that says what it is. Returns the position of its last event. */
function sign(
  file: string,
  master: Buffer,
  { passphrase, release, now }: Pick<CopyOptions, 'passphrase' | 'release' | 'now'>,
): number {
  const db = new Database(file);
  try {
    // A file that cannot be finished is thrown away: no journal, and one fsync at the end.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    const generation = db
      .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'generation'")
      .get()?.value;
    if (generation === undefined) throw new Error('The log has no identity: it cannot be backed up');
    const last = db
      .prepare<[], { position: number; hash: Buffer }>(
        'SELECT position, hash FROM events ORDER BY position DESC LIMIT 1',
      )
      .get();
    const { sealing, salt, cost, key } = boxKey(master, passphrase, generation);
    const { position, hash } = last ?? { position: 0, hash: Buffer.alloc(32) };
    db.exec(BACKUP_SCHEMA);
    db.prepare('INSERT INTO backup VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      ...[FORMAT, now, release, generation, position, hash.toString('hex'), sealing, salt, cost, key],
    );
    return position;
  } finally {
    db.close();
  }
}
