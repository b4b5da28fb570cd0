import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MissLimiter } from '../../../src/http/server/miss-limiter.js';
import { startPanel } from '../kit/panel.js';

/** A panel with one client that may not connect, under `off`, and one that may, under `abc`. */
async function start(settings: Readonly<Record<string, unknown>> = {}, network = 'tcp') {
  const panel = await startPanel({ settings });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const clients = [
    { id: crypto.randomUUID(), email: 'one', subId: 'abc', enable: true },
    { id: crypto.randomUUID(), email: 'two', subId: 'off', enable: false },
  ];
  const added = await panel.call('POST', '/panel/api/inbounds/add', {
    headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ enable: true, remark: 'home', port: 4433, protocol: 'vless', sniffing: '{"enabled":false}' },
      settings: JSON.stringify({ clients, decryption: 'none' }),
      streamSettings: JSON.stringify({ network, security: 'none' }),
    }),
  });
  expect(added.json).toMatchObject({ success: true });
  const port = Number(new URL(panel.subscriptions).port);
  return { panel, say: (bytes: string) => said(port, bytes) };
}

/** The reply to bytes, without the date; the caller closes its side after them. */
function said(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer.replace(/^Date: .*\r\n/gm, '')));
  });
}

const get = (target: string, more = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: sub.example:10882\r\n${more}Connection: close\r\n\r\n`;

describe('a rejected request', () => {
  it('has the same reply at every path', async () => {
    const { say } = await start({ subJsonEnable: true, subPath: '/hidden/' });
    const paths = ['/hidden/abc', '/hidden/off', '/hidden/x', '/json/abc', '/sub/abc', '/', '/login'];
    for (const [method, more, status] of [
      ['POST', '', '405 Method Not Allowed'],
      ['GET', 'Host: a"b\r\n', '400 Bad Request'],
    ] as const) {
      const answers = await Promise.all(
        paths.map((path) =>
          say(more === '' ? get(path, '', method) : `GET ${path} HTTP/1.1\r\n${more}Connection: close\r\n\r\n`),
        ),
      );
      expect(answers[0]).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\nContent-Length: 0\r\n.*\r\n\r\n$`, 's'));
      expect(new Set(answers).size).toBe(1);
    }
  });

  it('is limited alike for an invalid path, an unknown subId, and a client that may not connect', async () => {
    const { say, panel } = await start({ subJsonEnable: true });
    const from = (ip: string) => `X-Forwarded-For: ${ip}\r\n`;
    const targets = ['/sub/x', '/sub/off', '/sub/off?html=1', '/nothing', '/json/off', '/sub/%ff', '/clash/x'];
    for (const [at, target] of targets.entries()) {
      const all: string[] = [];
      for (let i = 0; i < 62; i += 1) all.push(await say(get(target, from(`198.51.100.${at}`))));
      expect(all.filter((answer) => answer.startsWith('HTTP/1.1 404 ')).length).toBeGreaterThanOrEqual(60);
      expect(all.at(-1)).toMatch(/^HTTP\/1.1 429 .*Content-Length: 0\r\n.*Retry-After: 60/s);
      expect(await say(get('/sub/abc', from(`198.51.100.${at}`)))).toMatch(/^HTTP\/1.1 200 /);
    }
    expect(panel.complaints).toStrictEqual([]);
  });

  it('counts by the address of the caller, and ignores its headers', async () => {
    const { say } = await start({ trustedProxyCIDRs: [] });
    const answers: string[] = [];
    for (let i = 0; i < 70; i += 1) answers.push(await say(get('/sub/x', `X-Forwarded-For: 198.51.100.${i}\r\n`)));
    expect(answers.at(-1)).toMatch(/^HTTP\/1.1 429 /);
  });

  it('does not count for a format that supports none of the links', async () => {
    const { say } = await start({}, 'kcp');
    const [none, nobody] = [get('/sub/abc?format=sing-box'), get('/sub/nobody?format=sing-box')];
    for (let i = 0; i < 70; i += 1) expect(await say(none)).toMatch(/^HTTP\/1.1 200 /);
    expect(await say(nobody)).toMatch(/^HTTP\/1.1 404 /);
  });
});

