import { CoreError } from '../../commands/ports/core.js';

/** There is no executable, or it cannot be started. */
export function missing(cause?: Error): CoreError {
  return new CoreError('missing', 'There is no core: install one, or say where it is', { cause });
}
