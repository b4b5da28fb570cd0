import type { PanelLogger } from '../adapters/logs/logger.js';
import { asSystem } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import { type Config, overridesOf } from '../config.js';
import { bannerText, switchText } from '../control/banner.js';
import { openControl } from '../control/control.js';
import { prepareFirstAdmin } from '../control/first-admin.js';
import { createShutdown, RESTART_SIGNAL, restartOnSignal, type StopSignals } from '../control/signals.js';
import { formerFrom } from '../control/undo.js';
import type { PanelServer } from '../http/panel/server.js';
import { choosePanel, READY } from '../launcher/launcher.js';
import { Disposal } from '../lib/disposal.js';
import type { Text } from '../messages/message.js';
import { render } from '../messages/render.js';
import { logNotifications } from '../projections/notification-log.js';
import { version } from '../version.js';
import type { BackupWork } from '../worker/backup-jobs.js';
import { type Adapters, createAdapters, startAdapters } from './adapters.js';
import { type ClusterLink, memberAddress, ROLE_CHANGE } from './cluster.js';
import { corePlace } from './core-binary.js';
import { beginInstalls, prepareInstalls } from './installs.js';
import { createMachineFiles, sharedFiles } from './machine-files.js';
import type { Panel } from './panel.js';
import { addressesOf, createServers, openServers, serverServices } from './servers.js';
import { createServices, startServices } from './services.js';

/** Reasons to end that leave the core running: another process will continue with it, or the launcher has ended. */
const KEEPS_CORE: ReadonlySet<string> = new Set(['update', RESTART_SIGNAL, 'disconnect', ROLE_CHANGE]);

interface RunParts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly signals: StopSignals;
  readonly disposal: Disposal;
  /** The membership in a cluster; null = this machine is alone. */
  readonly cluster: ClusterLink | null;
  /** Renders a text in the language of the operator. */
  readonly say: (text: Text) => string;
}

/** Opens the servers and starts the panel. Resolves to the reason to end. */
export async function runPanel(panel: Panel, parts: RunParts): Promise<string> {
  const { config, logger, signals, disposal, say, cluster } = parts;
  const { read, core, store } = panel;
  const { stopped, end, ending } = signals;
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  let why = '';
  logNotifications(panel, logger);
  if (store.startup.switched) warn(render(switchText(store.startup.switched), 'en'));
  // A stop signal during a restart stops the core too.
  disposal.add(() => panel.stop(KEEPS_CORE.has(why) && !stopped()));
  restartOnSignal(end, warn);
  const adapters = createAdapters(panel, config, logger);
  const servers = createServers(panel, config, logger);
  const shutdown = createShutdown(end);
  const ofServers = serverServices(panel, servers, config, cluster);
  const services = createServices(panel, adapters, {
    ...{ version, warn, overrides: overridesOf(config), servers: ofServers },
    member: cluster,
    corePlace: () => corePlace(config),
    switchOver: { update: shutdown.for('update'), state: shutdown.for('another state') },
    restarting: () => shutdown.begun() || servers.restarting(),
    choosePanel: (chosen) => choosePanel(config.DATA_DIR, chosen),
  });
  prepareInstalls(panel, services.installs, config.DATA_DIR, disposal);
  const firstAdmin = await prepareFirstAdmin(panel, config, warn, say);
  const undo = {
    ...{ search: panel.log.search, rehearse: store.deciding.rehearse, change: panel.change },
    former: formerFrom(
      (question) => store.caches.ledger.query(question),
      (position) => services.moments.after(position),
    ),
  };
  await openControl(
    panel,
    {
      ...{ coreInstall: services.installs.coreInstall, backups: services.backups, publisher: services.publisher },
      lastUse: (session) => services.http.accounts.sessionUses.of(session),
      ...{ undo, joins: () => cluster?.calls.joins ?? null, confirmed: ofServers.confirmed, warn },
    },
    disposal,
  );
  startAdapters(adapters, disposal);
  /** What a member of a cluster does only while it leads. */
  const leading = new Disposal();
  disposal.add(() => leading.dispose());
  const work = async (): Promise<void> => {
    startServices(panel, adapters, services, { warn, disposal: leading });
    if (cluster) panel.lead();
    else await panel.start();
    beginInstalls(panel, services.installs);
    leading.add(() => services.installs.geoKeeping.stop());
    if (cluster) leading.add(() => panel.endLead());
  };
  if (cluster) services.metrics.cluster = () => cluster.view();
  const { relayed } = await openServers(panel, servers, { config, logger, disposal, services });
  // In the same turn of the event loop in which the last port was bound: a panel that is ready has an admin.
  firstAdmin?.create();
  if (cluster)
    await joinCluster(cluster, panel, {
      ...{ work, endWork: () => leading.dispose(), address: memberAddress(config) },
      warn,
      end,
      relayed,
      ...{ copies: adapters.backupWork, releases: adapters.releases, disposal },
      addresses: () => addressesOf(servers),
    });
  else await work();
  const dataDir = config.DATA_DIR;
  process.stdout.write(bannerText({ read, core, startup: store.startup, servers, version, dataDir, say }));
  process.send?.(READY);
  why = await ending;
  return why;
}

