import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Registries may be slow, and a machine without them must not wait for ever. */
const TIMEOUT_MS = 180_000;

/** A third-party program: its place, or why it is missing. */
export type Installed = { readonly folder: string } | { readonly missing: string };

/** py3xui with what it imports, for `PYTHONPATH`. */
export function py3xui(): Promise<Installed> {
  const pinned = ['--require-hashes', '--no-deps', '--only-binary', ':all:', '-r', 'requirements.txt'];
  return kept('py3xui', {
    files: ['requirements.txt'],
    edition: async () => {
      const { stdout } = await run('python3', ['-c', 'import sys; print(*sys.version_info[:2])']);
      const [major = 0, minor = 0] = stdout.trim().split(' ').map(Number);
      if (major < 3 || (major === 3 && minor < 11)) throw new Error(`Python ${major}.${minor} is older than 3.11`);
      return stdout;
    },
    install: async (folder) => {
      const options = ['--quiet', '--no-input', '--disable-pip-version-check', '--retries', '1', '--target', folder];
      await run('python3', ['-m', 'pip', 'install', ...options, ...pinned], { cwd: folder, timeout: TIMEOUT_MS });
    },
  });
}

/** 3xui-api-client, in `node_modules` of the folder. */
export function threeXuiClient(): Promise<Installed> {
  return kept('three-x-ui-client', {
    files: ['package.json', 'package-lock.json'],
    edition: async () => process.versions.modules,
    install: async (folder) => {
      const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
      const retries = ['--fetch-retries', '1', '--fetch-retry-mintimeout', '1000'];
      await run('npm', ['ci', ...options, ...retries], { cwd: folder, timeout: TIMEOUT_MS });
    },
  });
}

/** For `describe.skipIf`: true if the program is missing, and then prints a notice that the suite is skipped. */
export function without(suite: string, program: Installed): boolean {
  if (!('missing' in program)) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(`\n${line}\n!! SKIPPED: ${suite}\n!! It could not be installed: ${program.missing}\n${line}\n`);
  return true;
}

interface Recipe {
  /** The versions, with a hash for every file. */
  readonly files: readonly string[];
  /** Of the interpreter that the packages are for. */
  readonly edition: () => Promise<string>;
  /** Into a folder that has the files. */
  readonly install: (folder: string) => Promise<void>;
}

/** Installed once for each list of versions and kept outside the clone. Never throws. */
async function kept(name: string, { files, edition, install }: Recipe): Promise<Installed> {
  const source = fileURLToPath(new URL(name, import.meta.url));
  const parent = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portolan', 'programs');
  let fresh = '';
  try {
    const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${await edition()}`);
    for (const file of files) hash.update(readFileSync(join(source, file)));
    const folder = join(parent, `${name}-${hash.digest('hex').slice(0, 16)}`);
    if (existsSync(folder)) return { folder };
    mkdirSync(parent, { recursive: true });
    fresh = mkdtempSync(join(parent, '.new-'));
    for (const file of files) copyFileSync(join(source, file), join(fresh, file));
    await install(fresh);
    // The rename is atomic; if it fails, another process has installed the same meanwhile.
    if (!existsSync(folder)) renameSync(fresh, folder);
    return { folder };
  } catch (error) {
    return { missing: lastLine(error) };
  } finally {
    if (fresh !== '') rmSync(fresh, { recursive: true, force: true });
  }
}

function lastLine(error: unknown): string {
  const { message, stderr } = error as { message: string; stderr?: string };
  const lines = `${stderr?.trim() || message}`.trim().split('\n');
  return lines.findLast((line) => line.trim() !== '' && !line.includes('complete log'))?.trim() ?? message;
}
