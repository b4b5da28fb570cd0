import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { panelState } from '../../../src/commands/state.js';
import { begin, catchUp } from '../../../src/events/log/replay.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import type { BackupWork } from '../../../src/worker/backup-jobs.js';
import { PanelBackups } from '../../../src/worker/backups.js';
import { busOver, readAll } from '../../kit/log.js';
import { lived, work } from './kit.js';

interface Options {
  readonly work?: Partial<BackupWork>;
  readonly switchOver?: (() => void) | null;
  readonly restarting?: () => boolean;
}

/** The backups of a panel whose log has a past, and what they did. */
export function panelWith(options: Options = {}) {
  const own = lived();
  const bus = busOver(own.log, own.clock);
  const read = new LogReadModels(own.log);
  const state = begin(panelState);
  catchUp(own.log, [state]);
  const [markReplaced, switchOver] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const follow = (): void => catchUp(own.log, [state]);
  own.log.appended$.subscribe(follow);
  const backups = new PanelBackups({
    inCluster: false,
    panel: {
      read,
      dispatch: bus.dispatch,
      foldings: [...read.follower.foldings, state],
      directory: own.directory,
      now: own.clock.now,
      markReplaced,
    },
    work: { ...work, ...options.work },
    release: '1.2.3',
    switchOver: options.switchOver === undefined ? switchOver : options.switchOver,
    restarting: options.restarting ?? (() => false),
    corePlace: () => ({ binary: null, geo: own.directory.geo }),
    warn: () => undefined,
  });
  const mark = own.log.head().position;
  const { root } = own.directory;
  return {
    ...{ own, backups, bus, markReplaced, switchOver },
    appended: () => readAll(own.log).filter(({ position }) => position > mark),
    kept: () => readdirSync(own.directory.backups).toSorted(),
    unfinished: () => (existsSync(join(root, 'staged')) ? readdirSync(join(root, 'staged')) : []),
  };
}