interface MemberParts extends Pick<PanelServer, 'relayed'> {
  readonly work: () => Promise<void>;
  readonly endWork: () => Promise<void>;
  /** At which clients reach the inbounds of this machine; empty = unknown. */
  readonly address: string;
  readonly warn: (message: string, fields?: object) => void;
  readonly end: (why: string) => void;
  readonly addresses: () => ReturnType<typeof addressesOf>;
  readonly copies: Pick<BackupWork, 'snapshot'>;
  readonly releases: Adapters['releases'];
  readonly disposal: Disposal;
}

/** Starts the core of this machine, follows the cluster, and leads it when no other member does. */
async function joinCluster(
  cluster: ClusterLink,
  panel: Panel,
  { work, endWork: endLead, warn, end, relayed, addresses, copies, address, releases, disposal }: MemberParts,
): Promise<void> {
  const { log, read, dispatch, directory } = panel;
  const files = createMachineFiles(panel, releases, cluster, warn);
  disposal.add(() => files.stop());
  cluster.begin({
    ...{ log, dispatch, relayed, endLead },
    machine: () => ({ ...addresses(), missingFiles: files.missing }),
    baselines: (machine) => read.usage.baselines(machine),
    collect: () => panel.reactors.collect(),
    record: (command) => dispatch(command, asSystem('cli')),
    async lead(before) {
      // The first event: once the stream has it, no former leader can append.
      const done = dispatch(
        { type: 'RecordLeaderElected', data: { member: cluster.name, ...before } },
        asSystem('cluster'),
      );
      if (done instanceof Rejection) throw new Error(done.message);
      warn('this member leads the cluster now', { member: cluster.name });
      await work();
      void files.follow();
    },
    setAside: (data) => void dispatch({ type: 'RecordTailSetAside', data }, asSystem('cluster')),
    sources: {
      copy: (file, mirror) => copies.snapshot({ database: directory.database, file, mirror }),
      fileOf: sharedFiles(panel, releases),
    },
    restart(why) {
      warn('this member no longer leads or follows, and starts again', { why });
      end(ROLE_CHANGE);
    },
  });
  announce(cluster, panel, address);
  await panel.startMachine();
  void files.follow();
}

/** Makes the leader record the address of this member if it differs from the recorded one, also after its removal. */
function announce(cluster: ClusterLink, { read, dispatch }: Panel, address: string): void {
  const { name: member } = cluster;
  const tell = (): void => {
    const command = { type: 'RecordMemberAddress', data: { member, address } } as const;
    if (cluster.isLeader) dispatch(command, asSystem('cluster'));
    else cluster.calls.record(command, asSystem('cluster'));
  };
  tell();
  read.changed$.subscribe((events) => {
    if (events.some(({ type, data }) => type === 'MemberRemoved' && data.member === member)) setImmediate(tell);
  });
}
