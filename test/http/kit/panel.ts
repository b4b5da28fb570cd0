import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Router } from 'express';
import { onTestFinished } from 'vitest';
import { RingGauges } from '../../../src/adapters/gauges/gauges.js';
import { ProcHostMonitor } from '../../../src/adapters/host/host-monitor.js';
import { createLogs } from '../../../src/adapters/logs/logs.js';
import { PanelLines } from '../../../src/adapters/logs/panel-lines.js';
import { scryptPasswords } from '../../../src/adapters/passwords/passwords.js';
import { totp } from '../../../src/adapters/passwords/two-factor.js';
import { createProviders } from '../../../src/adapters/providers/providers.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { SqliteEventLog } from '../../../src/adapters/sqlite/event-log.js';
import { Keyring, masterKey } from '../../../src/adapters/sqlite/keyring.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import { createBus, type Dispatch } from '../../../src/commands/bus.js';
import type { AnyCommand } from '../../../src/commands/catalog.js';
import { BackupError } from '../../../src/commands/ports/backups.js';
import type { Passwords } from '../../../src/commands/ports/passwords.js';
import { NOTHING } from '../../../src/commands/reactors/nodes/health.js';
import { type Rejection, reject } from '../../../src/commands/rejection.js';
import { panelState } from '../../../src/commands/state.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { StorageError } from '../../../src/events/log/log.js';
import { EventFeed } from '../../../src/http/live/event-feed.js';
import type { AuthRequest } from '../../../src/http/panel/auth/visit.js';
import type { PanelServices } from '../../../src/http/panel/context.js';
import { mountHandlers } from '../../../src/http/panel/handlers/index.js';
import type { Gate } from '../../../src/http/panel/mount.js';
import { createPanelServer } from '../../../src/http/panel/server.js';
import { statusText } from '../../../src/http/panel/status-text.js';
import { createSubscriptionServer } from '../../../src/http/subscription/subscription-server.js';
import { Alarms } from '../../../src/lib/alarms.js';
import { verbatim } from '../../../src/messages/message.js';
import { ReadModels } from '../../../src/projections/read-models.js';
import { keepLedger } from '../../../src/store/ledger.js';
import { changeBy } from '../../kit/change.js';
import { type CoreStub, stubCore } from '../../kit/stub-core.js';
import { bySubject, type FlatServices } from './services.js';

export const ADMIN = { username: 'admin', password: 'correct horse' };

/** Passwords that cost nothing, for tests that log in often. */
const plainPasswords: Passwords = {
  hash: async (password) => `plain ${password}`,
  verify: async (password, hash) => hash === `plain ${password}`,
  isForeign: () => false,
};

/** Nothing newer can be had. */
const nothingNewer: Pick<FlatServices, 'coreInstall' | 'panelUpdate' | 'geoUpdate' | 'geoSources'> = {
  coreInstall: {
    list: async () => ({ versions: [], why: 'not here' }),
    install: async () => reject('CORE_FIXED', { by: 'the test' }),
  },
  panelUpdate: {
    info: async () => reject('RELEASES_UNREACHABLE', { why: 'not here' }),
    install: async () => reject('UPDATE_NOT_POSSIBLE', { why: 'not here' }),
  },
  geoUpdate: { update: async () => reject('GEO_FAILED', { why: ['not here'] }) },
  geoSources: {
    add: async () => reject('GEO_DOWNLOAD_FAILED', { why: 'not here' }),
    change: async () => reject('GEO_DOWNLOAD_FAILED', { why: 'not here' }),
    remove: async (source) => reject('GEO_SOURCE_NOT_FOUND', { source }),
    download: async (source) => reject('GEO_SOURCE_NOT_FOUND', { source }),
    update: async () => [],
    pathOf: (file) => file,
    exists: () => false,
  },
};

