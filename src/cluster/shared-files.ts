import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { FetchFile, SharedFile } from '../commands/ports/cluster/shared-files.js';
import { ReleaseError } from '../commands/ports/releases.js';
import { message } from '../messages/message.js';

/** Bytes in one answer. In base64 they fit into a message of NATS, which has 1 MB by default. */
const PART_BYTES = 512 * 1024;

const Question = z.strictObject({
  file: z.strictObject({ kind: z.enum(['core', 'geo']), name: z.string() }),
  offset: z.int().nonnegative(),
});
/** `size`: of the whole file in bytes; null = the leader does not have it. */
const Answer = z.object({ size: z.int().nonnegative().nullable(), data: z.base64() });
type Answer = z.output<typeof Answer>;

/** The path of a file that may be copied; null = this machine does not have it. */
export type PathOf = (file: SharedFile) => string | null;

/** Answers, as the leader, a machine that asks for a part of a file. Throws for an invalid question. */
export async function answerFile(question: unknown, pathOf: PathOf): Promise<Answer> {
  const { file, offset } = Question.parse(question);
  const path = pathOf(file);
  if (path === null) return { size: null, data: '' };
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(PART_BYTES, size - offset));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return { size, data: buffer.subarray(0, bytesRead).toString('base64') };
  } finally {
    await handle.close();
  }
}

/**
 * Copies a file from the leader, one part after the other. A file that is replaced meanwhile gives a mixture: the caller compares
 * the checksum. `ask` rejects with `ClusterAway`.
 */
export function fileFetcher(ask: (question: unknown) => Promise<unknown>): FetchFile {
  return async (file, path) => {
    const handle = await open(path, 'wx', 0o600);
    try {
      for (let offset = 0; ; ) {
        const { size, data } = Answer.parse(await ask({ file, offset }));
        if (size === null) throw new ReleaseError(message('cluster.fileAbsent'));
        const bytes = Buffer.from(data, 'base64');
        await handle.writeFile(bytes);
        offset += bytes.length;
        if (bytes.length === 0 || offset >= size) break;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
}