describe('a hostile request', () => {
  const answered = /^HTTP\/1\.1 (404|429|405|400|431|417|413|501) [\w -]+\r\n/;

  const requests: readonly (readonly [name: string, bytes: string])[] = [
    ['a path of dots', get('/sub/../../etc/passwd')],
    ['encoded dots', get('/sub/%2e%2e/abc')],
    ['encoded dots alone', get('/sub/%2e%2e%2fabc')],
    ['twice encoded', get('/sub/%2561bc')],
    ['a zero byte', get('/sub/%00')],
    ['a zero byte behind', get('/sub/abc%00')],
    ['overlong UTF-8', get('/sub/%c0%ae%c0%ae')],
    ['half a code', get('/sub/%')],
    ['half a pair', get('/sub/%ed%a0%80')],
    ['absolute form', get('http://sub.example:10882/sub/abc')],
    ['absolute form of another', get('http://evil.example/sub/abc')],
    ['an authority', get('sub.example:443', '', 'CONNECT')],
    ['an asterisk', get('*', '', 'OPTIONS')],
    ['a fragment', get('/sub/abc#x')],
    ['a back-slash', get('/sub\\abc')],
    ['an enormous id', get(`/sub/${'x'.repeat(12_000)}`)],
    ['an enormous encoded id', get(`/sub/${'%61'.repeat(4000)}`)],
    ['a target that is too long', get(`/sub/${'x'.repeat(40_000)}`)],
    ['a query that is too long', get(`/sub/abc?${'a=b&'.repeat(20_000)}`)],
    ['ten thousand headers', get('/sub/abc', Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1\r\n`).join(''))],
    ['an unknown method', get('/sub/abc', '', 'BREW')],
    ['an unknown expectation', get('/sub/x', 'Expect: tea\r\n')],
    ['two lengths', get('/sub/x', 'Content-Length: 1\r\nContent-Length: 2\r\n')],
    ['a length and chunks', get('/sub/x', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')],
    ['two hosts', get('/sub/x', 'Host: other.example\r\n')],
    ['no host', 'GET /sub/abc HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['prototypes', get('/sub/__proto__?format=constructor&lang=__proto__&html=1&code=__proto__')],
  ];

  it('gets a minimal reply', async () => {
    const { say, panel } = await start();
    for (const [name, bytes] of requests) {
      const answer = await say(bytes);
      // Node closes the connection on CONNECT.
      if (name !== 'an authority') expect(answer, name).toMatch(answered);
      expect(answer.replace(/^[^]*\r\n\r\n/, ''), name).toBe('');
      expect(answer, name).not.toMatch(/vless|x-powered-by|set-cookie|node/i);
    }
    expect(panel.complaints).toStrictEqual([]);
    expect(await say(get('/sub/abc'))).toMatch(/^HTTP\/1.1 200 /);
  });

  it('of any kind causes no internal error', async () => {
    const { say, panel } = await start({ subJsonEnable: true });
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '..',
        '%',
        '%2',
        '%2e',
        '%00',
        '%ff',
        '?',
        '&',
        '=',
        '#',
        ';',
        ':',
        '@',
        '\\',
        '*',
        '\t',
        '"',
      ),
      fc.constantFrom('sub', 'json', 'clash', 'abc', 'off', 'format', 'html=1', 'lang=fa', 'code=1', 'view=raw'),
      fc.string({ maxLength: 4, unit: 'binary-ascii' }),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
    const line = text.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));
    const names = fc.constantFrom('Accept', 'User-Agent', 'Cookie', 'Accept-Language', 'If-None-Match', 'Range');
    const header = fc.tuple(fc.oneof(names, fc.constantFrom('Accept-Encoding', 'X-Forwarded-Host')), line);
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('/', '/sub/abc?', '/sub/'), fc.array(header), async (rest, start, all) => {
        const target = `${start}${rest}`.replace(/[^\x21-\x7e]/g, '');
        const answer = await say(get(target, all.map(([name, value]) => `${name}: ${value}\r\n`).join('')));
        expect(answer).toMatch(/^HTTP\/1\.1 (200|304|400|404|429) /);
      }),
      { numRuns: 150 },
    );
    expect(panel.complaints).toStrictEqual([]);
  });
});

describe('MissLimiter', () => {
  it('permits one more miss per second, for each address and each /64', () => {
    let now = 0;
    const misses = new MissLimiter(() => now);
    const taken = (ip: string, tries: number) =>
      Array.from({ length: tries }, () => misses.allowMiss(ip)).filter(Boolean).length;
    expect(taken('198.51.100.1', 100)).toBe(60);
    expect(taken('198.51.100.2', 1)).toBe(1);
    now += 3000;
    expect(taken('198.51.100.1', 100)).toBe(3);
    now += 3_600_000;
    expect(taken('198.51.100.1', 100)).toBe(60);
    now -= 10_000;
    expect(taken('198.51.100.1', 1)).toBe(0);
    expect(taken('2001:db8::1', 100)).toBe(60);
    expect(taken('2001:db8::ffff:2', 1)).toBe(0);
    expect(taken('2001:db8:0:1::1', 1)).toBe(1);
  });
});
