import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { RefusedFile } from '../../commands/ports/refused-file.js';
import type { XuiPanel } from '../../commands/ports/xui-panel.js';
import { failureText, fileProblem } from '../../lib/errors/failure-text.js';
import { message } from '../../messages/message.js';
import { sha256Of } from '../data-directory/files.js';
import { readDatabase } from './read-database.js';

/** A database with 100,000 clients has a few hundred MB. */
const MAX_FILE_BYTES = 1024 ** 3;
const HEADER = 'SQLite format 3\0';

/** The content of a database file. */
interface XuiFile {
  readonly panel: XuiPanel;
  /** Of the file without its write-ahead log, hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Reads a database of 3x-ui from a private copy of the file and its write-ahead log. `scratch` is a private folder, empty
 * again afterwards. Rejects with `RefusedFile`. A hostile file may keep SQLite busy: run this in a process with limits on
 * time and memory.
 */
export async function readXui(file: string, scratch: string): Promise<XuiFile> {
  const bytes = checkedSize(file);
  const folder = mkdtempSync(join(scratch, 'xui-'));
  try {
    const copy = join(folder, 'x-ui.db');
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    for (const suffix of ['-wal', '-journal']) {
      if (existsSync(file + suffix) && statSync(file + suffix).size <= MAX_FILE_BYTES)
        copyFileSync(file + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    const sha256 = await sha256Of(copy);
    return { panel: readDatabase(copy), sha256, bytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The size of a file that begins as a database does. */
function checkedSize(file: string): number {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new RefusedFile(fileProblem(error, file) ?? failureText(error), { cause: error });
  }
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new RefusedFile(message('storage.notRegular', { file }));
    if (found.size > MAX_FILE_BYTES) throw new RefusedFile(message('import.tooLarge'));
    const head = Buffer.alloc(HEADER.length);
    const read = readSync(handle, head, 0, head.length, 0);
    if (read < head.length || head.toString('latin1') !== HEADER) throw new RefusedFile(message('backup.notSqlite'));
    return found.size;
  } finally {
    closeSync(handle);
  }
}
