import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { NotRegularError } from '../data-directory/files.js';

/** The suffixes of a database file and of the files that SQLite creates beside it. */
export const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

/** A file in the place of one of our databases belongs to another program. It was not changed. */
export class OtherDatabaseError extends MessageError {
  override readonly name = 'OtherDatabaseError';

  constructor(file: string, what: Text) {
    super(message('storage.otherProgram', { file, what }));
  }
}

/** Throws `NotRegularError` when a database, or a file beside it, is a link or a folder: SQLite would follow a link. */
export function assertRegular(file: string): void {
  for (const path of DATABASE_FILES.map((end) => file + end)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) continue;
    throw new NotRegularError(message(found.isSymbolicLink() ? 'storage.symbolicLink' : 'storage.notFile', { path }));
  }
}

/** Offsets in the header of a database file: https://sqlite.org/fileformat2.html#the_database_header */
const LAYOUT_AT = 60;
const MARK_AT = 68;
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** The header of a database file. It is read without SQLite, which may write even on a read-only connection. */
interface Header {
  /** Whether the file begins with the magic string of SQLite. */
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
