import { rmSync } from 'node:fs';
import type { Router } from 'express';
import { onTestFinished } from 'vitest';
import type { PanelLogger } from '../../../src/adapters/logs/logger.js';
import { createLogs } from '../../../src/adapters/logs/logs.js';
import { PanelLines } from '../../../src/adapters/logs/panel-lines.js';
import { scryptPasswords } from '../../../src/adapters/passwords/passwords.js';
import { createAdapters } from '../../../src/app/adapters.js';
import { createPanel, type Panel } from '../../../src/app/panel.js';
import { createWebServers } from '../../../src/app/servers.js';
import { createServices } from '../../../src/app/services.js';
import type { Dispatch } from '../../../src/commands/bus.js';
import type { AnyCommand } from '../../../src/commands/catalog.js';
import type { Passwords } from '../../../src/commands/ports/passwords.js';
import type { Rejection } from '../../../src/commands/rejection.js';
import { type Config, readConfig } from '../../../src/config.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import type { ServerName } from '../../../src/events/certificate.js';
import { StorageError } from '../../../src/events/log/log.js';
import type { AuthRequest } from '../../../src/http/panel/auth/auth-context.js';
import type { PanelServices } from '../../../src/http/panel/context.js';
import type { Gate } from '../../../src/http/panel/mount.js';
import { verbatim } from '../../../src/messages/message.js';
import { scratchFolder } from '../../kit/log.js';
import { type CoreStub, stubCore } from '../../kit/stub-core.js';
import { bySubject, type FlatServices, flat } from './services.js';

export const ADMIN = { username: 'admin', password: 'correct horse' };

/** A fast password hash, for tests that log in often. */
const plainPasswords: Passwords = {
  hash: async (password) => `plain ${password}`,
  verify: async (password, hash) => hash === `plain ${password}`,
  isForeign: () => false,
};

/** Reads no secret of the machine and contacts no other host: every release feed and provider refuses the connection. */
const NOWHERE = 'http://127.0.0.1:1';
const configIn = (folder: string): Config =>
  readConfig({
    PATH: folder,
    XDG_CACHE_HOME: folder,
    PORTOLAN_DATA_DIR: folder,
    PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true',
    PORTOLAN_CORE_RELEASES_URL: NOWHERE,
    PORTOLAN_PANEL_RELEASES_URL: NOWHERE,
    PORTOLAN_GEO_RELEASES_URL: NOWHERE,
    PORTOLAN_WGPROV_URL: NOWHERE,
    PORTOLAN_VPNPROV_URL: NOWHERE,
  });

interface Options {
  readonly basePath?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Real scrypt. */
  readonly slow?: boolean;
  /** Whether a restart of the servers is under way. */
  readonly restarting?: () => boolean;
  /** Why the log rejects every append from the start; the first admin exists. */
  readonly closed?: () => Rejection | null;
  readonly bind?: (router: Router, gate: Gate<AuthRequest>, services: PanelServices) => void;
  /** Services that replace those of the product. */
  readonly parts?: Partial<FlatServices> | ((panel: Panel) => Partial<FlatServices>);
  /** Overrides for the stub of the core. */
  readonly core?: CoreStub;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; undefined when the body is not JSON. */
  readonly json: { success: boolean; msg: string; obj: unknown } | undefined;
}

/** The adapters of the product. Ports, files of certificates and directories of the machine pass every check. */
function adaptersOf(panel: Panel, config: Config, logger: Pick<PanelLogger, 'warn' | 'lines'>, passwords: Passwords) {
  const adapters = createAdapters(panel, config, logger);
  const { machine, accounts } = adapters;
  const { logs: logDir } = panel.directory;
  const logs = createLogs({ lines: logger.lines, logDir, secrets: () => [], journal: { membership: logDir } });
  const passes = async (): Promise<null> => null;
  return {
    ...adapters,
    machine: { ...machine, logs, portProblem: passes, certificateProblem: passes, pairProblem: passes },
    accounts: { ...accounts, passwords, directory: { verifyPassword: async () => false, entries: async () => [] } },
  };
}

