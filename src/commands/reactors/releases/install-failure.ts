import { diskFault } from '../../../lib/disk-fault.js';
import { CoreError } from '../../ports/core.js';
import { ReleaseError } from '../../ports/releases.js';

/** Why an installation failed, for people. An error that is nobody's fault but ours goes on. */
export function failureOf(error: unknown): string {
  if (error instanceof ReleaseError) return error.message;
  if (error instanceof CoreError) return `the executable does not do: ${error.message}`;
  const fault = diskFault(error);
  if (fault === null) throw error;
  return fault.why;
}

/** Says so when a task breaks down: whoever asked for it may not wait for its end any more. */
export async function logFailure<T>(task: Promise<T>, warn: (message: string, fields: object) => void): Promise<T> {
  try {
    return await task;
  } catch (error) {
    warn('an installation broke down', { err: error });
    throw error;
  }
}
