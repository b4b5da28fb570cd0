import { asSystem } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import { GeoKeeping } from '../commands/reactors/geo/geo-keeping.js';
import { GeoSources } from '../commands/reactors/geo/geo-sources.js';
import { GeoUpdate } from '../commands/reactors/geo/geo-update.js';
import { CoreInstall } from '../commands/reactors/releases/core-install.js';
import { PanelUpdate } from '../commands/reactors/releases/panel-update.js';
import { firstEvent } from '../events/log/first-event.js';
import { runnable } from '../http/panel/codec/template.js';
import { takeReport } from '../launcher/launcher.js';
import type { Disposal } from '../lib/disposal.js';
import type { Adapters } from './adapters.js';
import type { Panel } from './panel.js';

/** Installs newer versions of the core, of the panel and of the geo files. */
interface Installs {
  readonly coreInstall: CoreInstall;
  readonly panelUpdate: PanelUpdate;
  readonly geoUpdate: GeoUpdate;
  readonly geoSources: GeoSources;
  readonly geoKeeping: GeoKeeping;
}

type Warn = (message: string, fields?: object) => void;

interface Parts {
  /** The membership in a cluster; null = this machine is alone. */
  readonly member: Pick<MemberMachine, 'name' | 'isLeader'> | null;
  readonly version: string;
  /** Ends the process so that its launcher starts the chosen version; null without a launcher. */
  readonly switchOver: (() => void) | null;
  /** Selects a panel version for the next start. */
  readonly choosePanel: (version: string) => void;
  readonly warn: Warn;
}

/** Constructs the installers of new versions. They do nothing before `prepareInstalls`. */
export function createInstalls(panel: Panel, releases: Adapters['releases'], parts: Parts): Installs {
  const { read, core, now, log } = panel;
  const { version, switchOver, choosePanel, warn, member } = parts;
  const dispatch = dispatchOf(panel);
  const config = () => ({ template: read.desired.template(), inbounds: runnable(read) });
  const coreInstall = new CoreInstall({
    core,
    versions: releases.core,
    choice: () => read.records.core().choice,
    // Another machine returns to the version before by itself.
    decides: (machine) => member === null || (member.isLeader && machine === member.name),
    wanted: () => read.records.core().process.wanted,
    config,
    dispatch,
    outcome: (position, types, ms) => firstEvent(log, position, types, ms),
    warn,
  });
  const geoUpdate = new GeoUpdate({ files: releases.geo, config, warn });
  const files = releases.geoSources;
  const sources = () => read.records.geoSources();
  const geoSources = new GeoSources({ files, sources, config, core, warn });
  const geoKeeping = new GeoKeeping({
    ...{ geoSources, files, sources, config, now, warn },
    builtIn: (names) => geoUpdate.update(names, dispatch),
    settings: () => read.settings.current(),
    changed$: read.changed$,
    dispatch: (command) => panel.dispatch(command, asSystem('geo')),
  });
  const panelUpdate = new PanelUpdate({
    releases: releases.panel,
    version,
    choose: switchOver === null ? null : choosePanel,
    switchOver: () => switchOver?.(),
    warn,
  });
  return { coreInstall, panelUpdate, geoUpdate, geoSources, geoKeeping };
}

/** Before the core runs: repairs what an interrupted installation left, and records an update that was rolled back. */
export function prepareInstalls(panel: Panel, installs: Installs, dataDir: string, disposal: Disposal): void {
  const { read, store } = panel;
  const { coreInstall, geoKeeping } = installs;
  // The readable part of a damaged log may name versions and files that were replaced later.
  if (!store.startup.damaged) coreInstall.prepare();
  const following = read.changed$.subscribe((events) => coreInstall.onEvents(events));
  disposal.add(() => following.unsubscribe());
  if (!store.startup.damaged) geoKeeping.prepare();
  disposal.add(() => geoKeeping.stop());
  const report = takeReport(dataDir);
  if (report === null) return;
  const { version, to: restoredVersion, reason } = report;
  dispatchOf(panel)({ type: 'RecordPanelRolledBack', data: { version, restoredVersion, reason } });
}

/** Once the core runs: starts an installed version that was never started, and the scheduled updates of geo files. */
export function beginInstalls({ store }: Panel, { coreInstall, geoKeeping }: Installs): void {
  if (store.startup.damaged) return;
  coreInstall.begin();
  geoKeeping.begin();
}

function dispatchOf({ dispatch }: Panel) {
  return (command: AnyCommand) => dispatch(command, asSystem('versions'));
}
