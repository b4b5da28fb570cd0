import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SinkError } from '../../commands/ports/head-sinks.js';
import { fileProblem } from '../../lib/errors/failure-text.js';
import { readHead, type SignedHead } from '../../lib/proof/signed-head.js';
import { textOf } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';

/** Bytes at the end of the file in which heads are looked for that are already there. */
const TAIL_BYTES = 1024 * 1024;
const LINE_FEED = 10;
/** Does not follow a symbolic link, and does not wait for a pipe. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Why heads cannot be stored at a path: it is in the data directory, whatever links lead there. Null if it is elsewhere. The
 * file and its folders need not exist.
 */
export function placeProblem(path: string, dataDir: string): Text | null {
  let [folder, rest] = [resolve(path), ''];
  for (;;) {
    try {
      folder = realpathSync(folder);
      break;
    } catch {
      if (dirname(folder) === folder) break;
      [folder, rest] = [dirname(folder), join(basename(folder), rest)];
    }
  }
  const inside = `${join(folder, rest)}${sep}`.startsWith(`${realpathSync(dataDir)}${sep}`);
  return inside ? message('proof.fileInside', { file: path }) : null;
}

/**
 * Appends heads to a file of JSON lines, durably, and leaves out those that are in it. Creates the file, readable for all: it
 * contains no secret. Throws `SinkError`, also for a file in the data directory and for a file that is not one of heads.
 */
export function appendHeads(file: string, heads: readonly SignedHead[], dataDir: string): void {
  try {
    // The folder of a link counts, not the link.
    const path = join(realpathSync(dirname(file)), basename(file));
    const problem = placeProblem(path, dataDir);
    if (problem) throw new SinkError(message('proof.fileInside', { file }));
    const handle = openSync(path, APPEND, 0o644);
    try {
      append(handle, file, heads);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof SinkError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP' || code === 'ENXIO') throw new SinkError(message('proof.fileOther', { file }));
    throw new SinkError(fileProblem(error, file) ?? textOf(error), { cause: error });
  }
}

function append(handle: number, file: string, heads: readonly SignedHead[]): void {
  const stat = fstatSync(handle);
  if (!stat.isFile()) throw new SinkError(message('proof.fileOther', { file }));
  const start = Math.max(0, stat.size - TAIL_BYTES);
  const tail = Buffer.alloc(stat.size - start);
  readSync(handle, tail, 0, tail.length, start);
  const lines = tail.toString().split('\n');
  const known = new Set(lines.flatMap((line) => headIn(line)?.signature ?? []));
  // A power cut may have left a part of a line; the first line of the tail may be a part as well.
  if (stat.size > 0 && known.size === 0) throw new SinkError(message('proof.fileOther', { file }));
  const missing = heads.filter(({ signature }) => !known.has(signature));
  if (missing.length === 0) return;
  const begin = tail.length > 0 && tail[tail.length - 1] !== LINE_FEED ? '\n' : '';
  writeSync(handle, `${begin}${missing.map((head) => `${JSON.stringify(head)}\n`).join('')}`);
  fsyncSync(handle);
}

function headIn(line: string): SignedHead | null {
  try {
    return readHead(JSON.parse(line));
  } catch {
    return null;
  }
}
