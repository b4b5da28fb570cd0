import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';

/** There is no executable. */
export function binaryMissing(cause?: Error): CoreError {
  return new CoreError('missing', 'There is no core: install one, or say where it is', { cause });
}

/** Why the executable at a path could not be started: it is not there, or it is nothing that runs here. */
export function binaryUnusable(path: string, cause?: Error): CoreError {
  if (!existsSync(path)) return binaryMissing(cause);
  return new CoreError('refused', `The core cannot be started (${basename(path)})`, { cause });
}
