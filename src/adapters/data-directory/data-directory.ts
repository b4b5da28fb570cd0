import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileProblem } from '../../lib/errors/failure-text.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';

/** The paths of the files of one panel. All but `events.db`, `head.json`, `keys` and `certs` can be recreated. */
export interface DataDirectory {
  readonly root: string;
  readonly database: string;
  readonly anchor: string;
  readonly lock: string;
  readonly masterKey: string;
  readonly certs: string;
  readonly core: string;
  readonly geo: string;
  readonly backups: string;
  readonly logs: string;
  readonly run: string;
  readonly snapshots: string;
  /** How far each webhook has delivered. */
  readonly webhooks: string;
}

export function dataDirectory(root: string): DataDirectory {
  return {
    root,
    database: join(root, 'events.db'),
    anchor: join(root, 'head.json'),
    lock: join(root, 'run', 'lock.db'),
    masterKey: join(root, 'keys', 'master.key'),
    certs: join(root, 'certs'),
    core: join(root, 'core'),
    geo: join(root, 'geo'),
    backups: join(root, 'backups'),
    logs: join(root, 'logs'),
    run: join(root, 'run'),
    snapshots: join(root, 'run', 'snapshots'),
    webhooks: join(root, 'run', 'webhooks.db'),
  };
}

/**
 * Creates the folders and denies other accounts any access: modes 0700 and 0600. Throws `MessageError` when the directory
 * cannot be written to.
 */
export function prepareDataDirectory(root: string): DataDirectory {
  const directory = dataDirectory(root);
  createFolder(root);
  assertWritable(root);
  const { certs, core, geo, backups, logs, run } = directory;
  for (const folder of [root, join(root, 'keys'), certs, core, geo, backups, logs, run]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  }
  for (const name of readdirSync(root, { withFileTypes: true })) {
    const file = join(root, name.name);
    if (name.isFile() && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
  return directory;
}

/**
 * Creates a folder and the missing ones above it. Not with `recursive`: Node 20 never returns where a file system refuses new
 * folders with ENOENT, as /proc does.
 */
function createFolder(path: string): void {
  if (isPresent(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const problem = code === 'ENOENT' ? message('file.failed', { path, code }) : fileProblem(error, path);
    throw problem === null ? error : new MessageError(problem, { cause: error });
  }
}

/** The data directory of a panel that was started before. Throws `MessageError` when there is none or it is not accessible. */
export function existingDataDirectory(root: string): DataDirectory {
  const directory = dataDirectory(root);
  if (!isPresent(directory.database)) throw new MessageError(message('cli.noLog', { folder: root }));
  return directory;
}

/** Creates the run folder if it is missing. Throws `MessageError` when there is no panel's data, or it cannot be changed. */
export function prepareRunFolder({ root, run }: Pick<DataDirectory, 'root' | 'run'>): void {
  if (!isPresent(run)) {
    existingDataDirectory(root);
    assertWritable(root);
    mkdirSync(run, { mode: 0o700 });
  }
  assertWritable(run);
}

/** Whether there is a file or folder. Throws `MessageError` when this account may not look, or the path leads through a file. */
export function isPresent(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    const problem = fileProblem(error, path);
    if (problem === null) throw error;
    throw new MessageError(problem, { cause: error });
  }
}

/** Throws `MessageError` when no file can be created in this folder. */
export function assertWritable(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new MessageError(message('file.notFolder', { path: folder }));
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const readOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    const problem = readOnly ? message('storage.directoryReadOnly', { folder }) : fileProblem(error, folder);
    if (problem === null) throw error;
    throw new MessageError(problem, { cause: error });
  }
}

/** Names of temporary files: the next content of a file, and configurations under test. */
const UNFINISHED = /\.(new|next)$|^candidate-[0-9a-f-]+\.json(\.pb)?$/;

/** Deletes the temporary files of an earlier process. The caller must hold the lock. */
export function removeUnfinished({ root, masterKey, certs, run, snapshots }: DataDirectory): void {
  for (const folder of [root, dirname(masterKey), certs, run, snapshots]) {
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && UNFINISHED.test(entry.name)) rmSync(join(folder, entry.name), { force: true });
    }
  }
}
