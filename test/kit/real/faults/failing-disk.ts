import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { preloaded } from './preloaded.js';

/** The fault of the disk: full, read-only, failing writes, or failing reads too. */
export type DiskFault = 'full' | 'read-only' | 'failing' | 'gone';

const { ENOSPC, EROFS, EIO } = constants.errno;
const NUMBERS: Readonly<Record<DiskFault, number>> = { full: ENOSPC, 'read-only': EROFS, failing: EIO, gone: -EIO };

/** A disk whose faults a test switches on and off, for a program that is started with `env`. Only below `root`. */
export interface FailingDisk {
  readonly env: Readonly<Record<string, string>>;
  fail(fault: DiskFault | null): void;
  remove(): void;
}

/** Null where there is no C compiler. */
export function failingDisk(root: string): FailingDisk | null {
  const made = preloaded('failing-disk');
  if (made === null) return null;
  const fault = join(made.folder, 'fault');
  return {
    env: { LD_PRELOAD: made.library, DISK_ROOT: root, DISK_FAULT: fault },
    fail: (kind) => writeFileSync(fault, kind === null ? '0' : String(NUMBERS[kind])),
    remove: made.remove,
  };
}
