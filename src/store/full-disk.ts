import { StorageError } from '../events/log/log.js';
import { diskFault } from '../lib/errors/disk-fault.js';
import { fileProblem } from '../lib/errors/failure-text.js';
import { MessageError, textOf } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';

/** Whether something failed because the disk is full, or the account may not have more of it. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof StorageError) return error.kind === 'full';
  return diskFault(error)?.kind === 'full';
}

/** Why a backup or an import failed. Such a job changes nothing when it fails. */
export function jobFailure(error: unknown): Text {
  if (isDiskFull(error)) return message('STORAGE_FULL');
  if (error instanceof MessageError) return error.text;
  return diskFault(error)?.why ?? fileProblem(error) ?? textOf(error);
}

/** The error for an operator when a start failed because the disk is full. */
export const diskFull = (folder: string): Text => message('storage.diskFullAtStart', { folder });
