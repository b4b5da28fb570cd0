import { join } from 'node:path';
import { createOutboundProbe } from '../adapters/core/probe/probe.js';
import { RingGauges } from '../adapters/gauges/gauges.js';
import { ProcHostMonitor } from '../adapters/host/host-monitor.js';
import { portProblem } from '../adapters/host/port-problem.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import { createLogs } from '../adapters/logs/logs.js';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { totp } from '../adapters/passwords/two-factor.js';
import { createProviders } from '../adapters/providers/providers.js';
import { certificateProblem, pairProblem } from '../adapters/tls/certificates.js';
import { createWeb } from '../adapters/web/web.js';
import type { BackupDelivery } from '../commands/reactors/backup/backup-delivery.js';
import type { RemoteNodes } from '../commands/reactors/nodes/remote-nodes.js';
import { type Config, overridesOf } from '../config.js';
import { firstEvent } from '../events/log/first-event.js';
import { EventFeed } from '../http/live/event-feed.js';
import type { PanelServices } from '../http/panel/context.js';
import { statusText } from '../http/panel/status-text.js';
import type { Servers } from '../http/server/servers.js';
import type { Disposal } from '../lib/disposal.js';
import { unfinishedFile } from '../store/backup-files.js';
import { version } from '../version.js';
import type { PanelBackups } from '../worker/backups.js';
import { createChatBot } from './chat-bot.js';
import { coreBinary } from './core-binary.js';
import { openDirectory } from './directory.js';
import type { Installs } from './installs.js';
import { openNodes } from './nodes.js';
import type { Panel } from './panel.js';
import { openTrafficInform } from './traffic-inform.js';

/** Makes what the handlers use, for as long as the process runs: a restart of the servers keeps it. */
export function panelServices(
  panel: Panel,
  config: Config,
  servers: Pick<Servers, 'ownPorts' | 'restarting' | 'portProblem' | 'restartProblem'>,
  disposal: Disposal,
  logger: PanelLogger,
  installs: Installs,
  backups: PanelBackups,
): PanelServices & {
  readonly backup: { readonly backupDelivery: BackupDelivery };
  readonly nodes: { readonly nodes: RemoteNodes };
} {
  const { read, core, now, directory, alarms } = panel;
  const { ownPorts, restarting } = servers;
  const host = new ProcHostMonitor(config.DATA_DIR, { now });
  const gauges = new RingGauges({
    host,
    core,
    online: () => read.usage.onlineEmails(now()).length,
    file: join(directory.run, 'gauges.bin'),
    now,
    warn: (message, fields = {}) => logger.warn(fields, message),
  });
  gauges.start();
  disposal.add(() => gauges.stop());
  const web = createWeb({ allowPrivate: config.ALLOW_PRIVATE_OUTBOUND });
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  const { bot, delivery } = createChatBot(panel, { web, host, backups, version, warn });
  bot.begin();
  disposal.add(() => bot.stop());
  openTrafficInform(panel, web, (message, fields = {}) => logger.warn(fields, message), disposal);
  const probe = createOutboundProbe({
    binary: () => coreBinary(config),
    runDir: directory.run,
    assetDir: directory.geo,
    allowPrivate: config.ALLOW_PRIVATE_OUTBOUND,
  });
  disposal.add(() => probe.close());
  host.start();
  disposal.add(() => host.stop());
  const nodes = openNodes(panel, { web, runDir: directory.run, damaged: panel.store.startup.damaged, warn, disposal });
  panel.reactors.collectNodesBy((asked) => nodes.nodes.collect(asked));
  return {
    read,
    now,
    core: {
      core,
      collect: panel.reactors.collect,
      coreSettled: (ms) =>
        Promise.race([panel.reactors.settled(), new Promise<void>((resolve) => setTimeout(resolve, ms).unref())]),
      outcome: (position, types, ms) => firstEvent(panel.log, position, types, ms),
      probe,
    },
    machine: {
      ...{
        host,
        gauges,
        alarms,
        version,
        portProblem,
        certificateProblem,
        pairProblem,
      },
      logs: createLogs({ lines: logger.lines, logDir: directory.logs, secrets: () => secretsOf(panel) }),
      status: statusText(read, host, now),
      serverPortProblem: (listen, port) => servers.portProblem(listen, port),
    },
    accounts: { passwords: scryptPasswords(), directory: openDirectory(panel, warn, disposal), twoFactor: totp },
    nodes,
    releases: installs,
    backup: { backups, backupDelivery: delivery, uploads: () => unfinishedFile(directory) },
    history: {
      feed: new EventFeed(panel.log, read),
      past: panel.log,
      logged: (id) => panel.log.answered(id),
      ledger: (question) => panel.store.ledger.ask(question),
    },
    server: {
      overrides: overridesOf(config),
      restarting,
      restartProblem: () => servers.restartProblem(),
      subPort: () =>
        ownPorts().find(({ server }) => server === 'subscription')?.port ?? read.settings.current().subPort,
    },
    outside: { web, providers: createProviders(web, { tunnel: config.WGPROV_URL, vpn: config.VPNPROV_URL }, now) },
  };
}

/** Every secret that has no place in a log. */
export function secretsOf({ read }: Panel): readonly string[] {
  const { wgprov, vpnprov } = read.settings.secrets();
  // A registration is JSON: what would be seen of it are its values.
  const values = [...`${wgprov} ${vpnprov}`.matchAll(/:\s*"([^"\\]{8,})"/g)].map(([, value = '']) => value);
  const tokens = read.nodes.all().map(({ token }) => token);
  return [...Object.values(read.settings.secrets()), ...values, ...tokens, read.users().apiToken ?? ''];
}
