import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../../src/http/ops/metrics.js';
import { createOpsServer } from '../../../src/http/ops/ops-server.js';
import { operations } from '../../../src/http/panel/openapi/document.js';
import { Endpoints } from '../../../src/http/server/listening/endpoint.js';
import { closeServer, listen } from '../../../src/http/server/listening/listen.js';
import { makeCertificate } from '../../kit/real/certificate.js';
import { startPanel } from '../kit/panel.js';

/** The headers of every reply of every server; the values of the last two may differ. */
const BASE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': expect.stringMatching(/default-src .*frame-ancestors 'none'/),
  'cache-control': expect.stringMatching(/no-store|private/),
};

/** The replies to bytes until the connection ends: status and headers of each. */
function answersTo(port: number, bytes: string): Promise<{ status: number; headers: Record<string, string> }[]> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (data) => (heard += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () =>
      resolve(
        [...heard.matchAll(/HTTP\/1\.1 (\d+) .*\r\n((?:.+\r\n)*)\r\n/g)].map(([, status, head = '']) => {
          const lines = head
            .trim()
            .split('\r\n')
            .map((line) => line.split(': '));
          const names = lines.map(([name = '']) => name.toLowerCase());
          expect(names.filter((name, at) => names.indexOf(name) !== at)).toStrictEqual([]);
          return {
            status: Number(status),
            headers: Object.fromEntries(lines.map(([name = '', ...value]) => [name.toLowerCase(), value.join(': ')])),
          };
        }),
      ),
    );
  });
}

