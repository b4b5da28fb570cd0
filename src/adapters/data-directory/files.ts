import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Neither waits for the other end of a pipe nor goes where a link leads. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What the system says of a link, and of a socket, that is opened like this. */
const NOT_PLAIN: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/** Something else than a file lies where a file of the panel should be. */
export class NotPlainError extends Error {
  override readonly name = 'NotPlainError';
}

/** A whole file. Throws `NotPlainError` for a link, a pipe and whatever else is no plain file: that would hang, or mislead. */
export function readPlain(file: string): Buffer {
  const refused = new NotPlainError(`${file} is not a plain file`);
  let handle: number;
  try {
    handle = openSync(file, PLAINLY);
  } catch (error) {
    throw NOT_PLAIN.has((error as NodeJS.ErrnoException).code) ? refused : error;
  }
  try {
    if (!fstatSync(handle).isFile()) throw refused;
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A file that can be made again: null when it is not there or cannot be read, with a warning when it is no plain file. */
export function readSpare(file: string): Buffer | null {
  try {
    return readPlain(file);
  } catch (error) {
    if (error instanceof NotPlainError) process.emitWarning(`${error.message}. It is passed over`);
    return null;
  }
}

/** Replaces a file so that after a power cut it holds the old or the new content, whole. Mode 0600. */
export function replaceFile(file: string, content: string | Buffer): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { recursive: true, force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, content as string);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
  flush(dirname(file));
}

/** Takes a file of ours away as far as the disk lets it: what stays is taken away at the next start. */
export function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    process.emitWarning(`${file} stays for now: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Waits until what a file holds, or which files a folder names, is on the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** As `replaceFile`, without blocking the loop. The caller sees to it that only one runs for a file. */
export async function replaceFileLater(file: string, content: string | Buffer): Promise<void> {
  const temporary = `${file}.next`;
  await rm(temporary, { recursive: true, force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await flushLater(dirname(file));
}

/** As `flush`, without blocking the loop. */
export async function flushLater(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** SHA-256 of a file in hex. Reads it in pieces. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
