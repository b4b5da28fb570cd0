import { join } from 'node:path';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import type { SharedFile } from '../commands/ports/cluster/shared-files.js';
import { geoFiles } from '../commands/ports/releases.js';
import { MachineFiles, type WantedFiles } from '../commands/reactors/releases/machine-files.js';
import { geoFileOf } from '../events/geo/geo.js';
import { runnable } from '../http/panel/codec/template.js';
import type { Adapters } from './adapters.js';
import type { Panel } from './panel.js';

/** Keeps the core and the geo files of a member as the leader has installed them. */
export function createMachineFiles(
  panel: Panel,
  { core: versions, geoSources: geo }: Adapters['releases'],
  member: MemberMachine,
  warn: (message: string, fields?: object) => void,
): MachineFiles {
  const { read, core, now, reactors } = panel;
  const files = new MachineFiles({
    ...{ machine: member.name, core, versions, geo, now, warn },
    isLeader: () => member.isLeader,
    wanted: () => wantedFiles(panel),
    config: () => ({ template: read.desired.template(), inbounds: runnable(read) }),
    fetch: member.calls.fetch,
    restart: () => reactors.restartCore(),
  });
  reactors.filterBy((events) => files.onEvents(events));
  return files;
}

/** The last installed version of the core and the last files, from the log. */
function wantedFiles({ log, read }: Pick<Panel, 'log' | 'read'>): WantedFiles {
  const { version } = read.records.core().choice;
  const installed = log.lastOf(
    'core',
    ['CoreVersionInstalled'],
    ({ type, data }) => type === 'CoreVersionInstalled' && (version === null || data.version === version),
  );
  const sha256 = installed?.type === 'CoreVersionInstalled' && version !== null ? installed.data.sha256 : null;
  const geo = new Map<string, string>();
  log.lastOf('geo', ['GeoFilesUpdated'], ({ type, data }) => {
    if (type !== 'GeoFilesUpdated') return false;
    for (const { file, sha256: sum } of data.files) if (sum !== null && !geo.has(file)) geo.set(file, sum);
    return geo.size === geoFiles.length;
  });
  for (const source of read.records.geoSources().values())
    if (source.content) geo.set(geoFileOf(source), source.content.sha256);
  const isInstalled = installed !== null || version !== null;
  return {
    core: isInstalled ? { version, sha256 } : null,
    geo: [...geo].map(([file, sum]) => ({ file, sha256: sum })),
  };
}

/** Where the files are that other machines copy from this one. */
export function sharedFiles({ directory, read }: Pick<Panel, 'directory' | 'read'>, releases: Adapters['releases']) {
  return ({ kind, name }: SharedFile): string | null => {
    if (kind === 'core') return releases.core.installed().includes(name) ? join(directory.core, name, 'xray') : null;
    const known = [...geoFiles, ...[...read.records.geoSources().values()].map(geoFileOf)];
    return known.includes(name) && releases.geoSources.exists(name) ? releases.geoSources.pathOf(name) : null;
  };
}
