import { hostname } from 'node:os';
import {
  type DataDirectory,
  existingDataDirectory,
  prepareDataDirectory,
  removeUnfinished,
} from '../adapters/data-directory/data-directory.js';
import type { PanelLogger } from '../adapters/logs/logger.js';
import { masterKey } from '../adapters/sqlite/keyring.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { Mirror } from '../cluster/mirror/mirror.js';
import { type Config, changedBy } from '../config.js';
import { restartOnSignal, type StopSignals } from '../control/signals.js';
import { createMirrorMetrics } from '../http/ops/mirror-metrics.js';
import { createOpsServer } from '../http/ops/ops-server.js';
import { closeServer, listen } from '../http/server/listening/listen.js';
import { READY } from '../launcher/launcher.js';
import type { Disposal } from '../lib/disposal.js';
import { MessageError } from '../messages/error.js';
import { message, type Text, verbatim } from '../messages/message.js';
import { FollowedModels } from '../projections/subscription/followed-models.js';
import { AppendedTail } from '../store/appended-tail.js';
import { openJournal } from '../store/journal.js';
import { version } from '../version.js';
import { clusterLogin } from './cluster.js';
import { openMirrorServer } from './mirror-server.js';

interface MirrorParts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly signals: StopSignals;
  readonly disposal: Disposal;
  readonly say: (text: Text) => string;
}

/** Runs a subscription mirror: no panel, no core and no control socket. Resolves to the reason to end. */
export async function runMirror(parts: MirrorParts): Promise<string> {
  const { config, logger, signals, disposal, say } = parts;
  const { directory, log, models } = openMirror(config, logger, disposal);
  const warn = (text: string, fields: object = {}): void => logger.warn(fields, text);
  const server = await openMirrorServer({ ...{ config, logger, disposal, directory, models, log } });
  let failure: Error | null = null;
  const mirror = new Mirror({
    ...{ nats: clusterLogin(config), version, root: directory.root, log, now: Date.now, warn },
    mirrorKey: masterKey(directory.masterKey, { mayCreate: false }),
    addresses: () => ({ panel: null, subscription: `${server.listen || hostname()}:${server.port()}` }),
    failed(error) {
      failure = error;
      signals.end('failure');
    },
  });
  disposal.add(() => mirror.stop());
  const ops = createOpsServer({
    ...{ panel: () => null, core: () => null, clients: null },
    metrics: createMirrorMetrics({ version, head: () => log.head().position, awayAt: () => mirror.awayAt }),
  });
  disposal.add(() => closeServer(ops));
  const { port } = await listen(ops, config.OPS_PORT, '127.0.0.1').catch((error: unknown) => {
    const variable = changedBy(config, 'OPS_PORT');
    throw new MessageError(message('start.mirrorHealthPort', { port: config.OPS_PORT, variable }), { cause: error });
  });
  restartOnSignal(signals.end, warn);
  mirror.begin();
  const place = { url: server.url(), folder: directory.root, health: `http://127.0.0.1:${port}/readyz` };
  process.stdout.write(`${say(verbatim(`Portolan ${version}`))}\n${say(message('start.mirror', place))}\n`);
  process.send?.(READY);
  const why = await signals.ending;
  if (failure !== null) throw failure as Error;
  return why;
}

function openMirror(config: Config, logger: PanelLogger, disposal: Disposal) {
  if (config.CLUSTER_URL === undefined)
    throw new MessageError(message('start.mirrorWithoutCluster', { variable: changedBy(config, 'CLUSTER_ROLE') }));
  const directory = prepareMirror(config.DATA_DIR);
  const lock = lockDirectory(directory.lock);
  disposal.add(() => lock.release());
  removeUnfinished(directory);
  const anchorFailed = (error: unknown): void =>
    logger.warn({ error: String(error) }, 'the anchor could not be written');
  const { log, anchor, complaint } = openJournal(directory, { mirror: true, anchorFailed });
  disposal.add(() => log.close());
  disposal.add(() => anchor.flush());
  if (complaint !== null) throw new MessageError(message('start.mirrorDiverged', { why: complaint }));
  const tail = new AppendedTail(log);
  disposal.add(() => tail.close());
  const models = new FollowedModels(tail);
  log.appended$.subscribe(() => {
    anchor.moved();
    models.catchUp();
  });
  return { directory, log, models };
}

/** Throws `MessageError` when nothing was joined here. */
function prepareMirror(root: string): DataDirectory {
  try {
    existingDataDirectory(root);
  } catch (cause) {
    throw new MessageError(message('start.mirrorNotJoined', { folder: root }), { cause });
  }
  return prepareDataDirectory(root);
}
