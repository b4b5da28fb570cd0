import { randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RefusedFile } from '../adapters/backup/refused-file.js';
import { assertTakesIn, sizeOf } from '../adapters/backup/room.js';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { discard } from '../adapters/data-directory/files.js';
import { BackupError, type Backups } from '../commands/ports/backups.js';
import { FULL_UNCHANGED, isDiskFull } from './full-disk.js';

const KEPT_NAME = /^portolan-\d{4}-\d\d-\d\d-position-\d+(-sealed)?\.db$/;

/** `portolan-2026-11-21-position-1234.db`; it says so when it is sealed. */
export function backupName(at: number, position: number, sealed: boolean): string {
  return `portolan-${new Date(at).toISOString().slice(0, 10)}-position-${position}${sealed ? '-sealed' : ''}.db`;
}

/** A private name for a file that is not finished; what stays of it goes at the next start. */
export function unfinishedFile({ root }: Pick<DataDirectory, 'root'>): string {
  const folder = join(root, 'staged');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${randomBytes(8).toString('hex')}.db`);
}

/** A copy of a file of the operator that may be changed, with the write-ahead log that lies beside it. Rejects with `RefusedFile`. */
export async function privateCopy(
  file: string,
  directory: Pick<DataDirectory, 'root'>,
): Promise<{ readonly path: string; remove(): void }> {
  const path = unfinishedFile(directory);
  // Once for the copy, and once for what is made of it.
  assertTakesIn(directory.root, 2 * (sizeOf(file) + sizeOf(`${file}-wal`)));
  const remove = (): void => {
    for (const name of [path, `${path}-wal`, `${path}-shm`]) discard(name);
  };
  try {
    for (const suffix of existsSync(`${file}-wal`) ? ['', '-wal'] : ['']) {
      await copyFile(`${file}${suffix}`, `${path}${suffix}`, constants.COPYFILE_EXCL);
      // A copy has the mode of what it was made from.
      await chmod(`${path}${suffix}`, 0o600);
    }
    return { path, remove };
  } catch (error) {
    remove();
    if (isDiskFull(error)) throw new BackupError('failed', FULL_UNCHANGED, { cause: error });
    const { code = 'no' } = error as NodeJS.ErrnoException;
    throw new RefusedFile(`The file cannot be read: the system says ${code}`, { cause: error });
  }
}

/** The timed backups in a folder, newest first. What has another name is none of them. */
export function keptIn(folder: string): ReturnType<Backups['list']> {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => KEPT_NAME.test(name))
    .flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return found?.isFile() ? [{ name, bytes: found.size, at: Math.round(found.mtimeMs) }] : [];
    })
    .sort((a, b) => b.at - a.at);
}
