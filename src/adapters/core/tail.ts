import { constants } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { formerOf, removeUnlessPlain } from './files.js';

/** Reads what was appended to a log since the last time. */
export interface Tail {
  read(): Promise<void>;
}

const chunkSize = 256 * 1024;
/** A link is not followed, and a pipe does not make us wait. */
const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Calls `onLine` once for every whole line. The file is emptied when it has grown beyond `limit` bytes: the core appends,
 * so it goes on at the beginning. With `keep` what the file held is kept beside it. A missing file counts as empty, and so does what is no plain file.
 */
export function tailOf(file: string, limit: number, onLine: (line: string) => void, keep = false): Tail {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  const buffer = Buffer.alloc(chunkSize);

  const drain = async (handle: FileHandle): Promise<void> => {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, chunkSize, offset);
      if (bytesRead === 0) break;
      offset += bytesRead;
      let from = 0;
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        onLine(bytes.toString('utf8', from, end));
        from = end + 1;
      }
      // A line longer than a chunk is no line of the core's.
      rest = bytes.length - from > chunkSize ? Buffer.alloc(0) : bytes.subarray(from);
    }
  };

  const readAll = async (handle: FileHandle): Promise<void> => {
    const { size } = await handle.stat();
    if (size < offset) {
      offset = 0;
      rest = Buffer.alloc(0);
    }
    await drain(handle);
    if (offset <= limit) return;
    if (keep) {
      removeUnlessPlain(formerOf(file));
      await copyFile(file, formerOf(file));
      // What came while the copy was made.
      await drain(handle);
    }
    await handle.truncate(0);
    offset = 0;
    rest = Buffer.alloc(0);
  };

  return {
    read: async () => {
      let handle: FileHandle;
      try {
        handle = await open(file, flags);
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
