import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { get, routes } from '../../../../src/http/panel/contract/route.js';
import { HotReads } from '../../../../src/http/panel/hot-reads.js';
import { mount } from '../../../../src/http/panel/mount.js';
import { draft, inboundDraft, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const STATUS = '/p3x9/panel/api/server/status';
const TRAFFICS = '/p3x9/panel/api/inbounds/getClientTraffics';
const TOKEN = 'Authorization: Bearer secret-token';

/** The whole reply to one request, without the parts that differ each time. */
const ask = (port: number, head: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(`${head}\r\nConnection: close\r\n\r\n`));
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () =>
      resolve(answer.replace(/^Date: .*$/m, 'Date:').replace(/^X-Correlation-Id: [\da-f-]{36}/m, 'X-Correlation-Id:')),
    );
  });

/** Express has a `handle` method that its types do not declare. */
function routerOf(app: object): { handle(): void } {
  const hasHandle = (value: object): value is { handle(): void } => 'handle' in value;
  return hasHandle(app) ? app : expect.fail('Express has no handle method');
}

/** A panel, and a server of the same process in which every request goes through the router. */
const start = async (settings: Readonly<Record<string, unknown>> = {}) => {
  const panel = await startPanel({ basePath: '/p3x9/', settings });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const inbound = inboundDraft({ clients: [draft('a@example.org', 1), draft('b', 2)] });
  panel.given({ type: 'AddInbound', data: { ...inbound, owner: userId(1) } });
  const slow = createServer((req, res) => panel.web.app(req, res)).listen(0, '127.0.0.1');
  onTestFinished(() => void slow.close());
  const routed = vi.spyOn(routerOf(panel.web.app), 'handle');
  const both = async (head: string) => {
    routed.mockClear();
    const hot = await ask(panel.port, head);
    const isHot = routed.mock.calls.length === 0;
    return { isHot, hot, router: await ask((slow.address() as AddressInfo).port, head) };
  };
  const { cookie } = await panel.browser().login();
  return { panel, both, cookie };
};

