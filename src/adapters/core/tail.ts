import { type FileHandle, open } from 'node:fs/promises';

/** Reads what was appended to a log since the last time. */
export interface Tail {
  read(): Promise<void>;
}

const chunkSize = 256 * 1024;

/**
 * Calls `onLine` once for every whole line. The file is emptied when it has grown beyond `limit` bytes: the core appends,
 * so it goes on at the beginning. A missing file counts as empty.
 */
export function tailOf(file: string, limit: number, onLine: (line: string) => void): Tail {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  const buffer = Buffer.alloc(chunkSize);

  const readAll = async (handle: FileHandle): Promise<void> => {
    const { size } = await handle.stat();
    if (size < offset) {
      offset = 0;
      rest = Buffer.alloc(0);
    }
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
    if (offset > limit) {
      await handle.truncate(0);
      offset = 0;
      rest = Buffer.alloc(0);
    }
  };

  return {
    read: async () => {
      let handle: FileHandle;
      try {
        handle = await open(file, 'r+');
      } catch {
        return;
      }
      try {
        await readAll(handle);
      } finally {
        await handle.close();
      }
    },
  };
}
