import { constants, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import { ReleaseError } from '../../commands/ports/releases.js';

export interface ArchiveLimits {
  readonly entries: number;
  /** Of everything that is unpacked, in bytes. */
  readonly bytes: number;
}

/** How much larger a file may be than its part of the archive; programs and texts stay under ten. */
const MAX_RATIO = 100;
/** Below that a file may be as regular as it likes, in bytes. */
const SMALL = 1024 * 1024;

/**
 * Unpacks the files of a zip archive for which `pick` names a path. The whole table of contents is judged before the
 * first byte is written, and what comes out is counted, whatever the table says. Rejects with `ReleaseError`.
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
    let left = limits.bytes;
    for (const entry of entries) {
      const target = entry.fileName.endsWith('/') ? null : pick(entry.fileName);
      if (target === null) continue;
      await mkdir(dirname(target.path), { recursive: true, mode: 0o700 });
      const stream = await zip.openReadStreamPromise(entry).catch(unreadable);
      const out = createWriteStream(target.path, { mode: target.mode, flags: 'wx', flush: true });
      await pipeline(
        stream,
        counted((bytes) => (left -= bytes) >= 0),
        out,
      ).catch(unreadable);
    }
  } finally {
    zip.close();
  }
}

/** The table of contents, once nothing in it is out of the ordinary. */
async function contents(zip: yauzl.ZipFile, limits: ArchiveLimits): Promise<readonly yauzl.Entry[]> {
  if (zip.entryCount > limits.entries) throw new ReleaseError('the archive holds too many files');
  const entries: yauzl.Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize, compressedSize } = entry;
    bytes += uncompressedSize;
    const type = (entry.externalFileAttributes >>> 16) & constants.S_IFMT;
    if (entries.length >= limits.entries || bytes > limits.bytes) throw new ReleaseError('the archive is too large');
    if (uncompressedSize > SMALL && uncompressedSize > compressedSize * MAX_RATIO)
      throw new ReleaseError('the archive unpacks to far more than it holds');
    if (entry.isEncrypted()) throw new ReleaseError('the archive is encrypted');
    if (![0, constants.S_IFREG, constants.S_IFDIR].includes(type))
      throw new ReleaseError('the archive holds something that is no file');
    if (names.has(fileName)) throw new ReleaseError('the archive holds a file twice');
    names.add(fileName);
    entries.push(entry);
  }
  return entries;
}

function counted(allowed: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      next(allowed(chunk.length) ? null : new ReleaseError('the archive is too large'), chunk);
    },
  });
}

/** What is wrong with an archive is the release's fault; what the disk says is not. */
function unreadable(error: unknown): never {
  if (error instanceof ReleaseError || isSystem(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw new ReleaseError(`what came is no sound zip archive (${why})`, { cause: error });
}

const isSystem = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
