import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LogError } from '../../commands/ports/logs.js';
import { message } from '../../messages/message.js';

const CHUNK_BYTES = 32 * 1024;
/** Maximum length of a line in bytes; longer ones are cut at the end. */
const MAX_LINE_BYTES = 16 * 1024;

/**
 * The lines of a log, newest first, from at most the last `limit` bytes. A missing file has none. Rejects with `LogError`
 * when the path is not a regular file: a pipe would never end, and a link could point anywhere.
 */
export async function* linesBackwards(file: string, limit: number): AsyncGenerator<string> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new LogError(message(code === 'ELOOP' ? 'core.accessLogNotPlain' : 'core.accessLogUnreadable'), {
      cause: error,
    });
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new LogError(message('core.accessLogNotPlain'));
    yield* backwards(handle, stat.size, limit);
  } finally {
    await handle.close();
  }
}

async function* backwards(handle: FileHandle, size: number, limit: number): AsyncGenerator<string> {
  const least = Math.max(0, size - limit);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  for (let end = size; end > least; ) {
    const start = Math.max(least, end - CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    // The file was truncated meanwhile.
    if (bytesRead < end - start) return;
    let until = bytesRead;
    for (let at = buffer.lastIndexOf(10, until - 1); until > 0 && at >= 0; at = buffer.lastIndexOf(10, until - 1)) {
      const line = joined(buffer.subarray(at + 1, until), rest);
      rest = Buffer.alloc(0);
      until = at;
      if (line.length > 0) yield line.toString('utf8');
      if (until === 0) break;
    }
    rest = joined(buffer.subarray(0, until), rest);
    end = start;
  }
  // At the limit this is only the end of a line.
  if (least === 0 && rest.length > 0) yield rest.toString('utf8');
}

function joined(head: Buffer, rest: Buffer): Buffer {
  return Buffer.concat([head.subarray(0, MAX_LINE_BYTES), rest.subarray(0, Math.max(0, MAX_LINE_BYTES - head.length))]);
}
