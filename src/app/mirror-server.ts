import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { portProblem } from '../adapters/host/port-problem.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { CertificateKeeper } from '../adapters/tls/keeper.js';
import type { Config } from '../config.js';
import { endOrphans } from '../followers/orphans.js';
import { FollowerPool } from '../followers/pool.js';
import { bind } from '../http/server/listening/bound-server.js';
import type { Endpoint } from '../http/server/listening/endpoint.js';
import { lacksCertificate, listenConfig } from '../http/server/listening/listen-config.js';
import { MissLimiter } from '../http/server/miss-limiter.js';
import { createSubscriptionServer } from '../http/subscription/subscription-server.js';
import type { Disposal } from '../lib/disposal.js';
import { render } from '../messages/render.js';
import type { FollowedModels } from '../projections/subscription/followed-models.js';

const LOOPBACK = '127.0.0.1';
/** More are used only if configured: each has the clients in memory. */
const MAX_USUAL_FOLLOWERS = 8;

interface Parts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly disposal: Disposal;
  readonly directory: DataDirectory;
  readonly models: FollowedModels;
  readonly log: SqliteEventLog;
}

/** The subscription server of a mirror, at the address and with the certificate files of the settings or the configuration. */
export async function openMirrorServer(parts: Parts) {
  const { config, logger, disposal, directory, models } = parts;
  const { sharing, misses } = followersOf(parts);
  // A mirror is reached under another name than the panel, so it accepts any.
  const subDomain = (): string => '';
  const sub = createSubscriptionServer({ read: models, now: Date.now, log: logger, subDomain, misses, sharing });
  disposal.add(() => sharing?.close());
  disposal.add(() => sub.close());
  let endpoint: Endpoint | null = null;
  const server = 'subscription';
  const keeper = new CertificateKeeper({
    copy: join(directory.certs, `${server}.pem`),
    now: Date.now,
    warn: (text, fields) => logger.warn(fields, text),
    loaded: (pair) => endpoint?.secure(pair),
    refused: (why) => logger.warn({ server, reason: render(why, 'en') }, 'a certificate cannot be used'),
    expiring: ({ notAfter }) =>
      logger.warn({ server, until: new Date(notAfter).toISOString() }, 'a certificate expires soon'),
  });
  disposal.add(() => keeper.stop());
  const wanted = await listenConfig(server, config, models.settings.current(), keeper);
  const listen = lacksCertificate(wanted) ? LOOPBACK : wanted.listen;
  if (lacksCertificate(wanted))
    logger.error({ server, files: wanted.files }, 'no certificate can be used: the server listens on loopback only');
  const makeRoom = () =>
    endOrphans(directory.database, async () => (await portProblem(listen, wanted.port, false)) === null);
  const opened = await bind(sub.endpoints, { ...wanted, listen }, makeRoom);
  endpoint = opened;
  opened.secure(wanted.certificate.pair);
  keeper.use(wanted.files, wanted.certificate);
  keeper.start();
  const port = (): number => opened.address.port;
  const url = (): string => `${opened.secured ? 'https' : 'http'}://${listen || LOOPBACK}:${port()}`;
  return { listen, port, url };
}

/** The processes that answer beside this one, as on a panel. */
function followersOf({ config, directory, log, logger }: Parts) {
  const count = config.SUB_PROCESSES ?? Math.min(MAX_USUAL_FOLLOWERS, Math.floor(availableParallelism() / 2));
  if (count === 0) return { sharing: undefined, misses: new MissLimiter(Date.now) };
  const misses = new MissLimiter(Date.now, (network) => sharing.missed(network));
  const sharing: FollowerPool = new FollowerPool({
    ...{ count, misses, log: logger, database: directory.database, domain: () => '' },
    head: () => log.head().position,
  });
  return { sharing, misses };
}
