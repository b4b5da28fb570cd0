import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Router } from 'express';
import { onTestFinished } from 'vitest';
import { ProcHostMonitor } from '../../../src/adapters/host-monitor.js';
import { scryptPasswords } from '../../../src/adapters/passwords.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { SqliteEventLog } from '../../../src/adapters/sqlite/event-log.js';
import { Keyring, masterKey } from '../../../src/adapters/sqlite/keyring.js';
import { createBus } from '../../../src/commands/bus.js';
import type { AnyCommand } from '../../../src/commands/catalog.js';
import type { Passwords } from '../../../src/commands/ports/passwords.js';
import { panelState } from '../../../src/commands/state.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { statusOf } from '../../../src/http/codec/status.js';
import type { HttpParts } from '../../../src/http/context.js';
import { mountHandlers } from '../../../src/http/handlers/index.js';
import type { Gate } from '../../../src/http/mount.js';
import { createPanelServer } from '../../../src/http/server.js';
import { createSubscriptionServer } from '../../../src/http/subscription-server.js';
import { ReadModels } from '../../../src/projections/read-models.js';

export const ADMIN = { username: 'admin', password: 'correct horse' };

/** Passwords that cost nothing, for tests that log in often. */
const plainPasswords: Passwords = {
  hash: async (password) => `plain ${password}`,
  verify: async (password, hash) => hash === `plain ${password}`,
};

/** A core that takes everything and runs nothing. */
const stubCore: Partial<HttpParts['core']> = {
  running: null,
  version: async () => null,
  test: async () => undefined,
  testInbound: async () => undefined,
};

interface Options {
  readonly basePath?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Real scrypt. */
  readonly slow?: boolean;
  readonly bind?: (router: Router, gate: Gate) => void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; undefined when the body is not JSON. */
  readonly json: { success: boolean; msg: string; obj: unknown } | undefined;
}

/** A panel of real parts around a log in a temporary file, on real sockets: HTTP in, events out. */
export async function startPanel({ basePath = '/', settings = {}, slow = false, bind = mountHandlers }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-http-'));
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const db = openDatabase(join(folder, 'events.db'));
  const log = new SqliteEventLog(db, new Keyring(db, masterKey(join(folder, 'master.key'), { mayCreate: true }), now));
  const dispatch = createBus({ log, state: panelState.initial(), now, ownPorts: () => [], closed: () => null });
  const read = new ReadModels(log);
  const passwords = slow ? scryptPasswords() : plainPasswords;
  const actor = { kind: 'system', id: 'test', name: 'test', ip: null } as const;
  const given = (command: AnyCommand): void => void dispatch(command, { actor, correlationId: 'given' });
  given({ type: 'CreateUser', data: { username: ADMIN.username, passwordHash: await passwords.hash(ADMIN.password) } });
  if (Object.keys(settings).length > 0) given({ type: 'ChangeSettings', data: { changes: settings } });

  const host = new ProcHostMonitor(folder);
  host.sample();
  const http: HttpParts = {
    read,
    core: stubCore as unknown as HttpParts['core'],
    host,
    passwords,
    now,
    version: '0.0.0',
    coreSettled: async () => undefined,
    outcome: async () => null,
    portFlaw: async () => null,
    subPort: () => 10_882,
    certificateFlaw: async () => null,
  };
  const complaints: { fields: object; message: string }[] = [];
  const complain = (fields: object, message: string): void => void complaints.push({ fields, message });
  const httpLog = { error: complain, warn: complain };
  const status = (): unknown => statusOf(read, host.latest, now());
  const web = createPanelServer({ http, dispatch, basePath: () => basePath, bind, status, log: httpLog });
  const sub = createSubscriptionServer({ read, now, log: httpLog });
  const { port } = await web.listen(0, '127.0.0.1');
  const { port: subPort } = await sub.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    host.stop();
    await Promise.all([web.close(), sub.close()]);
    log.close();
    rmSync(folder, { recursive: true });
  });

  let mark = log.head().position;
  const origin = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    mark = log.head().position;
    return answerOf(await fetch(origin + path, { method, redirect: 'manual', ...init }));
  };
  return {
    log,
    read,
    given,
    web,
    complaints,
    port,
    origin,
    subscriptions: `http://127.0.0.1:${subPort}`,
    call,
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
