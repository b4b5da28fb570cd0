import { CoreRestartRequested } from '../events/core.js';
import {
  CoreInstallFailed,
  CoreVersionInstalled,
  CoreVersionRolledBack,
  GeoFilesUpdated,
  PanelUpdateFailed,
  PanelUpdateInstalled,
  PanelUpdateRolledBack,
} from '../events/releases.js';
import type { Text } from '../messages/message.js';
import type { Command, Decider } from './command.js';
import type { GeoResult } from './ports/releases.js';

interface Failed {
  readonly version: string;
  readonly reason: Text;
}

export type ReleaseCommand =
  | Command<
      'RecordCoreInstalled',
      { readonly version: string; readonly previousVersion: string | null; readonly sha256: string }
    >
  | Command<'RecordCoreRolledBack', Failed & { readonly restoredVersion: string | null }>
  | Command<'RecordCoreInstallFailed', Failed>
  | Command<
      'RecordPanelUpdate',
      { readonly version: string; readonly previousVersion: string; readonly sha256: string }
    >
  | Command<'RecordPanelUpdateFailed', Failed>
  | Command<'RecordPanelRolledBack', Failed & { readonly restoredVersion: string }>
  | Command<'RecordGeoFiles', { readonly files: readonly GeoResult[]; readonly used: boolean }>;

const restart = (cause: number) => ({ ...CoreRestartRequested({}), cause });

/** Records what was installed. A core that an admin has stopped stays stopped. */
export const releases: Decider<ReleaseCommand> = {
  RecordCoreInstalled: (data, { core: { wanted } }) => [CoreVersionInstalled(data), ...(wanted ? [restart(0)] : [])],
  RecordCoreRolledBack: (data, { core: { wanted } }) => [CoreVersionRolledBack(data), ...(wanted ? [restart(0)] : [])],
  RecordCoreInstallFailed: (data) => [CoreInstallFailed(data)],
  RecordPanelUpdate: (data) => [PanelUpdateInstalled(data)],
  RecordPanelUpdateFailed: (data) => [PanelUpdateFailed(data)],
  RecordPanelRolledBack: (data) => [PanelUpdateRolledBack(data)],

  /** `used`: the configuration of the core names an updated file. */
  RecordGeoFiles({ files, used }, { core: { wanted } }) {
    const updated = GeoFilesUpdated({ files: files.map((file) => ({ ...file })) });
    return used && wanted ? [updated, restart(0)] : [updated];
  },
};
