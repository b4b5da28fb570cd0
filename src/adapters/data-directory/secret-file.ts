import { closeSync, openSync, readSync } from 'node:fs';
import { fileProblem } from '../../lib/errors/failure-text.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';

const MAX_BYTES = 4096;

/**
 * The content of a file of the operator with a password or a passphrase. The file may be a pipe, as in `<(pass show x)`.
 * Throws `MessageError` when it cannot be read or has more than 4096 bytes.
 */
export function readSecret(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const content = Buffer.alloc(MAX_BYTES + 1);
      let size = 0;
      let read = 1;
      while (read > 0 && size < content.length) {
        read = readSync(handle, content, size, content.length - size, null);
        size += read;
      }
      if (size > MAX_BYTES) throw new MessageError(message('file.secretTooLarge', { path: file, limit: MAX_BYTES }));
      return content.toString('utf8', 0, size);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const problem = fileProblem(error, file);
    if (problem === null) throw error;
    throw new MessageError(problem, { cause: error });
  }
}
