import { createXrayCore } from '../adapters/core/xray.js';
import { createLogger, type PanelLogger } from '../adapters/logs/logger.js';
import type { Config } from '../config.js';
import { bannerText, switchText } from '../control/banner.js';
import { openControl } from '../control/control.js';
import { prepareFirstAdmin } from '../control/first-admin.js';
import { guardProcess, RESTART_SIGNAL, restartOnSignal, type StopSignals, stopSignals } from '../control/signals.js';
import type { Servers } from '../http/server/servers.js';
import { FULL_CODE, READY, SWITCH_CODE } from '../launcher/launcher.js';
import { Disposal } from '../lib/disposal.js';
import { reportMissingTexts } from '../messages/render.js';
import { logNotifications } from '../projections/notification-log.js';
import { diskFull, isDiskFull } from '../store/full-disk.js';
import { failAttempt } from '../store/generations.js';
import { version } from '../version.js';
import { createBackups } from './backups.js';
import { coreBinary } from './core-binary.js';
import { createInstalls } from './installs.js';
import { createPanel, type Panel } from './panel.js';
import { secretsOf } from './parts.js';
import { openServers } from './servers.js';

/** Between the response that announces a restart and the end of the process, in ms. */
const GRACE_MS = 3000;
/** Reasons to end that leave the core running: another process takes over, or the launcher is gone. */
const KEEPS_CORE: ReadonlySet<string> = new Set(['update', RESTART_SIGNAL, 'disconnect']);
/** Reasons to end after which the launcher starts a panel again. */
const RESTARTS: ReadonlySet<string> = new Set(['update', RESTART_SIGNAL, 'another state']);

/** Runs the panel until a signal ends it. Resolves to the exit code. */
export async function serve(config: Config): Promise<number> {
  const signals = stopSignals();
  guardProcess();
  const disposal = new Disposal();
  let panel: Panel | undefined;
  const logger = createLogger(config.LOG_LEVEL, {
    subPath: () => panel?.read.settings.current().subPath ?? '/sub/',
    secrets: () => (panel ? secretsOf(panel) : []),
  });
  try {
    panel = await openPanel(config, logger);
    const why = await runPanel(panel, { config, logger, signals, disposal });
    logger.info({ why }, 'the panel ends');
    await disposal.dispose();
    return RESTARTS.has(why) && !signals.stopped() ? SWITCH_CODE : 0;
  } catch (error) {
    logger.debug({ err: error }, 'the panel could not run');
    const full = isDiskFull(error);
    const message = full ? diskFull(config.DATA_DIR) : error instanceof Error ? error.message : String(error);
    process.stderr.write(`portolan: ${message}\n`);
    // Without a panel, this process does not hold the lock of the directory.
    if (panel) failAttempt(panel.directory.root, error);
    await disposal.dispose().catch(() => undefined);
    return full ? FULL_CODE : 1;
  }
}

function openPanel(config: Config, logger: PanelLogger): Promise<Panel> {
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  reportMissingTexts((code, language) => warn('a text is missing, the English one is shown', { code, language }));
  if (process.getuid?.() === 0)
    warn('the panel runs as root; an account of its own with CAP_NET_BIND_SERVICE and CAP_NET_ADMIN is enough');
  if (config.ALLOW_PRIVATE_OUTBOUND)
    warn('PORTOLAN_ALLOW_PRIVATE_OUTBOUND is set: requests of the panel may go to private addresses');
  return createPanel({
    dataDir: config.DATA_DIR,
    version,
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

interface RunParts {
  readonly config: Config;
  readonly logger: PanelLogger;
  readonly signals: StopSignals;
  readonly disposal: Disposal;
}

/** Opens the servers and starts the panel. Resolves to the reason to end. */
async function runPanel(panel: Panel, { config, logger, signals, disposal }: RunParts): Promise<string> {
  const { read, core, store } = panel;
  const { stopped, end, ending } = signals;
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  let why = '';
  logNotifications(panel, logger);
  if (store.startup.switched) warn(switchText(store.startup.switched));
  // A stop signal during a restart stops the core too.
  disposal.add(() => panel.stop(KEEPS_CORE.has(why) && !stopped()));
  restartOnSignal(end, warn);
  let leaving = false;
  /** What ends this process soon so that the launcher starts the next one; null without a launcher. */
  const leave = (reason: string): (() => void) | null => {
    if (!process.send) return null;
    return () => {
      leaving = true;
      setTimeout(() => end(reason), GRACE_MS);
    };
  };
  const installs = createInstalls(panel, config, { warn, switchOver: leave('update'), disposal });
  const firstAdmin = await prepareFirstAdmin(panel, config, warn);
  let servers: Servers | undefined;
  const restarting = (): boolean => leaving || servers?.restarting() === true;
  const backups = createBackups(panel, config, { switchOver: leave('another state'), restarting, warn, disposal });
  await openControl(panel, warn, disposal, installs.coreInstall, backups);
  servers = await openServers(panel, { config, logger, disposal, installs, backups });
  // In the same turn of the loop in which the last port was bound, so that a panel is never ready without an admin.
  firstAdmin?.create();
  await panel.start();
  if (!store.startup.damaged) installs.coreInstall.begin();
  if (!store.startup.damaged) installs.geoKeeping.begin();
  const dataDir = config.DATA_DIR;
  process.stdout.write(bannerText({ read, core, startup: store.startup, servers, version, dataDir }));
  process.send?.(READY);
  why = await ending;
  return why;
}
