import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  };
}

/**
 * Creates the folders and denies other accounts any access: modes 0700 and 0600. Throws `MessageError` when the directory
 * cannot be written to.
 */
export function prepareDataDirectory(root: string): DataDirectory {
  const directory = dataDirectory(root);
  if (existsSync(root)) assertWritable(root);
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

function assertWritable(root: string): void {
  try {
    accessSync(root, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text =
      code === 'EROFS'
        ? message('storage.directoryReadOnly', { folder: root })
        : message('storage.directoryRefused', { folder: root, code: code ?? 'EUNKNOWN' });
    throw new MessageError(text);
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
