import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PanelReleases, ReleaseError, wrongVersion } from '../../commands/ports/releases.js';
import type { Web } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import { extract } from './archive.js';
import { releaseAt, versionOf } from './feed.js';
import { fetchArchive } from './fetch-archive.js';

interface PanelReleaseOptions {
  readonly web: Web;
  /** A URL whose `/latest` returns the newest release in the format of GitHub. Null = not configured. */
  readonly url: string | null;
  readonly dataDir: string;
  /** The version that runs. */
  readonly version: string;
  /** The search path of the account that runs the panel. */
  readonly path: string | undefined;
}

const STAGING = '.staging-';
const LIMITS = { entries: 50_000, bytes: 1024 * 1024 * 1024 };
/** Timeout of `--version`, in ms. */
const VERSION_MS = 20_000;
/** Timeout of `doctor`, in ms: it reads the whole log, which may have many gigabytes. */
const DOCTOR_MS = 10 * 60_000;
const run = promisify(execFile);

/** Downloads and tests new versions of the panel. The launcher decides which version runs. */
export function createPanelReleases({ web, url, dataDir, version: own, path }: PanelReleaseOptions): PanelReleases {
  const folder = join(dataDir, 'panel');
  const latest = () => {
    if (url === null) throw new ReleaseError(message('releases.feedUrlMissing'));
    return releaseAt(web, `${url}/latest`);
  };

  const test = async (root: string, version: string, scratch: string): Promise<void> => {
    // With its own environment and an empty data directory, so that it changes nothing.
    const env = { PATH: path ?? '', HOME: scratch, PORTOLAN_DATA_DIR: scratch };
    const ask = async (timeout: number, args: readonly string[]): Promise<string> => {
      const options = { timeout, killSignal: 'SIGKILL' as const, env, cwd: scratch, maxBuffer: 4 * 1024 * 1024 };
      const { stdout } = await run(process.execPath, [...args], options).catch((error: unknown) => {
        throw new ReleaseError(message('releases.versionFails', { version }), { cause: error });
      });
      return stdout.trim();
    };
    const reported = await ask(VERSION_MS, [join(root, 'bin', 'portolan'), '--version']);
    if (reported !== version) throw wrongVersion(version, reported.slice(0, 40));
    await ask(DOCTOR_MS, [join(root, 'dist', 'main.js'), '--data-dir', dataDir, 'doctor']);
  };

  /** Deletes old versions, except these. */
  const tidy = async (keep: readonly string[]): Promise<void> => {
    const old = (await readdir(folder)).filter(
      (name) => (name.startsWith(STAGING) || versionOf(name) !== null) && !keep.includes(name),
    );
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
  };

  return {
    latest: async () => (await latest()).tag_name,

    stage: async (tag) => {
      const release = await latest();
      const version = versionOf(release.tag_name);
      if (version === null || release.tag_name !== tag)
        throw new ReleaseError(message('releases.notInstallable', { tag }));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const staging = join(folder, `${STAGING}${randomUUID()}`);
      const root = join(staging, 'root');
      const scratch = join(staging, 'scratch');
      try {
        for (const path of [staging, root, scratch]) await mkdir(path, { mode: 0o700 });
        const archive = join(staging, 'panel.zip');
        const name = `portolan-${version}-${platform()}-${arch()}.zip`;
        const sha256 = await fetchArchive(web, release, { archive: name, sum: `${name}.sha256` }, archive);
        const modeOf = (entry: string): number => (/^bin\/|\.node$/.test(entry) ? 0o700 : 0o600);
        await extract(archive, (entry) => ({ path: join(root, entry), mode: modeOf(entry) }), LIMITS);
        await test(root, version, scratch);
        await tidy([version, own, staging.slice(folder.length + 1)]);
        await rm(join(folder, version), { recursive: true, force: true });
        await rename(root, join(folder, version));
        return { version, sha256 };
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    },
  };
}
