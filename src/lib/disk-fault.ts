/** Why the disk did not do something: `kind` is for code, `why` for people. */
export interface DiskFault {
  readonly kind: 'full' | 'read-only' | 'failed';
  readonly why: string;
}

const FULL: DiskFault = { kind: 'full', why: 'the disk is full' };
const READ_ONLY: DiskFault = { kind: 'read-only', why: 'the file system is read-only' };
const CLOSED: DiskFault = { kind: 'read-only', why: 'the data directory cannot be written to' };
const FAILED: DiskFault = { kind: 'failed', why: 'the disk fails' };

/** By the codes of the system and of SQLite, which adds details to its own: `SQLITE_IOERR_WRITE`. */
const FAULTS: readonly (readonly [RegExp, DiskFault])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, FULL],
  [/^(EROFS|SQLITE_READONLY(_.*)?)$/, READ_ONLY],
  [/^(EIO|ENXIO|ENODEV|ESTALE|EUCLEAN|EBADMSG|EREMOTEIO|SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)(_.*)?)$/, FAILED],
];
/** Of a network the same codes mean something else. */
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

/** What the disk has to do with an error, or with one that caused it; null when it has nothing to do with it. */
export function diskFault(error: unknown): DiskFault | null {
  if (!(error instanceof Error)) return null;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const [, fault] = FAULTS.find(([codes]) => codes.test(code)) ?? [];
  if (fault) return fault;
  if ((code === 'EACCES' || code === 'EPERM') && ON_FILES.has(syscall)) return CLOSED;
  // Node says so of a folder that it was to make with its parents and that the system refused.
  if (code === 'ENOENT' && syscall === 'mkdir') return CLOSED;
  return diskFault(error.cause);
}
