import { constants, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import { ReleaseError } from '../../commands/ports/releases.js';
import { textOf } from '../../messages/error.js';
import { message } from '../../messages/message.js';

interface ArchiveLimits {
  readonly entries: number;
  /** Total size of the unpacked files, in bytes. */
  readonly bytes: number;
}

/** The highest compression ratio of a file; programs and texts stay under ten. */
const MAX_RATIO = 100;
/** Smaller files may have any compression ratio; bytes. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Unpacks the files of a zip archive for which `pick` returns a path. The table of contents is checked before the first
 * byte is written, and the unpacked bytes are counted, because the table may be wrong. Rejects with `ReleaseError`.
 */
export async function extract(
  archive: string,
  pick: (name: string) => { readonly path: string; readonly mode: number } | null,
  limits: ArchiveLimits,
): Promise<void> {
  const zip = await yauzl
    .openPromise(archive, { autoClose: false, lazyEntries: true, strictFileNames: true })
    .catch(unreadable);
  try {
    const entries = await contents(zip, limits).catch(unreadable);
    let bytesLeft = limits.bytes;
    for (const entry of entries) {
      const target = entry.fileName.endsWith('/') ? null : pick(entry.fileName);
      if (target === null) continue;
      await mkdir(dirname(target.path), { recursive: true, mode: 0o700 });
      const stream = await zip.openReadStreamPromise(entry).catch(unreadable);
      const out = createWriteStream(target.path, { mode: target.mode, flags: 'wx', flush: true });
      await pipeline(
        stream,
        counted((bytes) => (bytesLeft -= bytes) >= 0),
        out,
      ).catch(unreadable);
    }
  } finally {
    zip.close();
  }
}

/** The table of contents. Rejects with `ReleaseError` for an unusual archive. */
async function contents(zip: yauzl.ZipFile, limits: ArchiveLimits): Promise<readonly yauzl.Entry[]> {
  if (zip.entryCount > limits.entries) throw new ReleaseError(message('releases.archiveFileLimit'));
  const entries: yauzl.Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize, compressedSize } = entry;
    bytes += uncompressedSize;
    const type = (entry.externalFileAttributes >>> 16) & constants.S_IFMT;
    if (entries.length >= limits.entries || bytes > limits.bytes)
      throw new ReleaseError(message('releases.archiveTooLarge'));
    if (uncompressedSize > SMALL_BYTES && uncompressedSize > compressedSize * MAX_RATIO)
      throw new ReleaseError(message('releases.archiveRatio'));
    if (entry.isEncrypted()) throw new ReleaseError(message('releases.archiveEncrypted'));
    if (![0, constants.S_IFREG, constants.S_IFDIR].includes(type))
      throw new ReleaseError(message('releases.archiveSpecialFile'));
    if (names.has(fileName)) throw new ReleaseError(message('releases.archiveDuplicate'));
    names.add(fileName);
    entries.push(entry);
  }
  return entries;
}

function counted(allowed: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      next(allowed(chunk.length) ? null : new ReleaseError(message('releases.archiveTooLarge')), chunk);
    },
  });
}

/** Turns errors of the archive into `ReleaseError`; rethrows errors of the disk. */
function unreadable(error: unknown): never {
  if (error instanceof ReleaseError || isSystem(error)) throw error;
  throw new ReleaseError(message('releases.archiveUnreadable', { why: textOf(error) }), { cause: error });
}

const isSystem = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
