import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startPanel } from '../kit/panel.js';

type Settings = Readonly<Record<string, unknown>>;
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const GB = 1024 ** 3;
const client = (email: string, subId: string, more: object = {}) => ({
  id: crypto.randomUUID(),
  email,
  subId,
  enable: true,
  flow: '',
  limitIp: 0,
  totalGB: 0,
  expiryTime: 0,
  ...more,
});

/** A panel with one inbound, and the way to ask its subscription server as the app of a client. */
const start = async (clients: readonly object[], settings: Settings = {}) => {
  const panel = await startPanel({ settings });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const change = (path: string, body: object) => {
    const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
    return panel.call('POST', `/panel/api/inbounds${path}`, { headers, body: JSON.stringify(body) });
  };
  const added = await change('/add', {
    enable: true,
    remark: 'home',
    port: 4433,
    protocol: 'vless',
    settings: JSON.stringify({ clients, decryption: 'none', fallbacks: [] }),
    streamSettings: JSON.stringify({ network: 'tcp', security: 'none', tcpSettings: {} }),
    sniffing: '{"enabled":false}',
  });
  expect(added.json).toMatchObject({ success: true });
  const fetchFrom = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const req = request(panel.subscriptions + path, { method, headers: { host: 'sub.example:10882', ...headers } });
      req.on('response', (res) => {
        let body = '';
        res.on('data', (data) => (body += String(data)));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
      });
      req.on('error', reject);
      req.end();
    });
  return { panel, change, fetchFrom };
};
const lines = ({ body }: Reply) => Buffer.from(body, 'base64').toString().split('\n').slice(0, -1);
const shown = ({ headers, ...reply }: Reply) => ({ ...reply, headers: { ...headers, date: 'now' } });

