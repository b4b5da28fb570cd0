import { constants, createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { previousOf, removeUnlessPlain } from '../process/files.js';

/** Reads new lines of a log. */
interface Tail {
  read(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;
/**
 * Maximum number of bytes of one reading; of more, the newest are read. A core that writes faster, or that wrote while no
 * panel ran, must not keep the panel busy.
 */
const MAX_READ_BYTES = 16 * 1024 * 1024;
/** Does not follow links, and does not block on a pipe. */
const OPEN_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Calls `onLine` once for each complete line. A file larger than `limit` bytes is truncated; the core appends, so it
 * continues at the start. With `keep`, the end of the file is saved next to it. A missing file counts as empty, and so does
 * anything but a plain file.
 */
export function tailOf(file: string, limit: number, onLine: (line: string) => void, keep = false): Tail {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  /** The reading started inside a line. */
  let skipping = false;
  const buffer = Buffer.alloc(CHUNK_BYTES);

  /** Reads only up to `end`: the core may write as fast as this reads. */
  const drain = async (handle: FileHandle, end: number): Promise<void> => {
    if (end - offset > MAX_READ_BYTES) {
      offset = end - MAX_READ_BYTES;
      rest = Buffer.alloc(0);
      skipping = true;
    }
    while (offset < end) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, end - offset), offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      onBytes(Buffer.concat([rest, buffer.subarray(0, bytesRead)]));
    }
  };

  const onBytes = (bytes: Buffer): void => {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      if (!skipping) onLine(bytes.toString('utf8', from, end));
      skipping = false;
      from = end + 1;
    }
    // The core writes no line longer than a chunk.
    const tooLong = bytes.length - from > CHUNK_BYTES;
    rest = tooLong ? Buffer.alloc(0) : bytes.subarray(from);
    skipping ||= tooLong;
  };

  const restart = (): void => {
    offset = 0;
    rest = Buffer.alloc(0);
    skipping = false;
  };

  const readAll = async (handle: FileHandle): Promise<void> => {
    const { size } = await handle.stat();
    if (size < offset) restart();
    await drain(handle, size);
    if (offset <= limit) return;
    if (keep) {
      await copyEnd(file, previousOf(file), limit + MAX_READ_BYTES);
      // Lines that were written during the copy.
      await drain(handle, (await handle.stat()).size);
    }
    await handle.truncate(0);
    restart();
  };

  return {
    read: async () => {
      let handle: FileHandle;
      try {
        handle = await open(file, OPEN_FLAGS);
      } catch {
        return;
      }
      try {
        if ((await handle.stat()).isFile()) await readAll(handle);
      } finally {
        await handle.close();
      }
    },
  };
}

/** Copies the last `bytes` of a file to another one. */
async function copyEnd(from: string, to: string, bytes: number): Promise<void> {
  removeUnlessPlain(to);
  const handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, mode } = await handle.stat();
    const start = Math.max(0, size - bytes);
    await pipeline(
      createReadStream(from, { fd: handle.fd, autoClose: false, start, end: Math.max(start, size - 1) }),
      createWriteStream(to, { mode: mode & 0o777 }),
    );
  } finally {
    await handle.close();
  }
}
