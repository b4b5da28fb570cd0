import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAnchor } from '../adapters/data-directory/anchor.js';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { chainHash, type EventRow, LogDamage, NewerRelease, payloadHash } from '../adapters/sqlite/codec.js';
import { openDatabase, type SqliteDatabase, storageError } from '../adapters/sqlite/database.js';
import { type Rejection, reject } from '../commands/rejection.js';
import { eventType } from '../events/catalog.js';
import { StorageError } from '../events/log/log.js';
import { timeText } from '../lib/words.js';
import { MessageError, textOf } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import { keptIn } from './backup-files.js';
import { type Journal, openJournal } from './journal.js';

/** The readable part of a database, from the first event on. */
interface ReadablePart {
  /** The last event that can be read and is in the chain; 0 = none. */
  readonly position: number;
  /** When it happened, in ms since 1970. */
  readonly at: number;
}

/** An open log and the result of `make`. */
interface Opened<T> {
  readonly journal: Journal;
  readonly made: T;
  /** Only a part of the log can be read. */
  readonly damaged: boolean;
  /** The rejection of every change; null = the log is not damaged. */
  readonly refusal: Rejection | null;
}

/**
 * Opens a log and calls `make` with it. Of a damaged log, only the readable part is opened, read-only. Throws
 * `MessageError` when no part can be read.
 */
export function openReadable<T>(
  directory: DataDirectory,
  options: { readonly now: () => number; readonly anchorFailed: (error: unknown) => void },
  make: (journal: Journal) => T,
): Opened<T> {
  try {
    const journal = openJournal(directory, options);
    const refusal = journal.complaint === null ? null : reject('STORAGE_READ_ONLY', { why: journal.complaint });
    return { journal, made: madeOf(journal, make), damaged: false, refusal };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const part = readablePart(directory);
    // An event in the chain may still be unreadable, because its key is gone.
    const position = error instanceof LogDamage ? Math.min(part.position, error.position - 1) : part.position;
    const readable = { ...part, position };
    try {
      if (position === 0) throw error;
      const why = message('storage.damagedReadOnly', {
        problem: problemIn(error),
        position,
        file: newestBackup(directory),
      });
      const journal = { ...openJournal(directory, { ...options, readonly: true, upTo: position }), complaint: why };
      return { journal, made: madeOf(journal, make), damaged: true, refusal: reject('STORAGE_READ_ONLY', { why }) };
    } catch {
      throw new MessageError(damagedText(directory, readable, error), { cause: error });
    }
  }
}

function madeOf<T>(journal: Journal, make: (journal: Journal) => T): T {
  try {
    return make(journal);
  } catch (error) {
    journal.log.close();
    throw error;
  }
}

/** Rows per query while no row is damaged. */
const PAGE = 500;

/** Whether an error means that the log is damaged, and not a disk error, missing rights or a newer release. */
export function isDamage(error: unknown): boolean {
  return error instanceof StorageError && error.kind === 'damaged' && !(error instanceof NewerRelease);
}

/** Reads a database up to the first event that is unreadable or breaks the chain. Changes nothing. */
export function readablePart({ database }: Pick<DataDirectory, 'database'>): ReadablePart {
  let db: SqliteDatabase;
  try {
    db = openDatabase(database, { readonly: true });
  } catch (error) {
    if (isDamage(error)) return { position: 0, at: 0 };
    throw error;
  }
  try {
    return readableRows(db);
  } finally {
    db.close();
  }
}

function readableRows(db: SqliteDatabase): ReadablePart {
  let last = { position: 0, hash: Buffer.alloc(32) as Buffer, at: 0 };
  let limit = PAGE;
  for (;;) {
    const rows = rowsAfter(db, last.position, limit);
    if (rows?.length === 0 || (rows === null && limit === 1)) return { position: last.position, at: last.at };
    // One of them is damaged: those before it are read one by one.
    if (rows === null) limit = 1;
    for (const row of rows ?? []) {
      if (!follows(row, last)) return { position: last.position, at: last.at };
      last = row;
    }
  }
}

/** Null when SQLite cannot read them. */
function rowsAfter(db: SqliteDatabase, position: number, limit: number): readonly EventRow[] | null {
  try {
    const read = db.prepare<[number, number], EventRow>(
      'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
    );
    return read.all(position, limit);
  } catch (error) {
    const stored = storageError(error);
    if (isDamage(stored)) return null;
    throw stored;
  }
}

function follows(row: EventRow, before: { readonly position: number; readonly hash: Buffer }): boolean {
  if (row.position !== before.position + 1 || !chainHash(before.hash, row).equals(row.hash)) return false;
  if (row.payload === null) return eventType(row.type)?.class === 'measured';
  return payloadHash(row.payload).equals(row.payload_hash);
}

/** The message for an operator when no part of a damaged log can be served. */
export function damagedText(directory: DataDirectory, { position, at }: ReadablePart, error: unknown): Text {
  const last = knownPosition(directory);
  const common = { file: directory.database, problem: problemIn(error), backup: newestBackup(directory) };
  if (position === 0) return message('storage.noneReadable', common);
  const part = { ...common, position, at: timeText(at) };
  return last > position ? message('storage.partReadableOf', { ...part, last }) : message('storage.partReadable', part);
}

/** The problem without the advice that the text of a damaged page contains. */
function problemIn(error: unknown): Text {
  const { cause } = error as Error;
  return textOf(cause instanceof Error && !(error instanceof LogDamage) ? cause : error);
}

function newestBackup({ backups }: DataDirectory): string {
  const [newest] = keptIn(backups);
  return newest ? join(backups, newest.name) : 'FILE';
}

/** The last position in the anchor; 0 when it cannot be read. */
export function knownPosition({ anchor }: Pick<DataDirectory, 'anchor'>): number {
  try {
    return existsSync(anchor) ? (readAnchor(anchor)?.position ?? 0) : 0;
  } catch {
    return 0;
  }
}
