import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { NotPlainError } from '../data-directory/files.js';

/** A database and the files that SQLite keeps beside it. */
export const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

/** Something in the place of one of our databases is of another program. It was not changed. */
export class ForeignDatabase extends Error {
  override readonly name = 'ForeignDatabase';

  constructor(file: string, what: string) {
    super(
      `${file} is not a database of this panel: ${what}. Nothing in it was changed. Move it away, then put the right file in its place or restore a backup: portolan restore FILE --yes`,
    );
  }
}

/** Throws `NotPlainError` when a database, or a file beside it, is a link or anything else than a file: SQLite would follow it. */
export function assertPlain(file: string): void {
  for (const path of DATABASE_FILES.map((end) => file + end)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) continue;
    const what = found.isSymbolicLink() ? 'a symbolic link' : found.isDirectory() ? 'a folder' : 'no plain file';
    throw new NotPlainError(
      `${path} is ${what}. The panel does not follow it: put the file itself in its place, or move it away and restore a backup: portolan restore FILE --yes`,
    );
  }
}

/** Offsets in the header of a database file: https://sqlite.org/fileformat2.html#the_database_header */
const LAYOUT_AT = 60;
const MARK_AT = 68;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** What the header of a database file says. It is read without SQLite, which may write where it only reads. */
export interface Header {
  /** False for a file that begins like no database. */
  readonly isDatabase: boolean;
  readonly isEmpty: boolean;
  /** `application_id`: the program that created it; 0 = unknown. */
  readonly mark: number;
  /** `user_version` */
  readonly layout: number;
}

/** Null when there is no such file. */
export function headerOf(file: string): Header | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    readSync(handle, bytes, 0, HEADER_BYTES, 0);
    return {
      isDatabase: bytes.toString('latin1', 0, MAGIC.length) === MAGIC,
      isEmpty: fstatSync(handle).size === 0,
      mark: bytes.readUInt32BE(MARK_AT),
      layout: bytes.readUInt32BE(LAYOUT_AT),
    };
  } finally {
    closeSync(handle);
  }
}
