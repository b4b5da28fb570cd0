// Programs of others that are got once for each version and kept outside the clone, for every clone of this user.
import { access, chmod, constants, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { capture } from './process.mjs';

/** The path of something kept: `core/26.7.28/xray`. */
export const cached = (...parts) => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'portolan', ...parts);

export const isProgram = (path) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** What is there may be for another machine, or half a file: only a program that answers as it should counts. */
export async function answers(path, args, expected) {
  if (!(await isProgram(path))) return false;
  const { code, output } = await capture(path, args, { timeout: 15_000 });
  return code === 0 && output.startsWith(expected);
}

/**
 * Puts a program at `path`. `get` is given an empty folder beside it and answers with the program in there, so the last
 * step is one rename, so the file is complete even with concurrent runs. Throws when it cannot be fetched or run.
 */
export async function keep(path, get, runs) {
  const parent = dirname(path);
  let folder;
  try {
    await mkdir(parent, { recursive: true });
    folder = await mkdtemp(join(parent, '.new-'));
    const fresh = await get(folder);
    await chmod(fresh, 0o755);
    if (!(await runs(fresh))) throw new Error('what came does not run on this machine');
    await rename(fresh, path);
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

export function reasonOf(error) {
  const cause = error.cause?.code ?? error.cause?.message;
  return cause ? `${error.message}: ${cause}` : error.message;
}