describe('a hot read', () => {
  it.each([
    `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}`,
    `GET ${STATUS}?a=1&b[]=%zz HTTP/1.1|Host: x|${TOKEN}`,
    `GET ${STATUS} HTTP/1.1|Host: x|authorization: bEARER secret-token`,
    `GET ${STATUS} HTTP/1.1|Host: x|COOKIE`,
    `GET ${STATUS} HTTP/1.1|Host: x|COOKIE; lang=fa-IR|Accept-Language: ru`,
    `GET ${STATUS} HTTP/1.1|Host: x|COOKIE|Origin: https://evil.example|Sec-Fetch-Site: cross-site`,
    `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|Authorization-Else: x|Idempotency-Key: k1`,
    `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|If-None-Match: *|Accept: text/html|Range: bytes=0-1`,
    `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|X-Forwarded-Proto: https|X-Forwarded-For: 1.2.3.4|X-Forwarded-Host: y`,
    `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|X-HTTP-Method-Override: POST`,
    `GET ${TRAFFICS}/a@example.org HTTP/1.1|Host: x|${TOKEN}`,
    `GET ${TRAFFICS}/B?x HTTP/1.1|Host: x|COOKIE`,
  ])('%s gets the same reply as from the router, without it', async (lines) => {
    const { both, cookie } = await start();
    const { isHot, hot, router } = await both(lines.replace('COOKIE', `Cookie: ${cookie}`).replaceAll('|', '\r\n'));
    expect(hot).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(hot).toContain('{"success":true,"msg":"","obj":{');
    expect(hot).toBe(router);
    expect(isHot).toBe(true);
  });

  it.each([
    [404, `GET ${STATUS} HTTP/1.1|Host: x`],
    [401, `GET ${STATUS} HTTP/1.1|Host: x|X-Requested-With: XMLHttpRequest`],
    [404, `GET ${STATUS} HTTP/1.1|Host: x|Authorization: Bearer wrong`],
    [404, `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|${TOKEN}`],
    [404, `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|Authorization: Bearer other`],
    [404, `GET ${STATUS} HTTP/1.1|Host: x|Authorization: Basic secret-token`],
    [404, `GET ${STATUS} HTTP/1.1|Host: x|COOKIE; 3x-ui=${'a'.repeat(43)}`],
    [404, `GET ${STATUS}?3x-ui=x HTTP/1.1|Host: x|Cookie: 3x-ui=${'a'.repeat(43)}`],
    [404, `GET ${STATUS}/ HTTP/1.1|Host: x|${TOKEN}`],
    [404, `GET ${STATUS.toUpperCase()} HTTP/1.1|Host: x|${TOKEN}`],
    [404, `GET ${STATUS.slice(5)} HTTP/1.1|Host: x|${TOKEN}`],
    [404, `GET /p3x9/${STATUS.slice(5)} HTTP/1.1|Host: x|${TOKEN}`],
    [404, `GET http://x${STATUS} HTTP/1.1|Host: x|${TOKEN}`],
    [400, `GET ${STATUS} HTTP/1.1|Host: evil"><x>|${TOKEN}`],
    [400, `GET ${STATUS} HTTP/1.1|Host: x|Host: x|${TOKEN}`],
    [400, `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}|Transfer-Encoding: gzip, chunked`],
    [431, `GET ${STATUS} HTTP/1.1|Host: x|${TOKEN}${'|A: 1'.repeat(200)}`],
    [200, `HEAD ${STATUS} HTTP/1.1|Host: x|${TOKEN}`],
    [404, `OPTIONS ${STATUS} HTTP/1.1|Host: x|${TOKEN}`],
    [404, `POST ${STATUS} HTTP/1.1|Host: x|${TOKEN}|Content-Length: 0`],
    [404, `GET ${TRAFFICS}/a@example.org HTTP/1.1|Host: x`],
    [404, `GET ${TRAFFICS}/ HTTP/1.1|Host: x|${TOKEN}`],
    [404, `GET ${TRAFFICS}/a/b HTTP/1.1|Host: x|${TOKEN}`],
    [200, `GET ${TRAFFICS}/nobody HTTP/1.1|Host: x|${TOKEN}|Accept-Language: ru`],
    [200, `GET ${TRAFFICS}/a%40example.org HTTP/1.1|Host: x|${TOKEN}`],
    [400, `GET ${TRAFFICS}/%E0%A4%A HTTP/1.1|Host: x|${TOKEN}`],
    [200, `GET ${TRAFFICS}/b#c HTTP/1.1|Host: x|${TOKEN}`],
    [200, `GET ${TRAFFICS}/${'x'.repeat(300)} HTTP/1.1|Host: x|${TOKEN}`],
  ])('is left to the router, which replies %i to %s', async (status, lines) => {
    const { both, cookie } = await start();
    const { isHot, hot, router } = await both(lines.replace('COOKIE', `Cookie: ${cookie}`).replaceAll('|', '\r\n'));
    expect(hot).toBe(router);
    expect(Number(hot.slice(9, 12))).toBe(status);
    expect(isHot).toBe(false);
  });

  it('requires the domain of the settings', async () => {
    const { both } = await start({ webDomain: 'panel.example' });
    expect((await both(`GET ${STATUS} HTTP/1.1\r\nHost: panel.EXAMPLE:9\r\n${TOKEN}`)).isHot).toBe(true);
    const { isHot, hot, router } = await both(`GET ${STATUS} HTTP/1.1\r\nHost: other\r\n${TOKEN}`);
    expect(hot).toMatch(/^HTTP\/1\.1 403 /);
    expect(hot).toBe(router);
    expect(isHot).toBe(false);
  });

  it('ends with its session', async () => {
    const { panel, both, cookie } = await start({ sessionMaxAge: 10 });
    const head = `GET ${STATUS} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}`;
    expect((await both(head)).isHot).toBe(true);
    panel.later(10 * 60_000);
    const { hot, router } = await both(head);
    expect(hot).toMatch(/^HTTP\/1\.1 404 /);
    expect(hot).toBe(router);
  });

  it('that throws is handled like any other bug', async () => {
    const table = routes('/panel/api/test', {
      fail: get('/fail', { permission: { resource: 'server', action: 'read' }, summary: 'Breaks', hot: true }),
    });
    const fail = (): never => {
      throw new Error('secret detail');
    };
    const panel = await startPanel({ bind: (router, gate) => mount(router, table, { fail }, gate, null) });
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const answer = await panel.call('GET', '/panel/api/test/fail', {
      headers: { authorization: 'Bearer secret-token' },
    });
    expect(answer).toMatchObject({ status: 500, json: { success: false } });
    expect(panel.complaints).toHaveLength(1);
  });

  it.each(['/a/:b/c', '/a/:b/:c', '/a/*b', '/'])('has no path like %s', (path) => {
    const hot = new HotReads({} as ConstructorParameters<typeof HotReads>[0], () => null);
    expect(() =>
      hot.add(get(path, { auth: 'none', permission: null, summary: 'Odd', hot: true }), path, () => null),
    ).toThrow('cannot be a hot route');
  });
});
