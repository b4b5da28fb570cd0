import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createXrayCore } from './adapters/core/xray.js';
import { createLogger } from './adapters/logger.js';
import { scryptPasswords } from './adapters/passwords.js';
import { asSystem, createPanel, type Panel } from './app.js';
import { coreBinary } from './cli/core.js';
import type { OwnPort } from './commands/command.js';
import { Rejection } from './commands/rejection.js';
import type { Config } from './config.js';
import { statusOf } from './http/codec/status.js';
import { mountHandlers } from './http/handlers/index.js';
import { closeServer, listen } from './http/listen.js';
import { createOpsServer, unreadiness } from './http/ops-server.js';
import { createPanelServer } from './http/server.js';
import { createSubscriptionServer } from './http/subscription-server.js';
import { Disposal } from './lib/disposal.js';
import { httpParts, SUBSCRIPTIONS } from './parts.js';
import { version } from './version.js';

/** Signals that end the panel in order, and the core with it. A second one ends it at once; the log survives both. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs the panel until a signal ends it. Resolves to the exit code. */
export async function serve(config: Config): Promise<number> {
  const ending = signalled();
  const disposal = new Disposal();
  const logger = createLogger(config.LOG_LEVEL, () => panel?.read.settings().subPath ?? '/sub/');
  const warn = (message: string, fields: object = {}): void => logger.warn(fields, message);
  let panel: Panel | undefined;
  try {
    if (process.getuid?.() === 0)
      warn('the panel runs as root; an account of its own with CAP_NET_BIND_SERVICE and CAP_NET_ADMIN is enough');
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
    disposal.add(() => running.stop(false));
    const password = await firstAdmin(running, config);
    const addresses = await open(running, config, logger, disposal);
    await running.start();
    process.stdout.write(banner(running, config, addresses, password));
    const signal = await ending;
    logger.info({ signal }, 'the panel ends');
    await disposal.dispose();
    return 0;
  } catch (error) {
    logger.debug({ err: error }, 'the panel could not run');
    process.stderr.write(`portolan: ${error instanceof Error ? error.message : String(error)}\n`);
    await disposal.dispose().catch(() => undefined);
    return 1;
  }
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    let told = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (told) process.exit(1);
        told = true;
        resolve(signal);
      });
    }
  });
}

/** Creates the first admin of an empty log. Resolves to the password that was made up, or null. */
async function firstAdmin({ read, dispatch, complaint }: Panel, config: Config): Promise<string | null> {
  if (read.users().users.size > 0 || complaint !== null) return null;
  const made = config.ADMIN_PASSWORD === undefined ? randomBytes(15).toString('base64url') : null;
  const passwordHash = await scryptPasswords().hash(config.ADMIN_PASSWORD ?? made ?? '');
  const username = config.ADMIN_USERNAME ?? 'admin';
  const done = dispatch({ type: 'CreateUser', data: { username, passwordHash } }, asSystem('first start'));
  if (done instanceof Rejection) throw new Error(done.message);
  return made;
}

interface Addresses {
  readonly panel: string;
  readonly subscription: string | null;
  readonly ops: string;
}

/** Binds the three servers. The ports are the panel's own from here on: no inbound may have them. */
async function open(
  panel: Panel,
  config: Config,
  logger: ReturnType<typeof createLogger>,
  disposal: Disposal,
): Promise<Addresses> {
  const { read, dispatch, log, now } = panel;
  const settings = read.settings();
  const basePath = (): string => slashed(config.BASE_PATH ?? read.settings().webBasePath);
  const own: OwnPort[] = [];
  const http = httpParts(panel, config, () => own, disposal);
  const status = (): unknown => statusOf(read, http.host.latest, now());
  const web = createPanelServer({ http, dispatch, basePath, bind: mountHandlers, status, log: logger });
  const sub = createSubscriptionServer({ read, now, log: logger });
  const ops = createOpsServer(() => panel.complaint ?? unreadiness(read, log));

  const webListen = config.HOST ?? settings.webListen;
  const subListen = config.SUB_HOST ?? settings.subListen;
  const webAddress = await web.listen(config.PORT ?? settings.webPort, webListen);
  disposal.add(() => web.close());
  const subAddress = await sub.listen(config.SUB_PORT ?? settings.subPort, subListen);
  disposal.add(() => sub.close());
  const opsAddress = await listen(ops, config.OPS_PORT, '127.0.0.1');
  disposal.add(() => closeServer(ops));
  own.push(
    { port: webAddress.port, listen: webListen, name: 'the panel' },
    { port: subAddress.port, listen: subListen, name: SUBSCRIPTIONS },
    { port: opsAddress.port, listen: '127.0.0.1', name: 'the health port of the panel' },
  );
  panel.setOwnPorts(own);
  return {
    panel: `${urlOf(webAddress)}${basePath()}`,
    subscription: settings.subEnable ? `${urlOf(subAddress)}${settings.subPath}` : null,
    ops: urlOf(opsAddress),
  };
}

function slashed(path: string): string {
  return `/${path}/`.replace(/\/{2,}/g, '/');
}

/** An address that a person on this machine can open. */
function urlOf({ address, port, family }: AddressInfo): string {
  const wildcard = address === '::' || address === '0.0.0.0';
  const host = wildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

function banner(
  { read, complaint, core }: Panel,
  config: Config,
  addresses: Addresses,
  password: string | null,
): string {
  const { process: state } = read.core();
  const coreLine =
    state.state === 'running'
      ? `running, version ${state.version}`
      : state.error === ''
        ? core.running
          ? 'starting'
          : 'stopped'
        : `${state.state}: ${state.error}`;
  const admin = [...read.users().users.values()][0]?.username ?? '(none)';
  const lines = [
    '',
    `  Portolan ${version}`,
    '',
    `  Panel          ${addresses.panel}`,
    `  Admin          ${admin}`,
    ...(password === null ? [] : [`  Password       ${password}   (shown this once: change it or write it down)`]),
    `  Subscriptions  ${addresses.subscription === null ? 'off' : `${addresses.subscription}<subId>`}`,
    `  Core           ${coreLine}`,
    `  Data           ${config.DATA_DIR}`,
    `  Health         ${addresses.ops}/readyz`,
    '',
    ...(complaint === null ? ['  Next: log in and add an inbound.'] : [`  READ ONLY: ${complaint}`]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}
