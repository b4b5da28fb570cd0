import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import { message } from '../../../messages/message.js';

/** No executable is installed. */
export function binaryMissing(cause?: Error): CoreError {
  return new CoreError('missing', message('core.missing'), { cause });
}

/** The error for an executable that could not be started: it is missing, or it does not run on this machine. */
export function binaryUnusable(path: string, cause?: Error): CoreError {
  if (!existsSync(path)) return binaryMissing(cause);
  return new CoreError('refused', message('core.notExecutable', { file: basename(path) }), { cause });
}