/** No node was asked yet, and none is. */
const neverAsked = (): Pick<FlatServices, 'nodes' | 'nodeHistories'> => ({
  nodes: {
    health: () => ({ ...NOTHING, status: 'unknown', lastHeartbeat: 0, lastError: null }),
    probe: async () => ({ ...NOTHING, status: 'offline', error: verbatim('not here') }),
    test: async () => ({ ...NOTHING, status: 'offline', error: verbatim('not here') }),
    state: () => ({ listedAt: 0, error: null, failingSince: 0, tries: 0, nextAt: 0 }),
    retryAt: () => 0,
    retry: () => undefined,
    withdraw: async () => ({ gone: 0, remaining: 0, kept: 0 }),
  },
  nodeHistories: { add: () => undefined, history: () => [], forget: () => undefined },
});

/** Nothing is copied, and nothing taken in. */
const missing = async (): Promise<never> => {
  throw new BackupError('failed', verbatim('not here'));
};
const notHere: FlatServices['backups'] = {
  ...{ create: missing, keep: missing, replace: missing, replaceFrom: missing },
  latest: () => ({ last: null, lastGood: null, next: null, late: false }),
  list: () => [],
};

/** No core, no tests of outbounds. */
const untested: FlatServices['probe'] = {
  dial: async () => ({ success: false, delay: 0, mode: 'tcp', error: 'not here' }),
  request: async () => ({ success: false, delay: 0, mode: 'http', error: 'not here' }),
};

/** What of the panel is there before its services. */
interface Made {
  readonly read: ReadModels;
  readonly log: SqliteEventLog;
  readonly dispatch: Dispatch;
  readonly alarms: Alarms;
  readonly now: () => number;
}

interface Options {
  readonly basePath?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Real scrypt. */
  readonly slow?: boolean;
  /** Whether a restart of the servers is under way. */
  readonly restarting?: () => boolean;
  /** Why nothing may be written from the start on; the first admin is there. */
  readonly closed?: () => Rejection | null;
  readonly bind?: (router: Router, gate: Gate<AuthRequest>, services: PanelServices) => void;
  /** What is otherwise than in this kit. */
  readonly parts?: Partial<FlatServices> | ((panel: Made) => Partial<FlatServices>);
  /** What the stub of the core does otherwise. */
  readonly core?: CoreStub;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; undefined when the body is not JSON. */
  readonly json: { success: boolean; msg: string; obj: unknown } | undefined;
}

