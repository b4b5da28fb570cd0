import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The version that the panel is made and tested for. */
export const CORE_VERSION = '26.7.28';

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

/** Installed versions, the pinned one first, then the newest. */
function versionsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const newestFirst = readdirSync(folder).sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return [
    ...newestFirst.filter((version) => version === CORE_VERSION),
    ...newestFirst.filter((version) => version !== CORE_VERSION),
  ];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
