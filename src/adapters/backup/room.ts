import { statfsSync, statSync } from 'node:fs';
import { BackupError } from '../../commands/ports/backups.js';

/** Bytes that stay free beside whatever is written, for the panel itself. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** How many MB a folder should have free for so many bytes and what the panel writes meanwhile; null when it has them. */
export function roomLacking(folder: string, bytes: number): number | null {
  const needed = bytes + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= needed ? null : Math.ceil(needed / 1_048_576);
}

/** Throws `BackupError` when a data directory has no room for so many bytes of another state. */
export function assertTakesIn(root: string, bytes: number): void {
  const lacking = roomLacking(root, bytes);
  if (lacking !== null)
    throw new BackupError('failed', `The disk has too little room: taking this in needs ${lacking} MB`);
}

/** In bytes; 0 for what is not there. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
