import { createGeoSourceFiles } from '../adapters/geo/geo-sources.js';
import { createGeoFiles } from '../adapters/releases/geo-files.js';
import { createPanelReleases } from '../adapters/releases/panel-releases.js';
import { createWeb } from '../adapters/web/web.js';
import { asSystem } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { GeoKeeping } from '../commands/reactors/geo/geo-keeping.js';
import { GeoSources } from '../commands/reactors/geo/geo-sources.js';
import { GeoUpdate } from '../commands/reactors/geo/geo-update.js';
import { CoreInstall } from '../commands/reactors/releases/core-install.js';
import { PanelUpdate } from '../commands/reactors/releases/panel-update.js';
import type { Config } from '../config.js';
import { firstEvent } from '../events/log/first-event.js';
import { runnable } from '../http/panel/codec/template.js';
import { choosePanel, takeReport } from '../launcher/launcher.js';
import type { Disposal } from '../lib/disposal.js';
import { version } from '../version.js';
import { coreVersions } from './core.js';
import { type Panel } from './panel.js';

/** What gets newer versions of the core, of the panel and of the geo files. */
export interface Installs {
  readonly coreInstall: CoreInstall;
  readonly panelUpdate: PanelUpdate;
  readonly geoUpdate: GeoUpdate;
  readonly geoSources: GeoSources;
  readonly geoKeeping: GeoKeeping;
}

/**
 * Makes them for a panel that does not run yet, and puts right what an interrupted installation left. `switchOver` ends
 * the process so that its launcher starts the version that is chosen by then; null = there is no launcher.
 */
export function createInstalls(
  panel: Panel,
  config: Config,
  parts: {
    readonly warn: (message: string, fields?: object) => void;
    readonly switchOver: (() => void) | null;
    readonly disposal: Disposal;
  },
): Installs {
  const { read, core, directory, now, log, store } = panel;
  const { warn, switchOver, disposal } = parts;
  const web = createWeb({ allowPrivate: config.ALLOW_PRIVATE_OUTBOUND });
  const dispatch = (command: AnyCommand) => panel.dispatch(command, asSystem('versions'));
  const wanted = () => ({ template: read.desired.template(), inbounds: runnable(read) });

  const coreInstall = new CoreInstall({
    core,
    versions: coreVersions(config, web, now),
    choice: () => read.core().choice,
    wanted: () => read.core().process.wanted,
    config: wanted,
    dispatch,
    outcome: (position, types, ms) => firstEvent(log, position, types, ms),
    warn,
  });
  // What a part of a damaged log says of versions and files is not the last that was said.
  if (!store.startup.damaged) coreInstall.prepare();
  const following = read.changed$.subscribe((events) => coreInstall.notice(events));
  disposal.add(() => following.unsubscribe());

  const geoUpdate = new GeoUpdate({
    files: createGeoFiles({ web, url: config.GEO_RELEASES_URL, folder: directory.geo }),
    config: wanted,
    warn,
  });
  const files = createGeoSourceFiles({ web, folder: directory.geo });
  const sources = () => read.records.geoSources();
  const geoSources = new GeoSources({ files, sources, config: wanted, core, warn });
  const geoKeeping = new GeoKeeping({
    geoSources,
    files,
    sources,
    config: wanted,
    builtIn: (names) => geoUpdate.update(names, dispatch),
    settings: () => read.settings.current(),
    changed$: read.changed$,
    dispatch: (command) => panel.dispatch(command, asSystem('geo')),
    now,
    warn,
  });
  if (!store.startup.damaged) geoKeeping.prepare();
  disposal.add(() => geoKeeping.stop());
  const dataDir = config.DATA_DIR;
  const panelUpdate = new PanelUpdate({
    releases: createPanelReleases({ web, url: config.PANEL_RELEASES_URL ?? null, dataDir, version, path: config.PATH }),
    version,
    choose: switchOver === null ? null : (chosen) => choosePanel(dataDir, chosen),
    switchOver: () => switchOver?.(),
    warn,
  });
  const report = takeReport(dataDir);
  if (report !== null) {
    const { version: failed, to: restoredVersion, reason } = report;
    dispatch({ type: 'RecordPanelRolledBack', data: { version: failed, restoredVersion, reason } });
  }
  return { coreInstall, panelUpdate, geoUpdate, geoSources, geoKeeping };
}
