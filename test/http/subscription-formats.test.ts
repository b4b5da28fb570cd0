import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startPanel } from './kit/panel.js';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const id = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';

/** A panel with one vless client under `abc`, and the way to ask its subscription server. */
async function start(settings: Readonly<Record<string, unknown>> = {}, protocol = 'vless') {
  const panel = await startPanel({ settings });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const client = {
    id,
    password: 'pw',
    email: 'one',
    subId: 'abc',
    enable: true,
    limitIp: 0,
    totalGB: 0,
    expiryTime: 0,
  };
  const added = await panel.call('POST', '/panel/api/inbounds/add', {
    headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' },
    body: JSON.stringify({
      enable: true,
      remark: 'home',
      port: 4433,
      protocol,
      settings: JSON.stringify({ clients: [client], decryption: 'none' }),
      streamSettings: JSON.stringify({ network: 'ws', security: 'none', wsSettings: { path: '/p' } }),
      sniffing: '{"enabled":false}',
    }),
  });
  expect(added.json).toMatchObject({ success: true });
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const req = request(panel.subscriptions + path, { method, headers: { host: 'sub.example:10882', ...headers } });
      req.on('response', (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(parts) }));
      });
      req.on('error', reject);
      req.end();
    });
  return { panel, ask };
}

const text = ({ body }: Reply): string => body.toString();
const typeOf = ({ headers }: Reply) => headers['content-type'];

describe('the form of a subscription', () => {
  it('follows the path', async () => {
    const { ask } = await start({ subJsonEnable: true });
    const json = await ask('/json/abc');
    expect(typeOf(json)).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text(json))).toMatchObject([
      { remarks: 'home-one', outbounds: [{ tag: 'proxy', protocol: 'vless' }, {}, {}] },
    ]);
    expect(json.headers['subscription-userinfo']).toBe('upload=0; download=0; total=0; expire=0');
    const clash = await ask('/clash/abc');
    expect(typeOf(clash)).toBe('application/yaml; charset=utf-8');
    expect(parse(text(clash))).toMatchObject({ proxies: [{ type: 'vless', server: 'sub.example', uuid: id }] });
  });

  it('is at no path that is switched off, and at the one that the admin chose', async () => {
    const { ask } = await start({ subJsonEnable: true, subJsonPath: '/j/', subClashEnable: false });
    expect((await ask('/json/abc')).status).toBe(404);
    expect((await ask('/j/abc')).status).toBe(200);
    expect((await ask('/clash/abc')).status).toBe(404);
    expect(typeOf(await ask('/sub/abc?format=clash'))).toBe('text/plain; charset=utf-8');
    expect(typeOf(await ask('/sub/abc', { 'user-agent': 'clash-verge/v2' }))).toBe('text/plain; charset=utf-8');
  });

  it('follows ?format= before the path and the app', async () => {
    const { ask } = await start({ subJsonEnable: true });
    const app = { 'user-agent': 'mihomo/1.19' };
    expect(text(await ask('/sub/abc?format=plain', app))).toMatch(/^vless:\/\//);
    expect(Buffer.from(text(await ask('/sub/abc?format=base64', app)), 'base64').toString()).toMatch(/^vless:\/\//);
    expect(JSON.parse(text(await ask('/clash/abc?format=sing-box')))).toMatchObject({ route: { final: 'proxy' } });
    expect(JSON.parse(text(await ask('/sub/abc?format=json')))).toHaveLength(1);
    expect(typeOf(await ask('/sub/abc?format=__proto__'))).toBe('text/plain; charset=utf-8');
  });

  it.each([
    ['clash-verge/v2.0', 'application/yaml; charset=utf-8'],
    ['FlClash/0.8', 'application/yaml; charset=utf-8'],
    ['SFA/1.12 (sing-box)', 'application/json; charset=utf-8'],
    ['HiddifyNext/2.5 (android) like ClashMeta v2ray sing-box', 'application/json; charset=utf-8'],
    ['v2rayNG/1.9', 'text/plain; charset=utf-8'],
    ['Happ/2.0', 'text/plain; charset=utf-8'],
    ['curl/8 clash', 'text/plain; charset=utf-8'],
  ])('is what %s expects', async (userAgent, type) => {
    const { ask } = await start();
    const reply = await ask('/sub/abc', { 'user-agent': userAgent });
    expect(typeOf(reply)).toBe(type);
    expect(reply.headers['vary']).toBe('Accept, User-Agent, Accept-Encoding');
  });

  it('is bare for a single configuration where 3x-ui is asked for', async () => {
    const { ask } = await start({ subJsonEnable: true, apiDialect: '3x-ui' });
    expect(JSON.parse(text(await ask('/json/abc')))).toMatchObject({ remarks: 'home-one' });
  });

  it('is nothing for a stranger, whatever the form', async () => {
    const { ask } = await start({ subJsonEnable: true });
    for (const path of ['/json/nobody', '/clash/nobody', '/sub/nobody?format=sing-box']) {
      const reply = await ask(path);
      expect([reply.status, text(reply)]).toStrictEqual([404, '']);
    }
  });
});

describe('what is unchanged', () => {
  it('is not sent again', async () => {
    const { panel, ask } = await start();
    const first = await ask('/clash/abc');
    const etag = String(first.headers['etag']);
    const again = await ask('/clash/abc', { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, text(again), again.headers['etag']]).toStrictEqual([304, '', etag]);
    expect((await ask('/sub/abc?format=plain', { 'if-none-match': etag })).status).toBe(200);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 1, down: 2 } });
    expect((await ask('/clash/abc', { 'if-none-match': etag })).status).toBe(200);
  });

  it('is sent small to who can read that', async () => {
    const { ask } = await start({ subJsonEnable: true });
    const plain = await ask('/json/abc');
    const small = await ask('/json/abc', { 'accept-encoding': 'br, gzip;q=0.8' });
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(small.body).equals(plain.body)).toBe(true);
    expect((await ask('/json/abc', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
    const head = await ask('/json/abc', {}, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length']]).toStrictEqual([
      200,
      0,
      String(plain.body.length),
    ]);
  });
});
