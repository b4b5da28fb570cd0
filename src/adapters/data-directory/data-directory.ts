import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where everything of one panel lies. Only `events.db`, `head.json`, `keys` and `certs` cannot be made again. */
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
 * Makes the folders, and takes every right from everybody else: 0700 and 0600. Throws a sentence when nothing can be
 * written there.
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
    const why = code === 'EROFS' ? 'it is on a read-only file system' : `the system says ${code ?? 'no'}`;
    throw new Error(`the data directory ${root} cannot be written to: ${why}`);
  }
}

/** Files that a process left unfinished: the next content of a file, and configurations under test. */
const UNFINISHED = /\.(new|next)$|^candidate-[0-9a-f-]+\.json(\.pb)?$/;

/** Takes away what an earlier process left unfinished. For the holder of the lock. */
export function removeUnfinished({ root, masterKey, certs, run, snapshots }: DataDirectory): void {
  for (const folder of [root, dirname(masterKey), certs, run, snapshots]) {
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && UNFINISHED.test(entry.name)) rmSync(join(folder, entry.name), { force: true });
    }
  }
}
