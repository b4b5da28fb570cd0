import { diskFault } from '../../../lib/disk-fault.js';
import { render } from '../../../messages/render.js';
import { CoreError } from '../../ports/core.js';
import { ReleaseError } from '../../ports/releases.js';

/** Why an installation failed, for people. Rethrows unexpected errors. */
export function failureOf(error: unknown): string {
  if (error instanceof ReleaseError) return error.message;
  if (error instanceof CoreError) return `the executable does not do: ${error.message}`;
  const fault = diskFault(error);
  if (fault === null) throw error;
  return render(fault.why, 'en');
}

/** Logs an unexpected failure of a task: its caller may no longer be waiting for it. */
export async function logFailure<T>(task: Promise<T>, warn: (message: string, fields: object) => void): Promise<T> {
  try {
    return await task;
  } catch (error) {
    warn('an installation broke down', { err: error });
    throw error;
  }
}