/** A panel of real parts around a log in a temporary file, on real sockets: HTTP in, events out. */
export async function startPanel({
  basePath = '/',
  settings = {},
  slow = false,
  bind = mountHandlers,
  restarting = () => false,
  closed = () => null,
  core = {},
  parts = {},
}: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-http-'));
  let offset = 0;
  let set = false;
  const now = (): number => Date.now() + offset;
  const db = openDatabase(join(folder, 'events.db'));
  const log = new SqliteEventLog(db, new Keyring(db, masterKey(join(folder, 'master.key'), { mayCreate: true }), now));
  let refusal: StorageError | null = null;
  const append = log.append.bind(log);
  log.append = (...given) => {
    if (refusal) throw refusal;
    return append(...given);
  };
  const dispatch = createBus({
    log,
    state: panelState.initial(),
    now,
    ownPorts: () => [],
    closed: () => (set ? closed() : null),
  });
  const read = new ReadModels(log);
  const passwords = slow ? scryptPasswords() : plainPasswords;
  const actor = { kind: 'system', id: 'test', name: 'test', ip: null } as const;
  const given = (command: AnyCommand): void => void dispatch(command, { actor, correlationId: 'given' });
  given({ type: 'CreateUser', data: { username: ADMIN.username, passwordHash: await passwords.hash(ADMIN.password) } });
  if (Object.keys(settings).length > 0) given({ type: 'ChangeSettings', data: { changes: settings } });
  set = true;

  const host = new ProcHostMonitor(folder);
  const runs = stubCore(core);
  const file = join(folder, 'gauges.bin');
  const online = (): number => read.usage.onlineEmails(now()).length;
  const gauges = new RingGauges({ host, core: runs, online, file, now, warn: () => undefined });
  const lines = new PanelLines();
  gauges.start();
  host.sample();
  const alarms = new Alarms();
  const feed = new EventFeed(log, read);
  const ledger = keepLedger({ log, read, directory: { run: folder }, warn: () => undefined });
  const all: FlatServices = {
    read,
    core: runs,
    host,
    gauges,
    alarms,
    logs: createLogs({ lines, logDir: folder, secrets: () => [], journal: { membership: folder } }),
    status: statusText(read, host, now),
    passwords,
    directory: { proves: async () => false, entries: async () => [] },
    web: createWeb({ allowPrivate: true }),
    ...neverAsked(),
    ...nothingNewer,
    feed,
    probe: untested,
    backups: notHere,
    backupDelivery: { deliver: async () => reject('CHAT_BOT_OFF') },
    uploads: () => join(folder, randomUUID()),
    providers: createProviders(
      createWeb({ allowPrivate: true }),
      { tunnel: 'http://127.0.0.1:1', vpn: 'http://127.0.0.1:1' },
      now,
    ),
    now,
    version: '0.0.0',
    collect: async () => true,
    coreSettled: async () => undefined,
    outcome: async () => null,
    past: log,
    logged: (id) => log.answered(id),
    ledger: (question) => ledger.ask(question),
    portProblem: async () => null,
    serverPortProblem: async () => null,
    twoFactor: totp,
    overrides: {},
    restarting,
    restartProblem: async () => null,
    subPort: () => 10_882,
    certificateProblem: async () => null,
    pairProblem: async () => null,
    ...(typeof parts === 'function' ? parts({ read, log, dispatch, alarms, now }) : parts),
  };
  const complaints: { fields: object; message: string }[] = [];
  const complain = (fields: object, message: string): void => void complaints.push({ fields, message });
  const httpLog = { error: complain, warn: complain };
  // As at the last restart.
  const { webDomain, subDomain } = read.settings.current();
  const serve = () =>
    createPanelServer({
      ...{ services: bySubject(all), dispatch, change: changeBy(dispatch), bind, log: httpLog },
      ...{ basePath: () => basePath, webDomain: () => webDomain },
    });
  let web = serve();
  const sub = createSubscriptionServer({ read, now, log: httpLog, subDomain: () => subDomain });
  const { port } = await web.listen(0, '127.0.0.1');
  const { port: subPort } = await sub.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    host.stop();
    await gauges.stop();
    await Promise.all([web.close(), sub.close()]);
    await ledger.close();
    log.close();
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
    /** What the handlers use; a test may put something else in. */
    services: all,
    ledger,
    /** Where the core of this panel would log. */
    folder,
    /** What the panel's log said. */
    lines,
    given,
    alarms,
    feed,
    web,
    complaints,
    port,
    origin,
    subscriptions: `http://127.0.0.1:${subPort}`,
    call,
    /** Reads the machine, as the panel does every 2 s: a tick of the status. */
    tick: (): void => void host.sample(),
    /** What the disk says to every append from here on; null = it takes them. */
    storage: (kind: StorageError['kind'] | null): void => {
      refusal = kind === null ? null : new StorageError(kind, verbatim(`the disk is ${kind}`));
    },
    /** Another server in place of this one, as after a restart: it has only what the log has. */
    async restart(): Promise<void> {
      await web.close();
      web = serve();
      origin = `http://127.0.0.1:${(await web.listen(0, '127.0.0.1')).port}`;
    },
    /** Moves the clock of the panel. */
    later: (ms: number): void => void (offset += ms),
    /** What the last call, or what came after it, has appended. */
    appended: (): readonly RecordedEvent[] => log.read(mark, 100),
    browser: () => new Browser(basePath, call),
  };
}

type Call = (method: string, path: string, init?: RequestInit) => Promise<Answer>;

/** A client with a cookie jar and a CSRF token, as far as it was told one. */
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

  /** As the clients of 3x-ui do it: the token first, then the login. */
  async login(): Promise<this> {
    this.token = String((await this.get('/csrf-token')).json?.obj);
    await this.post('/login', ADMIN);
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

/** What is in an answer apart from when and how long. */
export function bare({ status, headers, text }: Answer): unknown {
  const kept = [...headers].filter(([name]) => name !== 'date');
  return { status, text, headers: kept };
}
