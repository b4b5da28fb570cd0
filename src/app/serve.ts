import { createXrayCore } from '../adapters/core/xray.js';
import { createLogger } from '../adapters/logs/logger.js';
import type { Config } from '../config.js';
import { openControl } from '../control/control.js';
import type { Servers } from '../http/server/servers.js';
import { FULL_CODE, READY, SWITCH_CODE } from '../launcher/launcher.js';
import { Disposal } from '../lib/disposal.js';
import { reportMissingTexts } from '../messages/render.js';
import { refusedHere } from '../projections/core/refused-here.js';
import { diskFull, isDiskFull } from '../store/full-disk.js';
import { failTrial, forgiveTry, type Turn } from '../store/generations.js';
import { version } from '../version.js';
import { childWork } from '../worker/backup-jobs.js';
import { openBackups } from '../worker/backups.js';
import { coreBinary, corePlace } from './core-binary.js';
import { prepareFirstAdmin } from './first-admin.js';
import { createInstalls } from './installs.js';
import { logNews } from './news.js';
import { createPanel, type Panel } from './panel.js';
import { secretsOf } from './parts.js';
import { openServers } from './servers.js';

/** Signals that end the panel in order, and the core with it. A second one ends it at once; the log survives both. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Asks to begin anew, from the files that are there by now, while the core and every connection go on. */
const ANEW = 'SIGUSR2';

/** A signal to the whole process group arrives once itself, and once more from whoever started the panel, in ms. */
const SAME_WISH_MS = 1000;

/** Between the answer that the panel starts anew and its end, in ms. */
const GRACE_MS = 3000;
/** Why a panel ends whose core goes on: another one takes over, or whoever started it is gone. */
const LEAVES_CORE: ReadonlySet<string> = new Set(['update', ANEW, 'disconnect']);
/** Why a panel ends that its launcher starts again. */
const COMES_AGAIN: ReadonlySet<string> = new Set(['update', ANEW, 'another state']);

/** Runs the panel until a signal ends it. Resolves to the exit code. */
export async function serve(config: Config): Promise<number> {
  const { ending, end, stopped } = signalled();
  // Without its launcher nobody would know of this process, and the next start would find the directory taken.
  process.once('disconnect', () => end('disconnect'));
  let why = '';
  // Node would open its inspector: a port through which everything can be read and changed.
  process.on('SIGUSR1', () => undefined);
  // A log that can no longer be written, because of a full disk or a closed pipe, is no reason to end the panel.
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => undefined);
  }
  const disposal = new Disposal();
  const logger = createLogger(config.LOG_LEVEL, {
    subPath: () => panel?.read.settings.current().subPath ?? '/sub/',
    secrets: () => (panel ? secretsOf(panel) : []),
  });
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  reportMissingTexts((code, language) => warn('a text is missing, the English one is shown', { code, language }));
  let panel: Panel | undefined;
  try {
    if (process.getuid?.() === 0)
      warn('the panel runs as root; an account of its own with CAP_NET_BIND_SERVICE and CAP_NET_ADMIN is enough');
    if (config.ALLOW_PRIVATE_OUTBOUND)
      warn('PORTOLAN_ALLOW_PRIVATE_OUTBOUND is set: requests of the panel may go to private addresses');
    panel = await createPanel({
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
        logger.fatal({ err: error }, 'the panel cannot go on');
        // Nothing is flushed or stopped: the log is sound, the core goes on, and the next start says what is wrong.
        process.exit(1);
      },
    });
    const running = panel;
    logNews(running, logger);
    if (running.turn) warn(turnLine(running.turn));
    // Whoever ends it while it makes way for another one wants all of it to end.
    disposal.add(() => running.stop(LEAVES_CORE.has(why) && !stopped()));
    process.on(ANEW, () =>
      process.send ? end(ANEW) : warn(`${ANEW} is for a panel that bin/portolan has started: nothing is done`),
    );
    let leaving = false;
    const leave = (reason: string): (() => void) | null => {
      if (!process.send) return null;
      return () => {
        leaving = true;
        setTimeout(() => end(reason), GRACE_MS);
      };
    };
    const switchOver = leave('update');
    const installs = createInstalls(running, config, { warn, switchOver, disposal });
    const firstAdmin = await prepareFirstAdmin(running, config, warn);
    let servers: Servers | undefined;
    const backups = openBackups(
      {
        panel: running,
        work: childWork({ humble: true }),
        release: version,
        corePlace: () => corePlace(config),
        switchOver: leave('another state'),
        restarting: () => leaving || servers?.restarting() === true,
        warn,
      },
      disposal,
    );
    await openControl(running, warn, disposal, installs.coreInstall, backups);
    servers = await openServers(running, { config, logger, disposal, installs, backups });
    // In the same turn of the loop in which the last port was bound: so a panel is never ready without an admin.
    firstAdmin?.create();
    await running.start();
    if (!running.damaged) installs.coreInstall.begin();
    if (!running.damaged) installs.geoKeeping.begin();
    process.stdout.write(banner(running, config, servers));
    process.send?.(READY);
    why = await ending;
    logger.info({ why }, 'the panel ends');
    await disposal.dispose();
    return COMES_AGAIN.has(why) && !stopped() ? SWITCH_CODE : 0;
  } catch (error) {
    logger.debug({ err: error }, 'the panel could not run');
    const full = isDiskFull(error);
    const message = full ? diskFull(config.DATA_DIR) : error instanceof Error ? error.message : String(error);
    process.stderr.write(`portolan: ${message}\n`);
    // Without a panel it is not this process that has the directory; and a state cannot help that a disk is full.
    if (panel && full) forgiveTry(panel.directory.root);
    else if (panel) failTrial(panel.directory.root, message);
    await disposal.dispose().catch(() => undefined);
    return full ? FULL_CODE : 1;
  }
}