/** A panel as the product constructs it, in a temporary folder and on real sockets. */
export async function startPanel({
  basePath = '/',
  settings = {},
  slow = false,
  bind,
  restarting = () => false,
  closed = () => null,
  core = {},
  parts = {},
}: Options = {}) {
  const folder = scratchFolder();
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const warn = (): void => undefined;
  const panel = await createPanel({
    ...{ dataDir: folder, version: '0.0.0', now, warn },
    createCore: () => stubCore(core),
    failed(error) {
      throw error;
    },
  });
  const { log, read, alarms, store } = panel;
  let refusal: StorageError | null = null;
  const append = log.append.bind(log);
  log.append = (...given) => {
    if (refusal) throw refusal;
    return append(...given);
  };
  const dispatch: Dispatch = (command, context) => closed() ?? panel.dispatch(command, context);
  const passwords = slow ? scryptPasswords() : plainPasswords;
  const actor = { kind: 'system', id: 'test', name: 'test', ip: null } as const;
  const given = (command: AnyCommand): void => void panel.dispatch(command, { actor, correlationId: 'given' });
  given({ type: 'CreateUser', data: { username: ADMIN.username, passwordHash: await passwords.hash(ADMIN.password) } });
  if (Object.keys(settings).length > 0) given({ type: 'ChangeSettings', data: { changes: settings } });

  const served = panel.read.settings.current();
  const lines = new PanelLines();
  const adapters = adaptersOf(panel, configIn(folder), { lines, warn }, passwords);
  const { host, gauges } = adapters.machine;
  gauges.start();
  host.sample();
  const { http, nodes, webhooks } = createServices(panel, adapters, {
    ...{ version: '0.0.0', overrides: {}, member: null, restarting, warn, choosePanel: warn },
    servers: {
      confirmed: async () => null,
      cluster: null,
      restarting,
      restartProblem: async () => null,
      serverPortProblem: async () => null,
      servedSettings: () => served,
      subPort: () => 10_882,
    },
    corePlace: () => ({ binary: null, geo: panel.directory.geo }),
    switchOver: { update: null, state: null },
  });
  // Requests to nodes would append their results at any time.
  await nodes.nodes.stop();
  // The reactors do not run, so no core starts or stops. The product would wait for it and then report the same.
  const outcome = async (): Promise<null> => null;
  const all: FlatServices = { ...flat(http), outcome, ...(typeof parts === 'function' ? parts(panel) : parts) };
  const complaints: { fields: object; message: string }[] = [];
  const complain = (fields: object, message: string): void => void complaints.push({ fields, message });
  const httpLog = { error: complain, warn: complain };
  // As at the last restart.
  const { webDomain, subDomain } = read.settings.current();
  const domainOf = (name: ServerName): string => (name === 'panel' ? webDomain : subDomain);
  const serve = () =>
    createWebServers({ ...panel, dispatch }, bySubject(all), {
      ...{ basePath: () => basePath, domainOf, log: httpLog, ...(bind && { bind }) },
    });
  const servers = serve();
  let { web } = servers;
  const { sub } = servers;
  const { port } = await web.listen(0, '127.0.0.1');
  const { port: subPort } = await sub.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    await Promise.all([web.close(), sub.close()]);
    await gauges.stop();
    await panel.stop(true);
    rmSync(folder, { recursive: true });
  });

  let mark = log.head().position;
  let origin = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    mark = log.head().position;
    return answerOf(await fetch(origin + path, { method, redirect: 'manual', ...init }));
  };
  return {
    log,
    read,
    dispatch,
    now,
    /** The services of the handlers; a test may replace them. */
    services: all,
    ledger: store.caches.ledger,
    /** Deliveries begin when a test starts them. */
    webhooks,
    directory: panel.directory,
    /** The log file of the core. */
    folder: panel.directory.logs,
    /** The lines of the panel's log. */
    lines,
    given,
    alarms,
    feed: all.feed,
    web,
    complaints,
    port,
    origin,
    subscriptions: `http://127.0.0.1:${subPort}`,
    call,
    /** Reads the machine, as the panel does every 2 s for the status. */
    tick: (): void => void host.sample(),
    /** The error of every append from now on; null = appends succeed. */
    storage: (kind: StorageError['kind'] | null): void => {
      refusal = kind === null ? null : new StorageError(kind, verbatim(`the disk is ${kind}`));
    },
    /** Replaces this server by another one, as after a restart: its state comes only from the log. */
    async restart(): Promise<void> {
      await web.close();
      ({ web } = serve());
      origin = `http://127.0.0.1:${(await web.listen(0, '127.0.0.1')).port}`;
    },
    /** Moves the clock of the panel. */
    later: (ms: number): void => void (offset += ms),
    /** The events appended since the last call began. */
    appended: (): readonly RecordedEvent[] => log.read(mark, 100),
    browser: () => new Browser(basePath, call),
  };
}

type Call = (method: string, path: string, init?: RequestInit) => Promise<Answer>;

/** A client with a cookie jar and the CSRF token that it received, if any. */
export class Browser {
  readonly #base: string;
  readonly #call: Call;
  cookie = '';
  token = '';

  constructor(base: string, call: Call) {
    this.#base = base.slice(0, -1);
    this.#call = call;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = {
      ...(this.cookie === '' ? {} : { cookie: this.cookie }),
      ...(this.token === '' ? {} : { 'x-csrf-token': this.token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const init = { headers: sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await this.#call(method, this.#base + path, init);
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
    return answer;
  }

  get = (path: string, headers?: Record<string, string>): Promise<Answer> => this.send('GET', path, undefined, headers);
  post = (path: string, body: unknown = {}, headers?: Record<string, string>): Promise<Answer> =>
    this.send('POST', path, body, headers);

  /** Logs in as the clients of 3x-ui do: the token first, then the login. */
  async login(as: { readonly username: string; readonly password: string } = ADMIN): Promise<this> {
    this.token = String((await this.get('/csrf-token')).json?.obj);
    await this.post('/login', as);
    return this;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let json: Answer['json'];
  try {
    json = JSON.parse(text) as Answer['json'];
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A reply without its times and durations. */
export function bare({ status, headers, text }: Answer): unknown {
  const kept = [...headers].filter(([name]) => name !== 'date');
  return { status, text, headers: kept };
}