describe('a subscription', () => {
  it('is base64 with the headers that apps read', async () => {
    const settings = { subTitle: 'Mine ✓', subSupportUrl: 'https://t.me/x', subAnnounce: 'Hi', subUpdates: 6 };
    const one = client('one', 'abc', { totalGB: 5 * GB, expiryTime: Date.now() + 86_400_000 });
    const { panel, fetchFrom } = await start([one, client('two', 'other')], settings);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 10, down: 20 } });
    const reply = await fetchFrom('/sub/abc');
    expect(reply.status).toBe(200);
    expect(lines(reply)).toEqual([expect.stringMatching(`^vless://${one.id}@sub\\.example:4433\\?`)]);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'subscription-userinfo': `upload=10; download=20; total=${5 * GB}; expire=${Math.floor(one.expiryTime / 1000)}`,
      'profile-title': `base64:${Buffer.from('Mine ✓').toString('base64')}`,
      'profile-web-page-url': 'http://sub.example:10882/sub/abc',
      'support-url': 'https://t.me/x',
      'profile-update-interval': '6',
      announce: `base64:${Buffer.from('Hi').toString('base64')}`,
      'routing-enable': 'true',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(reply.headers).not.toHaveProperty('set-cookie');
  });

  it('of several clients has their sums, including clients that may not connect', async () => {
    const expiryTime = Date.now() + 86_400_000;
    const all = [
      client('one', 'abc', { totalGB: 5 * GB, expiryTime }),
      client('two', 'abc', { totalGB: 2 * GB, expiryTime }),
      client('off', 'abc', { totalGB: GB, expiryTime, enable: false }),
    ];
    const { panel, change, fetchFrom } = await start(all);
    for (const email of ['one', 'two', 'off'])
      panel.given({ type: 'AdjustClientTraffic', data: { email, up: 10, down: 20 } });
    const told = async () => (await fetchFrom('/sub/abc')).headers['subscription-userinfo'];
    expect(lines(await fetchFrom('/sub/abc'))).toHaveLength(2);
    expect(await told()).toBe(`upload=30; download=60; total=${8 * GB}; expire=${Math.floor(expiryTime / 1000)}`);
    await change('/addClient', { id: 1, settings: JSON.stringify({ clients: [client('free', 'abc')] }) });
    expect(await told()).toBe('upload=30; download=60; total=0; expire=0');
  });

  it('is plain text if configured, and follows the settings at once', async () => {
    const { panel, fetchFrom } = await start([client('one', 'abc')], { subEncrypt: false });
    expect((await fetchFrom('/sub/abc')).body).toMatch(/^vless:\/\/.*\n$/);
    panel.given({ type: 'ChangeSettings', data: { changes: { subEncrypt: true, subPath: '/s/' } } });
    expect((await fetchFrom('/sub/abc')).status).toBe(404);
    expect(lines(await fetchFrom('/s/abc'))).toHaveLength(1);
    panel.given({ type: 'ChangeSettings', data: { changes: { subEnable: false } } });
    expect((await fetchFrom('/s/abc')).status).toBe(404);
  });

  it('shows the current traffic, clients and inbounds on each request', async () => {
    const one = client('one', 'abc', { totalGB: 5 * GB });
    const { panel, change, fetchFrom } = await start([one]);
    const before = await fetchFrom('/sub/abc');
    expect((await fetchFrom('/sub/abc')).body).toBe(before.body);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: GB, down: 0 } });
    const after = await fetchFrom('/sub/abc');
    expect(after.headers['subscription-userinfo']).toContain(`upload=${GB};`);
    expect(after.body).not.toBe(before.body);
    await change('/addClient', { id: 1, settings: JSON.stringify({ clients: [client('more', 'abc')] }) });
    expect(lines(await fetchFrom('/sub/abc'))).toHaveLength(2);
    await change('/setEnable/1', { enable: false });
    expect((await fetchFrom('/sub/abc')).status).toBe(404);
    await change('/setEnable/1', { enable: true });
    const moved = { ...one, subId: 'new' };
    await change(`/updateClient/${one.id}`, { id: 1, settings: JSON.stringify({ clients: [moved] }) });
    expect(lines(await fetchFrom('/sub/abc'))).toHaveLength(1);
    expect(lines(await fetchFrom('/sub/new'))).toHaveLength(1);
  });

  it('has the requested host', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subEncrypt: false });
    const hosts = Array.from({ length: 50 }, (_, at) => `h${at}.example`);
    const replies = await Promise.all(hosts.map((host) => fetchFrom('/sub/abc', { host })));
    for (const [at, host] of hosts.entries()) {
      expect(replies[at]?.body).toContain(`@${host}:4433`);
      expect(replies[at]?.headers['profile-web-page-url']).toBe(`http://${host}/sub/abc`);
    }
    const forwarded = {
      'x-forwarded-host': 'front.example',
      'x-forwarded-proto': 'https',
      'x-real-ip': '198.51.100.1',
    };
    const reply = await fetchFrom('/sub/abc', forwarded);
    expect(reply.body).toContain('@front.example:4433');
    expect(reply.headers['profile-web-page-url']).toBe('https://front.example/sub/abc');
  });

  it('trusts forwarded headers only from a trusted proxy', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subEncrypt: false, trustedProxyCIDRs: [] });
    const reply = await fetchFrom('/sub/abc', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' });
    expect(reply.body).toContain('@sub.example:4433');
    expect(reply.headers['profile-web-page-url']).toBe('http://sub.example:10882/sub/abc');
  });

  it('is a page for a browser and on request, and links for an app', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subTitle: '<b>Mine' });
    for (const [path, headers] of [
      ['/sub/abc', { accept: 'text/html,*/*' }],
      ['/sub/abc?html=1', {}],
    ] as const) {
      const page = await fetchFrom(path, headers);
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
      });
      expect(page.headers).not.toHaveProperty('content-disposition');
      expect(page.body).toContain('vless://');
      expect(page.body).not.toContain('<b>');
    }
    const app = { accept: 'text/html', 'user-agent': 'v2rayNG/1.9' };
    expect((await fetchFrom('/sub/abc', app)).headers['content-type']).toContain('text/plain');
    expect((await fetchFrom('/sub/abc?view=raw', { accept: 'text/html' })).headers['content-type']).toContain(
      'text/plain',
    );
  });
});

