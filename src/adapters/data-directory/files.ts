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
import { failureText } from '../../lib/errors/failure-text.js';
import { warnOperator } from '../../lib/errors/operator-warning.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';

/** Does not wait for the other end of a pipe and does not follow a symbolic link. */
const REGULAR_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The codes of the system for a symbolic link and for a socket that are opened like this. */
const NOT_REGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/** There is something other than a regular file where a file of the panel should be. */
export class NotRegularError extends MessageError {
  override readonly name = 'NotRegularError';
}

/** Reads a whole file. Throws `NotRegularError` for a link, a pipe or a folder: reading it could hang or mislead. */
export function readRegular(file: string): Buffer {
  const refused = (): NotRegularError => new NotRegularError(message('storage.notRegular', { file }));
  let handle: number;
  try {
    handle = openSync(file, REGULAR_ONLY);
  } catch (error) {
    throw NOT_REGULAR.has((error as NodeJS.ErrnoException).code) ? refused() : error;
  }
  try {
    if (!fstatSync(handle).isFile()) throw refused();
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Reads a file that can be recreated. Null when it is missing or unreadable, with a warning when it is not regular. */
export function readSpare(file: string): Buffer | null {
  try {
    return readRegular(file);
  } catch (error) {
    if (error instanceof NotRegularError) warnOperator(message('file.ignored', { path: file }));
    return null;
  }
}

/** Replaces a file atomically and durably: after a power cut it has the whole old or the whole new content. Mode 0600. */
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

/** Deletes a temporary file. If the disk refuses, it only warns: the next start deletes the file. */
export function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    warnOperator(message('file.notDeleted', { path: file, why: failureText(error) }));
  }
}

/** Flushes the content of a file, or the entries of a folder, to the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Like `replaceFile`, but asynchronous. Pieces are written one by one as they are made. The caller must not run it twice at
 * once for the same file.
 */
export async function replaceFileAsync(file: string, content: string | Buffer | Iterable<Buffer>): Promise<void> {
  const temporary = `${file}.next`;
  await rm(temporary, { recursive: true, force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    if (typeof content === 'string' || Buffer.isBuffer(content)) await handle.writeFile(content);
    else for (const piece of content) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await flushAsync(dirname(file));
}

/** Like `flush`, but asynchronous. */
export async function flushAsync(path: string): Promise<void> {
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
