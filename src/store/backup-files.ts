import { randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertRoom, sizeOf } from '../adapters/backup/room.js';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { discard } from '../adapters/data-directory/files.js';
import { BackupError, type Backups } from '../commands/ports/backups.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { fileProblem } from '../lib/errors/failure-text.js';
import { message } from '../messages/message.js';
import { isDiskFull } from './full-disk.js';

const KEPT_NAME = /^portolan-\d{4}-\d\d-\d\d-position-\d+(-sealed)?\.db$/;

/** `portolan-2026-11-21-position-1234.db`, with `-sealed` when the backup is sealed. */
export function backupName(at: number, position: number, sealed: boolean): string {
  return `portolan-${new Date(at).toISOString().slice(0, 10)}-position-${position}${sealed ? '-sealed' : ''}.db`;
}

/** A new private path for an unfinished file. The next start deletes what is left there. */
export function unfinishedFile({ root }: Pick<DataDirectory, 'root'>): string {
  const folder = join(root, 'staged');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${randomBytes(8).toString('hex')}.db`);
}

/** Copies a file of the operator with its write-ahead log, so that the copy may be changed. Rejects with `RefusedFile`. */
export async function privateCopy(
  file: string,
  directory: Pick<DataDirectory, 'root'>,
): Promise<{ readonly path: string; remove(): void }> {
  const path = unfinishedFile(directory);
  // Once for the copy and once for the state that is made of it.
  assertRoom(directory.root, 2 * (sizeOf(file) + sizeOf(`${file}-wal`)));
  const remove = (): void => {
    for (const name of [path, `${path}-wal`, `${path}-shm`]) discard(name);
  };
  try {
    for (const suffix of existsSync(`${file}-wal`) ? ['', '-wal'] : ['']) {
      await copyFile(`${file}${suffix}`, `${path}${suffix}`, constants.COPYFILE_EXCL);
      // `copyFile` keeps the mode of the original.
      await chmod(`${path}${suffix}`, 0o600);
    }
    return { path, remove };
  } catch (error) {
    remove();
    if (isDiskFull(error)) throw new BackupError('failed', message('STORAGE_FULL'), { cause: error });
    const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException;
    const why = fileProblem(error, file) ?? message('file.failed', { path: file, code });
    throw new RefusedFile(why, { cause: error });
  }
}

/** The scheduled backups in a folder, recognized by their names, newest first. */
export function keptIn(folder: string): ReturnType<Backups['list']> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => KEPT_NAME.test(name))
    .flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return found?.isFile() ? [{ name, bytes: found.size, at: Math.round(found.mtimeMs) }] : [];
    })
    .sort((a, b) => b.at - a.at);
}
