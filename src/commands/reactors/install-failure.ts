import { CoreError } from '../ports/core.js';
import { ReleaseError } from '../ports/releases.js';

/** What the system says of a place that cannot be written to. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the data directory cannot be written to',
  EACCES: 'the data directory cannot be written to',
  EPERM: 'the data directory cannot be written to',
  EIO: 'the disk fails',
};

/** Why an installation failed, for people. An error that is nobody's fault but ours goes on. */
export function failureOf(error: unknown): string {
  if (error instanceof ReleaseError) return error.message;
  if (error instanceof CoreError) return `the executable does not do: ${error.message}`;
  const known = SYSTEM[(error as NodeJS.ErrnoException).code ?? ''];
  if (known === undefined) throw error;
  return known;
}

/** Says so when a task breaks down: whoever asked for it may not wait for its end any more. */
export async function watched<T>(task: Promise<T>, warn: (message: string, fields: object) => void): Promise<T> {
  try {
    return await task;
  } catch (error) {
    warn('an installation broke down', { err: error });
    throw error;
  }
}
