import { join } from 'node:path';
import { portHolder } from '../adapters/host/port-holder.js';
import { portProblem } from '../adapters/host/port-problem.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import { CertificateKeeper } from '../adapters/tls/keeper.js';
import { type Config, changedBy } from '../config.js';
import { clientFigures } from '../http/ops/client-metrics.js';
import { createMetrics } from '../http/ops/metrics.js';
import { coreUnreadiness, createOpsServer, unreadiness } from '../http/ops/ops-server.js';
import { mountHandlers } from '../http/panel/handlers/index.js';
import { createPanelServer } from '../http/panel/server.js';
import { closeServer, listen } from '../http/server/listen.js';
import { Servers } from '../http/server/servers.js';
import { type StartedServer, startErrorText } from '../http/server/start-error.js';
import { createSubscriptionServer } from '../http/subscription/subscription-server.js';
import type { Disposal } from '../lib/disposal.js';
import { render } from '../messages/render.js';
import { refusedByDisk } from '../store/storage-watch.js';
import { version } from '../version.js';
import type { PanelBackups } from '../worker/backups.js';
import type { Installs } from './installs.js';
import type { Panel } from './panel.js';
import { panelServices } from './parts.js';

interface Parts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly disposal: Disposal;
  readonly installs: Installs;
  readonly backups: PanelBackups;
}

/** Binds the three servers. From then on no inbound may use their ports. */
export async function openServers(panel: Panel, parts: Parts): Promise<Servers> {
  const { config, logger, disposal, installs, backups } = parts;
  const { read, dispatch, change, now } = panel;
  const startError = startErrors(config);
  const servers = createServers(panel, config, logger, startError);
  const services = panelServices(panel, config, servers, disposal, logger, installs, backups);
  const { basePath } = servers;
  const webDomain = () => servers.domainOf('panel');
  const web = createPanelServer({ services, dispatch, change, basePath, webDomain, bind: mountHandlers, log: logger });
  const sub = createSubscriptionServer({ read, now, log: logger, subDomain: () => servers.domainOf('subscription') });
  const ops = createOps(panel, config);

  disposal.add(() => servers.close());
  // A request that waits for a delivery would keep the servers from closing.
  disposal.add(() => services.backup.backupDelivery.stop());
  // A request that deletes a node is answered before the servers close.
  disposal.add(() => services.nodes.nodes.stop());
  await servers.open(web, sub);
  // The last one: when it reports that the panel is ready, the others accept connections.
  disposal.add(() => closeServer(ops));
  const at = { port: config.OPS_PORT, listen: '127.0.0.1' };
  const { port } = await listen(ops, at.port, at.listen).catch((error: unknown) => {
    throw new Error(startError(error, 'ops', at));
  });
  servers.addOps({ ...at, port, server: 'ops' });
  process.on('SIGHUP', () => servers.hangUp());
  return servers;
}

type StartError = (error: unknown, server: StartedServer, at: { listen: string; port: number }) => string;

function startErrors(config: Config): StartError {
  const sources = { portHolder, pid: process.pid, changedBy: (name: string) => changedBy(config, name) };
  return (error, server, at) => startErrorText(error, server, at, sources);
}

function createServers(panel: Panel, config: Config, logger: PanelLogger, startError: StartError): Servers {
  const { read, dispatch, directory, now, store } = panel;
  return new Servers({
    overrides: config,
    settings: () => read.settings.current(),
    changed$: read.changed$,
    dispatch,
    setOwnPorts: store.setOwnPorts,
    certificateKeeper: (name, events) =>
      new CertificateKeeper({
        copy: join(directory.certs, `${name}.pem`),
        now,
        ...events,
        warn: (message, fields) => logger.warn(fields, message),
      }),
    portProblem: (address, port) => portProblem(address, port, false),
    startError,
    log: logger,
  });
}

function createOps(panel: Panel, config: Config) {
  const { read, log, now, store } = panel;
  const unsaved = () => {
    const text = store.startup.complaint ?? refusedByDisk(panel);
    return text && render(text, 'en');
  };
  return createOpsServer({
    panel: () => unsaved() ?? unreadiness(read, log),
    core: () => coreUnreadiness(read),
    metrics: createMetrics({ read, log, version, now, writable: () => unsaved() === null }),
    clients: config.METRICS_CLIENTS ? () => clientFigures(read) : null,
  });
}
