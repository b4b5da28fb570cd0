import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PanelReleases, ReleaseError } from '../../commands/ports/releases.js';
import type { Web } from '../../commands/ports/web.js';
import { extract } from './archive.js';
import { releaseAt, versionOf } from './feed.js';
import { fetchArchive } from './fetch-archive.js';

export interface PanelReleaseOptions {
  readonly web: Web;
  /** `/latest` below it answers with the newest release, as GitHub does. Null = nobody said where releases are. */
  readonly url: string | null;
  readonly dataDir: string;
  /** The version that runs. */
  readonly version: string;
  /** The search path of the account that runs the panel. */
  readonly path: string | undefined;
}

const STAGING = '.staging-';
const LIMITS = { entries: 50_000, bytes: 1024 * 1024 * 1024 };
const SAYS_MS = 20_000;
/** Reading a whole log of many gigabytes takes a while. */
const EXAMINES_MS = 10 * 60_000;
const run = promisify(execFile);

/** Gets and checks new versions of the panel. Which of them runs is the launcher's business. */
export function createPanelReleases({ web, url, dataDir, version: own, path }: PanelReleaseOptions): PanelReleases {
  const folder = join(dataDir, 'panel');
  const latest = () => {
    if (url === null) throw new ReleaseError('no release page is named; set PORTOLAN_PANEL_RELEASES_URL');
    return releaseAt(web, `${url}/latest`);
  };

  const test = async (root: string, version: string, scratch: string): Promise<void> => {
    // Its own environment and an empty data directory: it may do nothing yet.
    const env = { PATH: path ?? '', HOME: scratch, PORTOLAN_DATA_DIR: scratch };
    const ask = async (timeout: number, args: readonly string[]): Promise<string> => {
      const options = { timeout, killSignal: 'SIGKILL' as const, env, cwd: scratch, maxBuffer: 4 * 1024 * 1024 };
      const { stdout } = await run(process.execPath, [...args], options).catch((error: unknown) => {
        throw new ReleaseError(`version ${version} does not run here`, { cause: error });
      });
      return stdout.trim();
    };
    const says = await ask(SAYS_MS, [join(root, 'bin', 'portolan'), '--version']);
    if (says !== version) throw new ReleaseError(`it says that it is version ${says.slice(0, 40) || '(none)'}`);
    await ask(EXAMINES_MS, [join(root, 'dist', 'main.js'), '--data-dir', dataDir, 'doctor']);
  };

  /** What runs, and what was just installed, stay. */
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
      if (version === null || release.tag_name !== tag) throw new ReleaseError(`release ${tag} cannot be installed`);
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
