import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { get, post, routes } from '../../../../src/http/panel/contract/route.js';
import { mount } from '../../../../src/http/panel/mount.js';
import { startPanel } from '../../kit/panel.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const permission = { resource: 'server', action: 'run' } as const;
const echoes = routes('/panel/api/test', {
  echo: post('/echo', {
    permission,
    summary: 'Says what it heard',
    body: z.unknown(),
    reply: z.unknown(),
    limit: 50_000,
  }),
  fail: get('/fail', { permission, summary: 'Breaks' }),
  failText: get('/fail/text', { permission, summary: 'Breaks otherwise' }),
});

/** A panel with a route that echoes its body, and two that throw. */
const startEcho = async () => {
  const panel = await startPanel({
    bind: (router, gate) => {
      const fail = (): never => {
        throw new Error('secret detail', { cause: new Error('/etc/shadow') });
      };
      const failText = () => Promise.reject('secret detail') as Promise<never>;
      mount(router, echoes, { echo: ({ body }) => body, fail, failText }, gate, null);
    },
  });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const authorization = 'Bearer secret-token';
  const echo = (body: string | Buffer | FormData, headers: Record<string, string>) =>
    panel.call('POST', '/panel/api/test/echo', { headers: { authorization, ...headers }, body: body as string });
  return { panel, echo, authorization };
};

