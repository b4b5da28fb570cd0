import { StorageError } from './events/log.js';

const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Whether something failed because the disk is full, or the account may not have more of it. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof StorageError) return error.kind === 'full';
  return error instanceof Error && FULL.has((error as NodeJS.ErrnoException).code);
}

/** What ended for that while another state was looked at. */
export const FULL_UNCHANGED = 'The disk is full: nothing was changed';

/** What an operator does about a start that ended for that. */
export const diskFull = (dataDir: string): string =>
  `The disk with ${dataDir} is full. Make room on it and start the panel again: nothing is lost`;
