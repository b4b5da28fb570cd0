import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

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

const SOURCE = join(import.meta.dirname, 'failing-disk.c');

/** Null where there is no C compiler. */
export function failingDisk(root: string): FailingDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-failing-disk-'));
  const library = join(folder, 'failing-disk.so');
  const fault = join(folder, 'fault');
  try {
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl'], { stdio: 'pipe' });
  } catch {
    if (!existsSync(library)) {
      rmSync(folder, { recursive: true });
      return null;
    }
  }
  return {
    env: { LD_PRELOAD: library, DISK_ROOT: root, DISK_FAULT: fault },
    fail: (kind) => writeFileSync(fault, kind === null ? '0' : String(NUMBERS[kind])),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