describe('a subscription with several addresses', () => {
  const subURI = 'https://one.example/s/, https://two.example/sub, https://three.example/';
  const [one, two, three] = ['https://one.example/s/abc', 'https://two.example/sub/abc', 'https://three.example/abc'];

  it('names the next address in a header, and all others on the page', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subURI });
    const app = await fetchFrom('/sub/abc');
    expect(app.headers).toMatchObject({ 'profile-web-page-url': one, 'fallback-url': two });
    const page = await fetchFrom('/sub/abc?html=1');
    expect(page.headers).toMatchObject({ 'profile-web-page-url': one, 'fallback-url': two });
    const shown = [...page.body.matchAll(/<code>(https:[^<]*)<\/code>/g)].map(([, url]) => url);
    expect(shown.filter((url) => !url?.includes('/clash/'))).toEqual([one, two, three]);
    expect(page.body).toContain('<h3>Other addresses</h3>');
  });

  it('is shown at the address that the caller has reached', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subURI });
    const app = await fetchFrom('/sub/abc', { host: 'two.example' });
    expect(app.headers).toMatchObject({ 'profile-web-page-url': two, 'fallback-url': one });
  });

  it('names no other address when there is one', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subURI: 'https://one.example/s/' });
    const app = await fetchFrom('/sub/abc');
    expect(app.headers['profile-web-page-url']).toBe(one);
    expect(app.headers).not.toHaveProperty('fallback-url');
    expect((await fetchFrom('/sub/abc?html=1')).body).not.toContain('Other addresses');
  });
});

describe('a subscription request', () => {
  it('gets the same reply for an unknown, disabled or depleted client and for any other path', async () => {
    const { fetchFrom } = await start([
      client('off', 'off', { enable: false }),
      client('old', 'old', { expiryTime: 1000 }),
      client('one', 'abc'),
    ]);
    const nothing = shown(await fetchFrom('/sub/unknown'));
    expect(nothing).toMatchObject({ status: 404, body: '' });
    const paths = [
      '/sub/off',
      '/sub/',
      '/sub',
      '/',
      '/sub/abc/',
      '/sub/a/b',
      '/SUB/abc',
      '/sub/ABC',
      '/sub/%E0%A4%A',
      `/sub/${'x'.repeat(5000)}`,
      '/sub/off?html=1',
      '/panel/api/inbounds/list',
      '/login',
    ];
    for (const path of paths) expect({ path, ...shown(await fetchFrom(path)) }).toEqual({ path, ...nothing });
    expect((await fetchFrom('/sub/%61bc')).status).toBe(200);
  });

  it('must be GET or HEAD', async () => {
    const { fetchFrom } = await start([client('one', 'abc')]);
    const get = await fetchFrom('/sub/abc');
    const head = await fetchFrom('/sub/abc', {}, 'HEAD');
    expect(shown(head)).toEqual({ ...shown(get), body: '' });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect(await fetchFrom('/sub/abc', {}, method)).toMatchObject({
        status: 405,
        body: '',
        headers: { allow: 'GET, HEAD' },
      });
    }
  });

  it('is limited for a caller that guesses, but not with a valid subId', async () => {
    const { fetchFrom } = await start([client('one', 'abc')]);
    const guess = (at: number) => fetchFrom(`/sub/guess${at}`, { 'x-forwarded-for': '198.51.100.7' });
    const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => guess(at)));
    expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
    expect((await fetchFrom('/sub/abc', { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200);
    expect((await fetchFrom('/sub/x', { 'x-forwarded-for': '198.51.100.8' })).status).toBe(404);
  });

  it('is rejected for a domain that is not configured', async () => {
    const { fetchFrom } = await start([client('one', 'abc')], { subDomain: 'sub.example' });
    expect((await fetchFrom('/sub/abc')).status).toBe(200);
    expect(await fetchFrom('/sub/abc', { host: 'other.example' })).toMatchObject({ status: 403, body: '' });
    expect((await fetchFrom('/sub/abc', { host: 'evil"><x>' })).status).toBe(400);
  });
});
