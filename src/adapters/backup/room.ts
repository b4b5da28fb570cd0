import { statfsSync, statSync } from 'node:fs';
import { BackupError } from '../../commands/ports/backups.js';
import { message } from '../../messages/message.js';

/** Bytes that stay free for the panel itself. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** The MB that a folder must have free to take these bytes, spare included; null when it has them. */
export function missingMb(folder: string, bytes: number): number | null {
  const needed = bytes + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= needed ? null : Math.ceil(needed / 1_048_576);
}

/** Throws `BackupError` when a data directory has too little free space for another state of this size. */
export function assertRoom(root: string, bytes: number): void {
  const lacking = missingMb(root, bytes);
  if (lacking !== null) throw new BackupError('failed', message('backup.noRoomForState', { mb: lacking }));
}

/** In bytes; 0 for a missing file. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
