import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tables } from '../../src/http/panel/contract/index.js';
import type { Route } from '../../src/http/panel/contract/route.js';
import { withoutCore } from '../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import { type Admin, type PanelProcess, startPanel } from '../kit/real/panel-process.js';
import { addInbound, headOf, logOf } from './support.js';

const NO_CERTIFICATE = { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} };
const SUITE = 'invalid input';

/** Routes that end the session or the process, or wait for other hosts: they get invalid input only. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '/logout',
  '/panel/api/admins/password/:id',
  '/panel/setting/restartPanel',
  '/panel/setting/regenerateApiToken',
  '/panel/api/server/stopCoreService',
  '/panel/api/server/restartCoreService',
  '/panel/api/server/updatePanel',
  '/panel/api/server/installCore/:version',
  '/panel/api/server/updateGeofile',
  '/panel/api/server/updateGeofile/:fileName',
]);

const deep = (levels: number, open: string, close: string): string => `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Values for any field: wrong types, borders of numbers, and strings with a special meaning to a program. */
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  'NaN',
  '__proto__',
  'x'.repeat(10_000),
  '\u0000\r\n\u001b[31m',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  "'; DROP TABLE events; --",
  '\ud800',
  '🦑\u202e',
  '{"clients":[{"email":{}}]}',
  '{"clients":[null]}',
  '{"clients":{"length":1e9}}',
  '[[[[[[[[[[',
  deep(300, '[', ']'),
  [],
  [null],
  {},
  { length: -1 },
  { toString: 'x', valueOf: 1 },
];

/** Segments of a path. */
const SEGMENTS = [
  '1abc',
  '-2',
  '0',
  '1e3',
  '01',
  '9999999999999999',
  '%00',
  '..%2f..',
  '__proto__',
  'constructor',
  '%F0%9F%A6%91',
  'x'.repeat(300),
  '%E0%A4%A',
];

/** Whole bodies, with their content types. */
const BODIES: readonly [string, string | Buffer][] = [
  ['application/json', ''],
  ['application/json', '{'],
  ['application/json', 'null'],
  ['application/json', '[]'],
  ['application/json', '"text"'],
  ['application/json', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}'],
  ['application/json', deep(45_000, '[', ']')],
  ['application/json', deep(45_000, '{"a":', '}')],
  ['application/json', Buffer.from([0xff, 0xfe, 0x00, 0x7b])],
  ['application/json; charset=utf-16', '{}'],
  ['application/x-www-form-urlencoded', '__proto__[x]=1&a[b][c]=2&a=%ZZ&&&='],
  ['application/x-www-form-urlencoded', Array.from({ length: 3000 }, (_, i) => `k${i}=v`).join('&')],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'],
  ['multipart/form-data', 'no boundary'],
  ['text/plain', 'hello'],
  ['application/xml', '<a>&xxe;</a>'],
  ['nonsense', 'x'],
];

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly init: RequestInit;
}

function fieldsOf(route: Route): readonly string[] {
  const schema = z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, unknown>;
  };
  return Object.keys(schema.properties ?? {});
}

function json(body: unknown): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Every way in which a route is asked. */
function* callsOf(name: string, route: Route): Generator<Call> {
  const { method } = route;
  const plain = route.path.replace(/:\w+/g, '1');
  if (route.path !== plain) {
    for (const segment of SEGMENTS)
      yield { name, method, path: route.path.replace(/:\w+/g, segment), init: method === 'POST' ? json({}) : {} };
  }
  if (method === 'GET') return void (yield { name, method, path: plain, init: {} });
  for (const [type, body] of BODIES)
    yield { name, method, path: plain, init: { headers: { 'content-type': type }, body } };
  const fields = fieldsOf(route);
  for (const value of VALUES) {
    yield { name, method, path: plain, init: json(Object.fromEntries(fields.map((field) => [field, value]))) };
  }
  // One invalid field, the others as usual.
  for (const field of fields) {
    const usual = Object.fromEntries(
      fields.map((other) => [other, /^(id|sourceInboundId|port)$/.test(other) ? 1 : 'a']),
    );
    for (const value of [null, [], {}, 'x'.repeat(10_000), '__proto__'])
      yield { name, method, path: plain, init: json({ ...usual, [field]: value, extra: value }) };
  }
}

const LEAKS =
  /\bat \S+ \(|\.ts:\d|\.js:\d|node_modules|SQLITE_|SqliteError|\/(root|home|tmp|work|usr)\/|ZodError|TypeError|RangeError/;

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let panel: PanelProcess;
  let admin: Admin;

  beforeAll(async () => {
    panel = await startPanel({ env: { PORTOLAN_LOG_LEVEL: 'error' } });
    admin = await panel.admin();
    const context = makeContext({ certificate: NO_CERTIFICATE, realityTarget: '', targetPort: 9 });
    await addInbound(admin, inboundCase(context, 'vless-tcp'), [makeClient()]);
  });

  afterAll(() => panel?.cleanUp());

  it('is reported as invalid; nothing changes, nothing fails and the core keeps running', async () => {
    const { pid } = panel;
    const before = headOf(panel.dataDir);
    const routes = Object.values(tables).flatMap((table) => Object.entries(table) as [string, Route][]);
    const problems: string[] = [];
    const refused = new Set<string>();
    let calls = 0;
    for (const [name, route] of routes) {
      if (LEFT_OUT.has(route.path) || name === 'login') continue;
      const pending = [...callsOf(name, route)];
      calls += pending.length;
      // A few at a time, as a browser would.
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let call = pending.pop(); call; call = pending.pop()) await ask(call, problems, refused);
        }),
      );
    }
    expect(problems.slice(0, 20)).toStrictEqual([]);
    expect(calls).toBeGreaterThan(2000);
    const traces = logOf(panel.dataDir, before).filter(({ meta }) => refused.has(meta.correlationId));
    expect(traces.map(({ type }) => type).filter((type) => type !== 'LoginFailed')).toStrictEqual([]);
    const { obj } = await admin.get<{ core: { state: string } }>('/panel/api/server/status');
    expect(obj.core.state).toBe('running');
    expect(panel.pid).toBe(pid);
    expect(panel.stderr()).not.toMatch(/a request failed/);
  });

  async function ask({ name, method, path, init }: Call, complaints: string[], refused: Set<string>): Promise<void> {
    const response = await admin.raw(method, path, init);
    const text = await response.text();
    const summary = `${name}: ${method} ${path.slice(0, 80)} ${String(init.body ?? '').slice(0, 60)} -> ${response.status} ${text.slice(0, 200)}`;
    if (response.status >= 500) return void complaints.push(summary);
    if (response.status === 404 && text === '') return;
    if (!response.headers.get('content-type')?.startsWith('application/json')) return;
    const answer = JSON.parse(text) as { success?: unknown; msg?: unknown };
    if (typeof answer.success !== 'boolean' && !path.includes('openapi')) complaints.push(`no envelope ${summary}`);
    if (answer.success !== false) return;
    if (LEAKS.test(text)) complaints.push(`leak ${summary}`);
    refused.add(response.headers.get('x-correlation-id') ?? '');
  }
});
