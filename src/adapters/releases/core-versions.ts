import { randomUUID } from 'node:crypto';
import { constants, readdirSync, rmSync } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { type CoreVersions, ReleaseError, type StagedCore } from '../../commands/ports/releases.js';
import type { Web } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import { chosenVersion, installedVersions } from '../core/process/locate.js';
import { flushAsync, replaceFile, sha256Of } from '../data-directory/files.js';
import { extract } from './archive.js';
import { type Release, releasesAt, versionOf } from './feed.js';
import { fetchArchive } from './fetch-archive.js';

interface CoreVersionOptions {
  readonly web: Web;
  /** An URL with the list of releases in the format of the GitHub API. */
  readonly url: string;
  /** `core/` in the data directory. */
  readonly folder: string;
  /** The setting that fixes the path of the executable, or null. */
  readonly fixedBy: string | null;
  /** The executable in use. */
  readonly locate: () => string | null;
  readonly now: () => number;
}

const FRESH_MS = 15 * 60_000;
const STAGING = '.staging-';
const LIMITS = { entries: 100, bytes: 400 * 1024 * 1024 };

/** Installed core versions in a folder, and releases from a release server. */
export function createCoreVersions(options: CoreVersionOptions): CoreVersions {
  const { folder, fixedBy, locate } = options;
  const releases = releaseList(options);
  const fileOf = (version: string): string => join(folder, version, 'xray');
  const installed = (): readonly string[] => installedVersions(folder);
  return {
    fixedBy,
    available: async () => (await releases()).map(({ tag_name }) => tag_name),
    installed,
    chosen: () => chosenVersion(folder),

    stage: async (version) => {
      if (!installed().includes(version)) return download(options, await releases(), version);
      const binary = fileOf(version);
      const nothing = (): Promise<void> => Promise.resolve();
      return { binary, sha256: await sha256Of(binary), install: nothing, discard: nothing };
    },

    receive: (version, fetch) =>
      inStaging(folder, version, async (staging) => {
        const binary = join(staging, 'xray');
        await fetch(binary);
        await chmod(binary, 0o700);
        return binary;
      }),

    keep: async (version) => {
      const current = locate();
      if (current === null || version === null || versionOf(version) === null) return null;
      if (installed().includes(version)) return version;
      const copy = join(folder, `${STAGING}${randomUUID()}`);
      await copyFile(current, copy, constants.COPYFILE_FICLONE);
      await chmod(copy, 0o700);
      await flushAsync(copy);
      await put(folder, copy, version);
      return version;
    },

    choose: (version) => {
      if (version === null) rmSync(join(folder, 'current'), { force: true });
      else replaceFile(join(folder, 'current'), `${version}\n`);
      return locate();
    },

    remove: (version) => rmSync(join(folder, version), { recursive: true, force: true }),

    removeUnfinished: () => {
      const unfinished = readdirSync(folder).filter((name) => name.startsWith(STAGING));
      for (const name of unfinished) rmSync(join(folder, name), { recursive: true, force: true });
    },
  };
}

/**
 * The releases, newest first. Pre-releases count, since nearly all are marked as such. When the server cannot be reached,
 * the last known list is used.
 */
function releaseList({ web, url, now }: CoreVersionOptions): () => Promise<readonly Release[]> {
  let known: { readonly at: number; readonly releases: readonly Release[] } | null = null;
  return async () => {
    if (known !== null && now() - known.at < FRESH_MS) return known.releases;
    try {
      const all = await releasesAt(web, url);
      const usable = all.filter(({ tag_name, draft }) => !draft && versionOf(tag_name) !== null);
      known = { at: now(), releases: usable.toSorted((a, b) => semver.rcompare(a.tag_name, b.tag_name)) };
    } catch (error) {
      if (known === null || !(error instanceof ReleaseError)) throw error;
    }
    return known.releases;
  };
}

async function download(
  { web, folder }: CoreVersionOptions,
  releases: readonly Release[],
  version: string,
): Promise<StagedCore> {
  const release = releases.find(({ tag_name }) => versionOf(tag_name) === version);
  if (release === undefined) throw new ReleaseError(message('releases.unknown', { version }));
  return inStaging(folder, version, async (staging) => {
    const binary = join(staging, 'xray');
    const archive = join(staging, 'core.zip');
    const name = `Xray-${target()}.zip`;
    await fetchArchive(web, release, { archive: name, sum: `${name}.dgst` }, archive);
    await extract(archive, (entry) => (entry === 'xray' ? { path: binary, mode: 0o700 } : null), LIMITS);
    await rm(archive);
    await chmod(binary, 0o700).catch(() => {
      throw new ReleaseError(message('releases.executableMissing', { version }));
    });
    return binary;
  });
}

/** A version whose executable `make` has put into a folder for it. The folder is deleted when that fails. */
async function inStaging(
  folder: string,
  version: string,
  make: (staging: string) => Promise<string>,
): Promise<StagedCore> {
  const staging = join(folder, `${STAGING}${randomUUID()}`);
  const discard = (): Promise<void> => rm(staging, { recursive: true, force: true });
  try {
    await mkdir(staging, { mode: 0o700 });
    const binary = await make(staging);
    return { binary, sha256: await sha256Of(binary), install: () => put(folder, binary, version), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function put(folder: string, from: string, version: string): Promise<void> {
  await mkdir(join(folder, version), { recursive: true, mode: 0o700 });
  await rename(from, join(folder, version, 'xray'));
  for (const path of [join(folder, version), folder]) await flushAsync(path);
}

/** The name of this platform in the file names of the releases. */
function target(): string {
  const systems: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };
  const arm = String((process.config.variables as { arm_version?: unknown }).arm_version ?? '7');
  const machines: Readonly<Record<string, string>> = {
    x64: '64',
    ia32: '32',
    arm64: 'arm64-v8a',
    arm: arm === '7' ? 'arm32-v7a' : `arm32-v${arm}`,
  };
  return `${systems[platform()] ?? platform()}-${machines[arch()] ?? arch()}`;
}
