import { join } from 'node:path';
import { createOutboundProbe } from '../adapters/core/probe/probe.js';
import { createDirectory } from '../adapters/directory/directory.js';
import { RingGauges } from '../adapters/gauges/gauges.js';
import { createGeoSourceFiles } from '../adapters/geo/geo-sources.js';
import { ProcHostMonitor } from '../adapters/host/host-monitor.js';
import { portProblem } from '../adapters/host/port-problem.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import { createLogs } from '../adapters/logs/logs.js';
import { passkeys } from '../adapters/passwords/passkeys.js';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { totp } from '../adapters/passwords/two-factor.js';
import { placeProblem } from '../adapters/proof/file-sink.js';
import { createProviders } from '../adapters/providers/providers.js';
import { createGeoFiles } from '../adapters/releases/geo-files.js';
import { createPanelReleases } from '../adapters/releases/panel-releases.js';
import { certificateProblem, certificateStatus, pairExpiry, pairProblem } from '../adapters/tls/certificates.js';
import { createWeb } from '../adapters/web/web.js';
import type { Config } from '../config.js';
import type { Disposal } from '../lib/disposal.js';
import { version } from '../version.js';
import { childWork } from '../worker/backup-jobs.js';
import { coreVersions } from './core.js';
import { coreBinary } from './core-binary.js';
import type { Panel } from './panel.js';

/** The adapters that the services use. A test replaces single ones. */
export type Adapters = ReturnType<typeof createAdapters>;

type AdaptedPanel = Pick<Panel, 'read' | 'core' | 'now' | 'directory'>;

/** The adapters of a panel. Those that measure do so from `startAdapters` on. */
export function createAdapters(panel: AdaptedPanel, config: Config, logger: Pick<PanelLogger, 'warn' | 'lines'>) {
  const { now, directory } = panel;
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  const web = createWeb({ allowPrivate: config.ALLOW_PRIVATE_OUTBOUND });
  return {
    machine: machineAdapters(panel, config, logger),
    accounts: { passwords: scryptPasswords(), directory: createDirectory({ warn, now }), twoFactor: totp, passkeys },
    outside: {
      web,
      providers: createProviders(web, { tunnel: config.WGPROV_URL, vpn: config.VPNPROV_URL }, now),
      probe: createOutboundProbe({
        binary: () => coreBinary(config),
        runDir: directory.run,
        assetDir: directory.geo,
        allowPrivate: config.ALLOW_PRIVATE_OUTBOUND,
      }),
    },
    releases: {
      core: coreVersions(config, web, now),
      panel: createPanelReleases({
        ...{ web, url: config.PANEL_RELEASES_URL ?? null, dataDir: config.DATA_DIR },
        ...{ version, path: config.PATH },
      }),
      geo: createGeoFiles({ web, url: config.GEO_RELEASES_URL, folder: directory.geo }),
      geoSources: createGeoSourceFiles({ web, folder: directory.geo }),
    },
    backupWork: childWork({ lowPriority: true }),
  };
}

function machineAdapters(
  { read, core, now, directory }: AdaptedPanel,
  config: Config,
  logger: Pick<PanelLogger, 'warn' | 'lines'>,
) {
  const host = new ProcHostMonitor(config.DATA_DIR, { now });
  const gauges = new RingGauges({
    host,
    core,
    online: () => read.usage.onlineEmails(now()).length,
    file: join(directory.run, 'gauges.bin'),
    now,
    warn: (message, fields = {}) => logger.warn(fields, message),
  });
  const logs = createLogs({ lines: logger.lines, logDir: directory.logs, secrets: () => secretsOf({ read }) });
  const headPlaceProblem = (path: string) => placeProblem(path, directory.root);
  const certificates = { certificateProblem, certificateStatus, pairProblem, pairExpiry };
  return { host, gauges, logs, portProblem, headPlaceProblem, ...certificates };
}

/** Samples the machine and records its histories until `disposal`. */
export function startAdapters({ machine: { host, gauges }, outside: { probe } }: Adapters, disposal: Disposal): void {
  disposal.add(() => probe.close());
  gauges.start();
  disposal.add(() => gauges.stop());
  host.start();
  disposal.add(() => host.stop());
}

/** Every secret that must not appear in a log. */
export function secretsOf({ read }: Pick<Panel, 'read'>): readonly string[] {
  const { wgprov, vpnprov } = read.settings.secrets();
  // A registration is JSON: a log would show its values.
  const values = [...`${wgprov} ${vpnprov}`.matchAll(/:\s*"([^"\\]{8,})"/g)].map(([, value = '']) => value);
  const tokens = read.nodes.all().map(({ token }) => token);
  const webhooks = [...read.records.webhooks().byId.values()].flatMap(({ secret, previous }) => [
    secret,
    previous?.secret ?? '',
  ]);
  const token = read.admins.users().apiToken ?? '';
  return [...Object.values(read.settings.secrets()), ...values, ...tokens, ...webhooks, token];
}
