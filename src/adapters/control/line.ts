import type { Socket } from 'node:net';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { MAX_LINE_BYTES } from './protocol.js';

/** Reads the first line from a socket, without the line feed. Rejects with `MessageError` when it is too long or incomplete. */
export function lineOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      size += chunk.length;
      if (size > MAX_LINE_BYTES)
        finish(() => reject(new MessageError(message('cli.lineTooLong', { bytes: MAX_LINE_BYTES }))));
      else if (end >= 0) finish(() => resolve(Buffer.concat(chunks).toString('utf8')));
    };
    const ended = (): void => finish(() => reject(new MessageError(message('cli.connectionEnded'))));
    const failed = (error: Error): void => finish(() => reject(error));
    const finish = (settle: () => void): void => {
      socket.off('data', take).off('end', ended).off('close', ended).off('error', failed);
      // An error event without a listener would end the process.
      socket.on('error', () => undefined);
      settle();
    };
    socket.on('data', take).on('end', ended).on('close', ended).on('error', failed);
  });
}
