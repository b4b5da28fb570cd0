import { StorageError } from '../events/log/log.js';
import { diskFault } from '../lib/errors/disk-fault.js';
import { textOf } from '../messages/error.js';
import type { Text } from '../messages/message.js';
import { type Rejection, reject } from './rejection.js';

/** The rejection for an error that the disk caused; null for any other error. */
export function storageRejection(error: unknown): Rejection | null {
  if (error instanceof StorageError) return rejectionOf(error.kind, textOf(error));
  const fault = diskFault(error);
  return fault === null ? null : rejectionOf(fault.kind, fault.why);
}

function rejectionOf(kind: StorageError['kind'], why: Text): Rejection {
  if (kind === 'full') return reject('STORAGE_FULL');
  if (kind === 'busy') return reject('STORAGE_BUSY');
  if (kind === 'read-only') return reject('STORAGE_READ_ONLY', { why });
  return reject('STORAGE_FAILED', { why });
}
