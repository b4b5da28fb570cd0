import { BackupTimer } from '../commands/reactors/backup/backup-timer.js';
import type { BackupWork } from '../worker/backup-jobs.js';
import { PanelBackups } from '../worker/backups.js';
import type { CorePlace } from '../worker/xui-template.js';
import type { Panel } from './panel.js';

type Warn = (message: string, fields?: object) => void;

interface Parts {
  readonly version: string;
  readonly corePlace: () => CorePlace;
  /** Ends the process soon, so that the next one serves what is staged. Null: there is no launcher to start it. */
  readonly switchOver: (() => void) | null;
  /** Whether this panel is a member of a cluster. */
  readonly inCluster: boolean;
  readonly restarting: () => boolean;
  readonly warn: Warn;
}

/** The backups of a panel, made and restored by `work`. */
export function createBackups(panel: Panel, work: BackupWork, parts: Parts): PanelBackups {
  const { read, dispatch, directory, now, store } = panel;
  const { version, corePlace, switchOver, inCluster, restarting, warn } = parts;
  return new PanelBackups({
    panel: { read, dispatch, directory, now, foldings: store.foldings, markReplaced: store.markReplaced },
    ...{ work, release: version, corePlace, switchOver, inCluster, restarting, warn },
  });
}

/** Makes the scheduled backups between `begin` and `stop`. */
export function createBackupTimer({ read, alarms }: Panel, backups: PanelBackups, warn: Warn): BackupTimer {
  return new BackupTimer({ backups, settings: () => read.settings.current(), changed$: read.changed$, alarms, warn });
}