/** The reply to bytes that no HTTP client would send. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', () => resolve(answer));
  });

describe('bodies', () => {
  it.each([
    ['{"a":[1,{"b":"c"}]}', JSON_TYPE, { a: [1, { b: 'c' }] }],
    ['{"a":1}', { 'content-type': 'application/json; charset=utf-8' }, { a: 1 }],
    ['{"__proto__":{"x":1},"a":1}', JSON_TYPE, { a: 1 }],
    ['{"\\u005f_proto__":{"x":1},"a":1}', JSON_TYPE, { a: 1 }],
    ['a=1&b=x+y&b=%C3%A9', FORM_TYPE, { a: '1', b: ['x y', 'é'] }],
    ['l[]=1&__proto__=x&__proto__[y]=z', FORM_TYPE, { l: ['1'], '__proto__[y]': 'z' }],
    ['', JSON_TYPE, {}],
    [`{"s":"${'['.repeat(200)}\\"${'{'.repeat(200)}"}`, JSON_TYPE, { s: `${'['.repeat(200)}"${'{'.repeat(200)}` }],
    [`${'['.repeat(64)}${']'.repeat(64)}`, JSON_TYPE, JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`)],
  ])('%.40j are read', async (body, headers, read) => {
    const { echo } = await startEcho();
    expect((await echo(body, headers)).json?.obj).toEqual(read);
  });

  it('with several parts are read as text', async () => {
    const { echo } = await startEcho();
    const form = new FormData();
    form.set('data', '{"a":1}');
    form.set('file', new Blob(['x']), 'x.txt');
    expect((await echo(form, {})).json?.obj).toEqual({ data: '{"a":1}' });
  });

  it.each([
    ['{', JSON_TYPE, 400],
    ['nonsense', JSON_TYPE, 400],
    [Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE, 400],
    [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, JSON_TYPE, 400],
    [`{"a":${'{"b":'.repeat(64)}1${'}'.repeat(65)}`, JSON_TYPE, 400],
    ['a=1&'.repeat(1001), FORM_TYPE, 400],
    ['x'.repeat(50_001), JSON_TYPE, 413],
    ['{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415],
    ['--x', { 'content-type': 'multipart/form-data' }, 400],
    ['\ufeff{', JSON_TYPE, 400],
    [Buffer.from('{"a":1}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }, 400],
  ])('%.20s are rejected', async (body, headers, status) => {
    const { echo } = await startEcho();
    const answer = await echo(body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status, json: { success: false, obj: null } });
    expect(answer.json?.msg).not.toContain('nonsense');
  });

  it.each([
    ['a=1&'.repeat(1001), FORM_TYPE],
    ['a[b][c]=1&'.repeat(1001), FORM_TYPE],
    ['--x\r\nA: b\r\n\r\n\r\n'.repeat(1001), { 'content-type': 'multipart/form-data; boundary="x"' }],
    ['--y\r\nA: b\r\n\r\n\r\n'.repeat(1001), { 'content-type': 'multipart/form-data; Boundary=y; charset=utf-8' }],
  ])('with too many fields are rejected before they are read: %.20j', async (body, headers) => {
    const { echo } = await startEcho();
    const msg = 'The form has more than 1000 fields';
    expect(await echo(body, headers)).toMatchObject({ status: 400, json: { success: false, msg } });
  });

  it('of unauthenticated callers have a small limit', async () => {
    const panel = await startPanel();
    const body = JSON.stringify({ username: 'x'.repeat(17_000), password: 'x' });
    expect(await panel.call('POST', '/login', { headers: JSON_TYPE, body })).toMatchObject({
      status: 413,
      json: { success: false },
    });
    expect(panel.appended()).toEqual([]);
  });

  it('with an invalid length are rejected', async () => {
    const panel = await startPanel();
    const answer = await raw(
      panel.port,
      'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('Connection: close');
  });

  it('of a GET request are ignored', async () => {
    const panel = await startPanel();
    const answer = await raw(
      panel.port,
      'GET /csrf-token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a reply', () => {
  it('has security headers and no Server header', async () => {
    const panel = await startPanel();
    const { headers } = await panel.call('GET', '/csrf-token');
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'self'"),
    });
    for (const name of ['x-powered-by', 'server', 'etag', 'access-control-allow-origin'])
      expect(headers.has(name)).toBe(false);
    const preflight = { headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } };
    expect((await panel.call('OPTIONS', '/login', preflight)).status).toBe(404);
  });

  it.each(['/fail', '/fail/text'])('for an internal error at %s contains only an id', async (path) => {
    const { panel, authorization } = await startEcho();
    const answer = await panel.call('GET', `/panel/api/test${path}?secret=1`, { headers: { authorization } });
    const id = answer.headers.get('x-correlation-id') ?? '?';
    expect(answer).toMatchObject({
      status: 500,
      json: { success: false, msg: expect.stringContaining(id), obj: null },
    });
    expect(answer.text).not.toMatch(/secret|shadow|\.ts/);
    expect(panel.complaints).toMatchObject([{ fields: { correlationId: id } }]);
    expect((await panel.call('GET', '/csrf-token')).status).toBe(200);
  });

  it('depends on the configured host', async () => {
    const panel = await startPanel({ settings: { webDomain: 'Panel.example' } });
    expect(
      (await raw(panel.port, 'GET /csrf-token HTTP/1.1\r\nHost: panel.EXAMPLE:1\r\nConnection: close\r\n\r\n')).slice(
        9,
        12,
      ),
    ).toBe('200');
    expect(
      (await raw(panel.port, 'GET /csrf-token HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n')).slice(9, 12),
    ).toBe('403');
  });

  it('requires a valid host', async () => {
    const panel = await startPanel();
    const answer = await raw(panel.port, 'GET /csrf-token HTTP/1.1\r\nHost: evil"><x>\r\nConnection: close\r\n\r\n');
    expect(answer.slice(9, 12)).toBe('400');
    expect(answer).not.toContain('evil');
  });

  it('uses the base path, also in the cookie', async () => {
    const panel = await startPanel({ basePath: '/deep/er/' });
    const browser = panel.browser();
    const answer = await browser.get('/csrf-token');
    expect(answer.headers.getSetCookie()[0]).toContain('Path=/deep/er/;');
    expect((await panel.call('GET', '/csrf-token')).status).toBe(404);
  });

  it('marks the cookie as secure if a trusted proxy reports TLS', async () => {
    const panel = await startPanel();
    const { headers } = await panel.call('GET', '/csrf-token', { headers: { 'x-forwarded-proto': 'https' } });
    expect(headers.getSetCookie()[0]).toMatch(/; Secure$/);
    expect(headers.has('strict-transport-security')).toBe(false);
  });
});

describe('connections', () => {
  it.each([
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n',
    'GET / HTTP/1.1\nHost: x\n\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\nY: b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\rY: b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX : b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n',
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na',
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na',
    'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\n${'A: 1\r\n'.repeat(200)}\r\n`,
  ])('end after %.60j', async (text) => {
    const panel = await startPanel();
    expect(await raw(panel.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it.each([
    '1;a=b\nX\r\n0\r\n\r\n',
    '-1\r\nX\r\n0\r\n\r\n',
    '1\nX\n0\n\n',
    `1;${'a'.repeat(40_000)}\r\nX\r\n0\r\n\r\n`,
  ])('end after a body in the chunks %.30j', async (chunks) => {
    const panel = await startPanel();
    const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';
    const smuggled = 'GET /csrf-token HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = await raw(panel.port, `${head}\r\n\r\n${chunks}${smuggled}`);
    expect(answer).not.toMatch(/HTTP\/1\.1 200 /);
    expect(panel.appended()).toEqual([]);
    expect(panel.complaints).toEqual([]);
  });

  it('reply to pipelined requests in order, and to none after a rejected one', async () => {
    const panel = await startPanel();
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const both = await raw(panel.port, get('/csrf-token') + get('/nope', 'Connection: close\r\n'));
    expect([...both.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200', '404']);
    const bad = await raw(panel.port, get('/csrf-token', 'Host: y\r\n') + get('/csrf-token'));
    expect([...bad.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['400']);
  });

  it('survive a header named like a prototype', async () => {
    const panel = await startPanel();
    const answer = await raw(
      panel.port,
      'GET /csrf-token HTTP/1.1\r\nHost: x\r\n__proto__: y\r\nConnection: close\r\n\r\n',
    );
    expect(answer.slice(9, 12)).toBe('200');
  });
});

describe('the page', () => {
  it('is public, has a new nonce each time, and reveals no version', async () => {
    const panel = await startPanel({ basePath: '/p/' });
    const answer = await panel.call('GET', '/p/');
    const nonce = /nonce="([^"]+)"/.exec(answer.text)?.[1] ?? '?';
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain(`script-src 'self' 'nonce-${nonce}'`);
    expect((await panel.call('GET', '/p/')).text).not.toContain(nonce);
    expect(answer.text).not.toMatch(/\d+\.\d+\.\d+/);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await panel.call('POST', '/p/')).status).toBe(404);
  });
});