interface Wishes {
  /** Resolves with the first reason to end: a signal, or whatever `end` is told. */
  readonly ending: Promise<string>;
  readonly end: (why: string) => void;
  /** Whether a signal wants all of it to end, first or later. */
  readonly stopped: () => boolean;
}

function signalled(): Wishes {
  let end: (why: string) => void = () => undefined;
  let told = 0;
  const ending = new Promise<string>((resolve) => {
    end = resolve;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (told > 0 && performance.now() - told > SAME_WISH_MS) process.exit(1);
        if (told === 0) told = performance.now();
        resolve(signal);
      });
    }
  });
  return { ending, end, stopped: () => told > 0 };
}

function banner({ read, complaint, core, turn }: Panel, config: Config, servers: Servers): string {
  const { process: state } = read.core();
  const coreLine =
    state.state === 'running'
      ? `running, version ${state.version}`
      : state.error === ''
        ? core.process.running
          ? 'starting'
          : 'stopped'
        : `${state.state}: ${state.error}`;
  const { panel, subscription, ops } = servers.urls();
  const { subEnable, subPath } = read.settings.current();
  const admin = [...read.users().users.values()][0]?.username ?? '(none)';
  const lines = [
    '',
    `  Portolan ${version}`,
    '',
    `  Panel          ${panel}${servers.basePath()}`,
    `  Admin          ${admin}`,
    `  Subscriptions  ${subEnable ? `${subscription}${subPath}<subId>` : 'off'}`,
    `  Core           ${coreLine}`,
    `  Data           ${config.DATA_DIR}`,
    `  Health         ${ops}/readyz`,
    '',
    ...(turn === null ? [] : [`  ${turnLine(turn)}`]),
    ...[...servers.warnings(), ...refusals(read)].map((warning) => `  WARNING: ${warning}`),
    ...(complaint === null ? ['  Next: log in and add an inbound.'] : [`  READ ONLY: ${complaint}`]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** What was refused at an earlier start, and still is: there is no news of it. */
function refusals(read: Panel['read']): readonly string[] {
  const inbounds = new Map(read.inbounds.all().map((inbound) => [inbound.id, inbound]));
  return refusedHere(inbounds, read.core()).map(
    ({ inbound: { id, tag }, reason }) => `the core does not take inbound ${id} (${tag}): ${reason}`,
  );
}

/** Which of two states this start serves. */
function turnLine({ outcome, why }: Turn): string {
  return outcome === 'switched' ? `NEW STATE: ${why}` : `THE STATE BEFORE IS BACK: ${why}`;
}
