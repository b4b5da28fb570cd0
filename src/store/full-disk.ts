import { StorageError } from '../events/log/log.js';
import { diskFault } from '../lib/disk-fault.js';
import { render } from '../messages/render.js';

/** Whether something failed because the disk is full, or the account may not have more of it. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof StorageError) return error.kind === 'full';
  return diskFault(error)?.kind === 'full';
}

/** What ended for that while another state was looked at. */
export const FULL_UNCHANGED = 'The disk is full: nothing was changed';

/** What is said of a job that failed while another state was looked at or a copy was made. */
export function jobFailure(error: unknown): string {
  if (isDiskFull(error)) return FULL_UNCHANGED;
  if (error instanceof StorageError) return error.message;
  const fault = diskFault(error);
  if (fault !== null) return render(fault.why, 'en');
  return error instanceof Error ? error.message : String(error);
}

/** What an operator does about a start that ended for that. */
export const diskFull = (dataDir: string): string =>
  `The disk with ${dataDir} is full. Make room on it and start the panel again: nothing is lost`;
