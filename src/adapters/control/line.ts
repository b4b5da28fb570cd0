import type { Socket } from 'node:net';
import { LONGEST_LINE } from './protocol.js';

/** The first line that comes, without its end. Rejects when it is too long, or the other side ends before it. */
export function lineOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      size += chunk.length;
      if (size > LONGEST_LINE) finish(() => reject(new Error(`a line is longer than ${LONGEST_LINE} bytes`)));
      else if (end >= 0) finish(() => resolve(Buffer.concat(chunks).toString('utf8')));
    };
    const ended = (): void => finish(() => reject(new Error('the connection ended')));
    const failed = (error: Error): void => finish(() => reject(error));
    const finish = (settle: () => void): void => {
      socket.off('data', take).off('end', ended).off('close', ended).off('error', failed);
      // From here on nobody else listens, and an error without a listener would end the process.
      socket.on('error', () => undefined);
      settle();
    };
    socket.on('data', take).on('end', ended).on('close', ended).on('error', failed);
  });
}
