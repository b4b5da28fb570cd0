import { message, type Text } from '../../messages/message.js';

/** Why a disk operation failed. */
interface DiskFault {
  readonly kind: 'full' | 'read-only' | 'failed';
  readonly why: Text;
}

const FULL: DiskFault = { kind: 'full', why: message('common.diskFull') };
const READ_ONLY: DiskFault = { kind: 'read-only', why: message('common.diskReadOnly') };
const CLOSED: DiskFault = { kind: 'read-only', why: message('common.dataDirectoryNotWritable') };
const FAILED: DiskFault = { kind: 'failed', why: message('common.diskFailed') };

/** By error code of the system or SQLite. SQLite's codes may have a suffix: `SQLITE_IOERR_WRITE`. */
const FAULTS: readonly (readonly [RegExp, DiskFault])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, FULL],
  [/^(EROFS|SQLITE_READONLY(_.*)?)$/, READ_ONLY],
  [/^(EIO|ENXIO|ENODEV|ESTALE|EUCLEAN|EBADMSG|EREMOTEIO|SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)(_.*)?)$/, FAILED],
];
/** The system calls on files: for sockets, the same codes have another meaning. */
const ON_FILES: ReadonlySet<unknown> = new Set([
  'open',
  'mkdir',
  'rename',
  'unlink',
  'write',
  'copyfile',
  'link',
  'symlink',
  'chmod',
  'ftruncate',
  'fsync',
  'rm',
]);

/** The disk error behind an error or one of its causes; null when there is none. */
export function diskFault(error: unknown): DiskFault | null {
  if (!(error instanceof Error)) return null;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const [, fault] = FAULTS.find(([codes]) => codes.test(code)) ?? [];
  if (fault) return fault;
  if ((code === 'EACCES' || code === 'EPERM') && ON_FILES.has(syscall)) return CLOSED;
  // Node reports this when `mkdir` with `recursive` may not create a parent folder.
  if (code === 'ENOENT' && syscall === 'mkdir') return CLOSED;
  return diskFault(error.cause);
}
