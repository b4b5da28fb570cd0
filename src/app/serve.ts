import { createXrayCore } from '../adapters/core/xray.js';
import { createLogger, type PanelLogger } from '../adapters/logs/logger.js';
import type { Config } from '../config.js';
import { guardProcess, RESTART_SIGNAL, stopSignals } from '../control/signals.js';
import { FULL_CODE, SWITCH_CODE } from '../launcher/launcher.js';
import { Disposal } from '../lib/disposal.js';
import { failureText } from '../lib/errors/failure-text.js';
import type { Text } from '../messages/message.js';
import { reportMissingTexts } from '../messages/render.js';
import { diskFull, isDiskFull } from '../store/full-disk.js';
import { failAttempt } from '../store/generations.js';
import { version } from '../version.js';
import { secretsOf } from './adapters.js';
import { type ClusterLink, createCluster, ROLE_CHANGE } from './cluster.js';
import { coreBinary } from './core-binary.js';
import { createPanel, type Panel } from './panel.js';
import { runPanel } from './run.js';

/** Reasons to end after which the launcher starts a panel again. */
const RESTARTS: ReadonlySet<string> = new Set(['update', RESTART_SIGNAL, 'another state', ROLE_CHANGE]);

/** Runs the panel until a signal ends it. Resolves to the exit code. */
export async function serve(
  config: Config,
  say: (text: Text) => string,
  complain: (text: Text) => void,
): Promise<number> {
  const signals = stopSignals();
  guardProcess();
  const disposal = new Disposal();
  let panel: Panel | undefined;
  const logger = createLogger(config.LOG_LEVEL, {
    subPath: () => panel?.read.settings.current().subPath ?? '/sub/',
    secrets: () => (panel ? secretsOf(panel) : []),
  });
  try {
    const parts = { config, logger, signals, disposal, say };
    const run = async (): Promise<string> => {
      if (config.CLUSTER_ROLE === 'subscriptions') return (await import('./mirror.js')).runMirror(parts);
      const cluster = await createCluster(config, logger);
      panel = await openPanel(config, logger, cluster);
      return runPanel(panel, { ...parts, cluster });
    };
    const why = await run();
    logger.info({ why }, 'the panel ends');
    await disposal.dispose();
    return RESTARTS.has(why) && !signals.stopped() ? SWITCH_CODE : 0;
  } catch (error) {
    logger.debug({ err: error }, 'the panel could not run');
    const full = isDiskFull(error);
    complain(full ? diskFull(config.DATA_DIR) : failureText(error));
    // Without a panel, this process does not hold the lock of the directory.
    if (panel) failAttempt(panel.directory.root, error);
    await disposal.dispose().catch(() => undefined);
    return full ? FULL_CODE : 1;
  }
}

function openPanel(config: Config, logger: PanelLogger, cluster: ClusterLink | null): Promise<Panel> {
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  reportMissingTexts((code, language) => warn('a text or one of its parameters is missing', { code, language }));
  if (process.getuid?.() === 0)
    warn('the panel runs as root; an account of its own with CAP_NET_BIND_SERVICE and CAP_NET_ADMIN is enough');
  if (config.ALLOW_PRIVATE_OUTBOUND)
    warn('PORTOLAN_ALLOW_PRIVATE_OUTBOUND is set: requests of the panel may go to private addresses');
  return createPanel({
    dataDir: config.DATA_DIR,
    ...{ version, cluster },
    createCore: (directory, splice) =>
      createXrayCore({
        binary: coreBinary(config),
        runDir: directory.run,
        logDir: directory.logs,
        assetDir: directory.geo,
        splice,
        log: (level, message, fields = {}) => logger[level](fields, message),
      }),
    warn,
    failed(error) {
      logger.fatal({ err: error }, 'the panel cannot continue');
      // Nothing is flushed or stopped: the log is sound, the core keeps running, and the next start reports the problem.
      process.exit(1);
    },
  });
}