const get = (target: string, more = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: panel.example\r\n${more}Connection: close\r\n\r\n`;
const upgrade = (more: string): string =>
  `GET /ws HTTP/1.1\r\nHost: panel.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`;
const WEBSOCKET = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

/** Requests that each server rejects before any handler. */
const REFUSED = [
  ['nonsense', 'nonsense\r\n\r\n', 400],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['a length that is none', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ['a head without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['an unknown expectation', get('/', 'Expect: wonders\r\n'), 417],
  [
    'extensions of chunks without end',
    `POST /login HTTP/1.1\r\nHost: panel.example\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n`,
    413,
  ],
] as const;

describe('every reply of the panel has the base headers', () => {
  it('at every route, for an admin and without a login', async () => {
    const panel = await startPanel();
    const places = operations()
      .flatMap(({ route }) => [route.path, ...route.aliases].map((path) => ({ method: route.method, path })))
      .toSorted((a, b) => Number(a.path.includes('logout')) - Number(b.path.includes('logout')));
    expect(places.length).toBeGreaterThan(100);
    const admin = await panel.browser().login();
    const unauthenticated = panel.browser();
    const statuses = new Set<number>();
    for (const { method, path } of places) {
      const place = path.replaceAll(/:\w+/g, '1');
      for (const browser of [admin, unauthenticated])
        for (const verb of method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST', 'PUT']) {
          const answer = await browser.send(verb, place, verb === 'POST' ? {} : undefined);
          // The preview of the subscription page is framed by the panel, under the policy of that page.
          const isFramed = place.endsWith('/previewSubscriptionPage') && answer.status === 200;
          const { 'content-security-policy': _, 'x-frame-options': __, ...framed } = BASE;
          const expected = isFramed ? framed : BASE;
          expect(Object.fromEntries(answer.headers), `${verb} ${place} ${answer.status}`).toMatchObject(expected);
          statuses.add(answer.status);
        }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 404]));
  });

  it.each([
    ...REFUSED,
    ['another name', get('/', 'X: y\r\n').replace('panel.example', 'other.example'), 403],
    ['the page', get('/'), 200],
    ['no session', get('/panel/api/server/status', 'X-Requested-With: XMLHttpRequest\r\n'), 401],
    ['a path that cannot be decoded', get('/%zz'), 404],
    ['another protocol', get('/', 'Upgrade: h2c\r\n'), 200],
    ['too many headers', get('/', 'X: y\r\n'.repeat(300)), 431],
    ['a body that is too large', `POST /login HTTP/1.1\r\nHost: panel.example\r\nContent-Length: 99999\r\n\r\n`, 413],
    [
      'a packed body',
      'POST /login HTTP/1.1\r\nHost: panel.example\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx',
      415,
    ],
    ['an unauthenticated WebSocket', upgrade(WEBSOCKET), 401],
    ['a WebSocket elsewhere', upgrade(WEBSOCKET).replace('/ws', '/x'), 404],
    ['a body for another protocol', upgrade('Content-Length: 1\r\n').replace('websocket', 'h2c'), 400],
  ] as const)('to %s', async (_, bytes, status) => {
    const panel = await startPanel({ settings: { webDomain: 'panel.example' } });
    const [answer] = await answersTo(panel.port, bytes);
    expect(answer).toMatchObject({ status, headers: BASE });
  });

  it('for WebSockets, accepted or not', async () => {
    const panel = await startPanel();
    const { cookie } = await panel.browser().login();
    const head = `Cookie: ${cookie}\r\n`;
    const bad = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n';
    const [refused] = await answersTo(panel.port, upgrade(head + bad));
    expect(refused).toMatchObject({ status: 400, headers: BASE });
    const welcome = answersTo(panel.port, upgrade(head + WEBSOCKET));
    await panel.web.closeSockets();
    await panel.web.close();
    for (const answer of await welcome) expect(answer).toMatchObject({ status: 101, headers: BASE });
  });

  it('and HSTS over TLS, also with a rejection', async () => {
    const { certPem, keyPem, remove } = await makeCertificate();
    remove();
    const panel = await startPanel();
    const key = { cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
    const { address } = await panel.web.endpoints.open(0, '127.0.0.1', key);
    const { request } = await import('node:https');
    for (const path of ['/', '/nothing', '/csrf-token']) {
      const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
        const options = {
          port: address.port,
          host: '127.0.0.1',
          path,
          rejectUnauthorized: false,
          agent: false as const,
        };
        request(options, (res) => resolve(res.resume().headers))
          .on('error', reject)
          .end();
      });
      expect(headers).toMatchObject({ ...BASE, 'strict-transport-security': 'max-age=31536000' });
    }
    const [answer] = await answersTo(address.port, get('/'));
    expect(answer).toMatchObject({ status: 400, headers: BASE });
  });
});

describe('every reply of the subscription server has the base headers', () => {
  /** A panel with one client, and the port of its subscriptions. */
  async function start(settings: Readonly<Record<string, unknown>> = {}) {
    const all = { subJsonEnable: true, subClashEnable: true, subDomain: 'panel.example', ...settings };
    const panel = await startPanel({ settings: all });
    const browser = await panel.browser().login();
    const clients = [{ id: crypto.randomUUID(), email: 'one', subId: 'abc', enable: true }];
    const added = await browser.post('/panel/api/inbounds/add', {
      ...{ enable: true, remark: 'home', port: 4433, protocol: 'vless' },
      settings: JSON.stringify({ clients, decryption: 'none' }),
      streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
    });
    expect(added.json).toMatchObject({ success: true });
    return Number(new URL(panel.subscriptions).port);
  }

  it.each([
    ...REFUSED.filter(([what]) => what !== 'extensions of chunks without end'),
    ...['', 'links', 'plain', 'json', 'clash', 'sing-box'].map(
      (form) => [form, get(`/sub/abc?format=${form}`), 200] as const,
    ),
    ['/json/', get('/json/abc'), 200],
    ['/clash/', get('/clash/abc'), 200],
    ['HEAD', get('/sub/abc', '', 'HEAD'), 200],
    ['packed', get('/sub/abc', 'Accept-Encoding: gzip\r\n'), 200],
    ['the page', get('/sub/abc', 'Accept: text/html\r\n'), 200],
    ['what is known', get('/sub/abc', 'If-None-Match: *\r\n'), 304],
    ['the page when it is known', get('/sub/abc', 'Accept: text/html\r\nIf-None-Match: *\r\n'), 304],
    ['an unknown client', get('/sub/x'), 404],
    ['another path', get('/'), 404],
    ['POST', get('/sub/abc', '', 'POST'), 405],
    ['another name', get('/sub/abc').replace('panel.example', 'other.example'), 403],
    ['a host that is none', get('/sub/abc').replace('panel.example', 'a"b'), 400],
    ['another protocol', get('/sub/abc', 'Upgrade: h2c\r\n'), 200],
  ] as const)('to %s', async (_, bytes, status) => {
    const [answer] = await answersTo(await start(), bytes);
    expect(answer).toMatchObject({ status, headers: BASE });
  });

  it('for repeated guesses, and when it is disabled', async () => {
    const port = await start();
    let status = 404;
    while (status === 404) {
      const [answer] = await answersTo(port, get('/sub/x'));
      expect(answer).toMatchObject({ headers: BASE });
      status = answer?.status ?? 0;
    }
    expect(status).toBe(429);
    const [off] = await answersTo(await start({ subEnable: false }), get('/sub/abc'));
    expect(off).toMatchObject({ status: 404, headers: BASE });
  });
});

describe('the base headers are in', () => {
  it('the end of an incomplete request, and the redirect to TLS', async () => {
    const { certPem, keyPem, remove } = await makeCertificate();
    remove();
    const open = (timeouts: { timeoutMs?: number } = {}): Endpoints => {
      const endpoints = new Endpoints((_req, res) => res.end('x'), { ...timeouts, domain: () => 'panel.example' });
      onTestFinished(() => endpoints.close());
      return endpoints;
    };
    const plain = await open({ timeoutMs: 100 }).open(0, '127.0.0.1');
    expect(await answersTo(plain.address.port, 'GET / HTTP/1.1\r\nHo')).toMatchObject([{ status: 408, headers: BASE }]);
    const endpoint = await open().open(0, '127.0.0.1', { cert: Buffer.from(certPem), key: Buffer.from(keyPem) });
    const { port } = endpoint.address;
    for (const [bytes, status] of [
      [get('/'), 307],
      [get('*', '', 'OPTIONS'), 400],
      ['nonsense\r\n\r\n', 400],
    ] as const)
      expect(await answersTo(port, bytes)).toMatchObject([{ status, headers: BASE }]);
  });

  it('the replies of the health port', async () => {
    const panel = await startPanel();
    const ops = createOpsServer({
      panel: () => null,
      core: () => 'no',
      metrics: createMetrics({
        ...{ read: panel.read, log: panel.log, version: '1', now: panel.now },
        ...{ writable: () => true, followers: () => [], webhooks: () => [], cluster: null },
      }),
      clients: async function* figures() {
        yield 'x 1\n';
      },
    });
    const { port } = await listen(ops, 0, '127.0.0.1');
    onTestFinished(() => closeServer(ops));
    for (const [path, status] of [
      ...[
        ['/healthz', 200],
        ['/readyz/core', 503],
        ['/metrics', 200],
        ['/metrics/clients', 200],
        ['/x', 404],
      ],
    ] as const)
      expect(await answersTo(port, get(String(path)).replace('panel.example', 'localhost'))).toMatchObject([
        { status, headers: BASE },
      ]);
    expect(await answersTo(port, get('/'))).toMatchObject([{ status: 421, headers: BASE }]);
  });
});
