import { BackupTimer } from '../commands/reactors/backup/backup-timer.js';
import type { Config } from '../config.js';
import type { Disposal } from '../lib/disposal.js';
import { version } from '../version.js';
import { childWork } from '../worker/backup-jobs.js';
import { PanelBackups } from '../worker/backups.js';
import { corePlace } from './core-binary.js';
import type { Panel } from './panel.js';

interface Parts {
  /** Ends the process soon, so that the next one serves what is staged. Null: there is no launcher to start it. */
  readonly switchOver: (() => void) | null;
  readonly restarting: () => boolean;
  readonly warn: (message: string, fields?: object) => void;
  readonly disposal: Disposal;
}

/** The backups of a panel, with the timer that makes them, until `disposal`. */
export function createBackups(panel: Panel, config: Config, parts: Parts): PanelBackups {
  const { read, dispatch, directory, now, alarms, store } = panel;
  const { switchOver, restarting, warn, disposal } = parts;
  const backups = new PanelBackups({
    panel: { read, dispatch, directory, now, foldings: store.foldings, markReplaced: store.markReplaced },
    work: childWork({ lowPriority: true }),
    release: version,
    corePlace: () => corePlace(config),
    switchOver,
    restarting,
    warn,
  });
  const timer = new BackupTimer({
    backups,
    settings: () => read.settings.current(),
    changed$: read.changed$,
    alarms,
    warn,
  });
  timer.begin();
  disposal.add(() => timer.stop());
  return backups;
}
