// Third-party programs, downloaded or compiled once per version and cached outside the clone for all clones of this user.
import { access, chmod, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture } from './process.mjs';

/** The path of a cached file: `core/26.7.28/xray`. */
export const cached = (...parts) => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'portolan', ...parts);

export const isProgram = (path) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** A cached file may be incomplete or for another machine, so it must run and answer as expected. */
export async function answers(path, args, expected) {
  if (!(await isProgram(path))) return false;
  const { code, output } = await capture(path, args, { timeout: 15_000 });
  return code === 0 && output.startsWith(expected);
}

/**
 * Creates a program at `path`. `get` receives an empty folder next to it and returns the path of the program in that folder.
 * The last step is a rename, so the file is complete even with concurrent runs. Throws when the program cannot be fetched or
 * run.
 */
export async function keep(path, get, runs) {
  const parent = dirname(path);
  let folder;
  try {
    await mkdir(parent, { recursive: true });
    folder = await mkdtemp(join(parent, '.new-'));
    const fresh = await get(folder);
    await chmod(fresh, 0o755);
    if (!(await runs(fresh))) throw new Error('the downloaded or compiled program does not run on this machine');
    await rename(fresh, path);
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

export function reasonOf(error) {
  const cause = error.cause?.code ?? error.cause?.message;
  return cause ? `${error.message}: ${cause}` : error.message;
}
