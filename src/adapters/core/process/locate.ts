import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readSpare } from '../../data-directory/files.js';

/** The version that the panel is made and tested for. */
const CORE_VERSION = '26.7.28';

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

interface Places {
  /** `PORTOLAN_CORE_BIN`. */
  readonly configured: string | undefined;
  /** `core/` in the data directory: one folder for each installed version. */
  readonly installed: string;
  readonly path: string | undefined;
  readonly cache: string | undefined;
}

/** The executable of the core: configured, installed, on PATH, or in the build cache; null when there is none. */
export function locateCore({ configured, installed, path, cache }: Places): string | null {
  if (configured !== undefined) return isExecutable(configured) ? configured : null;
  const folder = cache ?? join(homedir(), '.cache');
  const candidates = [
    ...versionsIn(installed).map((version) => join(installed, version, 'xray')),
    ...(path ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((entry) => join(entry, 'xray')),
    join(folder, 'portolan', 'core', CORE_VERSION, 'xray'),
  ];
  return candidates.find(isExecutable) ?? null;
}

/** Installed versions: the chosen one first, then the pinned one, then the newest. */
function versionsIn(folder: string): readonly string[] {
  const rank = [chosenVersion(folder), CORE_VERSION];
  const installed = installedVersions(folder);
  return [...rank.flatMap((version) => installed.filter((one) => one === version)), ...installed];
}

/** The versions in `core/` of the data directory, newest first. */
export function installedVersions(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => VERSION.test(name) && isExecutable(join(folder, name, 'xray')))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}

/** The selected version, or null. */
export function chosenVersion(folder: string): string | null {
  try {
    const name = (readSpare(join(folder, 'current'))?.toString() ?? '').trim();
    return VERSION.test(name) ? name : null;
  } catch {
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
