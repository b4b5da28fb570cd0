import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { writeFollowerStates } from '../adapters/data-directory/follower-states.js';
import { portHolder } from '../adapters/host/port-holder.js';
import { portProblem } from '../adapters/host/port-problem.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import { CertificateKeeper } from '../adapters/tls/keeper.js';
import { type Config, changedBy } from '../config.js';
import type { ServerName } from '../events/certificate.js';
import { endOrphans } from '../followers/orphans.js';
import { FollowerPool } from '../followers/pool.js';
import type { PanelServices } from '../http/panel/context.js';
import { mountHandlers } from '../http/panel/handlers/index.js';
import { createPanelServer, type PanelServer, type PanelServerParts } from '../http/panel/server.js';
import type { Sharing } from '../http/server/listening/endpoint.js';
import { closeServer, listen } from '../http/server/listening/listen.js';
import { Servers } from '../http/server/listening/servers.js';
import { type StartedServer, startErrorText } from '../http/server/listening/start-error.js';
import { MissLimiter } from '../http/server/miss-limiter.js';
import { createSubscriptionServer } from '../http/subscription/subscription-server.js';
import type { Disposal } from '../lib/disposal.js';
import { MessageError } from '../messages/error.js';
import type { Text } from '../messages/message.js';
import type { ClusterLink } from './cluster.js';
import { clusterServices } from './cluster-services.js';
import { createOps } from './ops.js';
import type { Panel } from './panel.js';
import type { Services } from './services.js';

/** More are used only if configured: each has the clients in memory. */
const MAX_USUAL_FOLLOWERS = 8;

interface Parts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly disposal: Disposal;
  readonly services: Services;
}

/** Binds the three servers. From then on no inbound may use their ports. */
export async function openServers(panel: Panel, servers: Servers, parts: Parts): Promise<Pick<PanelServer, 'relayed'>> {
  const { config, logger, disposal, services } = parts;
  const { http, chat, nodes, metrics } = services;
  const { basePath } = servers;
  const domainOf = (name: ServerName): string => servers.domainOf(name);
  const followers = createFollowers(panel, config, logger, () => domainOf('subscription'));
  const { web, sub } = createWebServers(panel, http, { basePath, domainOf, log: logger, ...followers });
  if (followers.sharing) metrics.followers = followers.sharing.followers;
  const ops = createOps(panel, config, metrics.get());

  disposal.add(() => followers.sharing?.close());
  disposal.add(() => servers.close());
  // A request that waits for a delivery would keep the servers from closing.
  disposal.add(() => chat.delivery.stop());
  // A request that deletes a node is answered before the servers close.
  disposal.add(() => nodes.nodes.stop());
  await servers.open(web, sub);
  // The last one: when it reports that the panel is ready, the others accept connections.
  disposal.add(() => closeServer(ops));
  const at = { port: config.OPS_PORT, listen: '127.0.0.1' };
  const { port } = await listen(ops, at.port, at.listen).catch((error: unknown) => {
    throw new MessageError(startErrors(config)(error, 'ops', at));
  });
  servers.addOps({ ...at, port, server: 'ops' });
  process.on('SIGHUP', () => servers.closeSockets());
  return web;
}

interface WebServerParts {
  readonly basePath: () => string;
  /** The only name under which a server answers; empty = any. */
  readonly domainOf: (name: ServerName) => string;
  readonly log: PanelServerParts['log'];
  /** Mounts the handlers of the panel. */
  readonly bind?: PanelServerParts['bind'];
  /** The followers of the subscription server. */
  readonly sharing?: Sharing | undefined;
  readonly misses?: MissLimiter;
}

/** The panel's web server and the subscription server, not bound yet. */
export function createWebServers(
  { read, dispatch, change, now }: Pick<Panel, 'read' | 'dispatch' | 'change' | 'now'>,
  services: PanelServices,
  { basePath, domainOf, log, bind = mountHandlers, sharing, misses = new MissLimiter(now) }: WebServerParts,
) {
  const webDomain = (): string => domainOf('panel');
  const subDomain = (): string => domainOf('subscription');
  return {
    web: createPanelServer({ services, dispatch, change, basePath, webDomain, bind, log }),
    sub: createSubscriptionServer({ read, now, log, subDomain, misses, sharing }),
  };
}

/** The processes that answer subscriptions beside this one; none if so configured, or if only a part of the log is readable. */
function createFollowers(
  { log, directory, now, store }: Panel,
  config: Config,
  logger: PanelLogger,
  domain: () => string,
) {
  const count = config.SUB_PROCESSES ?? Math.min(MAX_USUAL_FOLLOWERS, Math.floor(availableParallelism() / 2));
  const { damaged, complaint } = store.startup;
  if (count === 0 || damaged || complaint !== null) return { sharing: undefined, misses: new MissLimiter(now) };
  const misses = new MissLimiter(now, (network) => sharing.missed(network));
  const sharing: FollowerPool = new FollowerPool({
    ...{ count, domain, misses, log: logger, database: directory.database },
    head: () => log.head().position,
    changed: (followers) => writeFollowerStates(directory.run, followers, logger),
  });
  return { sharing, misses };
}

type StartError = (error: unknown, server: StartedServer, at: { listen: string; port: number }) => Text;

function startErrors(config: Config): StartError {
  const sources = { portHolder, pid: process.pid, changedBy: (name: string) => changedBy(config, name) };
  return (error, server, at) => startErrorText(error, server, at, sources);
}

/** The servers at the addresses of the settings and of the configuration. They are bound by `openServers`. */
export function createServers(panel: Panel, config: Config, logger: PanelLogger): Servers {
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
    freePort: (address, port) =>
      endOrphans(directory.database, async () => (await portProblem(address, port, false)) === null),
    startError: startErrors(config),
    log: logger,
  });
}

/** Host and port of the panel and of the subscription server; null = not open. */
export function addressesOf(servers: Pick<Servers, 'ownPorts'>) {
  const addressOf = (name: ServerName): string | null => {
    const own = servers.ownPorts().find(({ server }) => server === name);
    return own ? `${own.listen || hostname()}:${own.port}` : null;
  };
  return { panel: addressOf('panel'), subscription: addressOf('subscription') };
}

/** The functions of the servers that the services use. Without a cluster, every change is confirmed at once. */
export function serverServices({ read, log }: Panel, servers: Servers, config: Config, cluster: ClusterLink | null) {
  let served = read.settings.current();
  read.changed$.subscribe((events) => {
    if (events.some(({ type }) => type === 'PanelRestarted')) served = read.settings.current();
  });
  return {
    servedSettings: () => served,
    confirmed: async () => (cluster ? cluster.confirmed() : null),
    cluster: cluster && clusterServices(cluster, log, config),
    restarting: servers.restarting,
    restartProblem: () => servers.restartProblem(),
    serverPortProblem: (address: string, port: number) => servers.portProblem(address, port),
    subPort: () =>
      servers.ownPorts().find(({ server }) => server === 'subscription')?.port ?? read.settings.current().subPort,
  };
}
