import { diskFault } from '../../../lib/errors/disk-fault.js';
import { message, type Text } from '../../../messages/message.js';
import { CoreError } from '../../ports/core.js';
import { ReleaseError } from '../../ports/releases.js';

/** Why an installation failed. Rethrows unexpected errors. */
export function failureOf(error: unknown): Text {
  if (error instanceof ReleaseError) return error.text;
  if (error instanceof CoreError) return message('releases.executableUnusable', { why: error.text });
  const fault = diskFault(error);
  if (fault === null) throw error;
  return fault.why;
}

/** Logs an unexpected failure of a task: its caller may no longer be waiting for it. */
export async function logFailure<T>(task: Promise<T>, warn: (message: string, fields: object) => void): Promise<T> {
  try {
    return await task;
  } catch (error) {
    warn('an installation failed unexpectedly', { err: error });
    throw error;
  }
}
