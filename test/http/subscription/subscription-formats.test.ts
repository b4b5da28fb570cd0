import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startPanel } from '../kit/panel.js';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const id = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';

/** A panel with one vless client under `abc`, and the way to ask its subscription server. */
async function start(
  settings: Readonly<Record<string, unknown>> = {},
  protocol = 'vless',
  stream: object = { network: 'ws', security: 'none', wsSettings: { path: '/p' } },
) {
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
  const own = protocol === 'shadowsocks' ? { method: 'aes-128-gcm' } : { decryption: 'none' };
  const added = await panel.call('POST', '/panel/api/inbounds/add', {
    headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' },
    body: JSON.stringify({
      enable: true,
      remark: 'home',
      port: 4433,
      protocol,
      settings: JSON.stringify({ clients: [client], ...own }),
      streamSettings: JSON.stringify(stream),
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

describe('the format of a subscription', () => {
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

  it('is at the configured path, and at no disabled path', async () => {
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

  const YAML = 'application/yaml; charset=utf-8';
  const JSON_TYPE = 'application/json; charset=utf-8';
  const LINKS = 'text/plain; charset=utf-8';

  it.each([
    [
      YAML,
      'clash-verge/v2.0|Clash-Verge/1|clash-meta/1|Clash.Meta/1.18|ClashMeta/2|clash.meta|FlClash/0.8|flclash|FLClash',
    ],
    [YAML, 'mihomo/1.19.30|Mihomo|ClashX Meta/1|clash-nyanpasu/2|Clash/1.0|ClashForAndroid/2.5|clash|Stash/2.4|stash'],
    [YAML, 'flowvy/1|murge/1|prizrak-box/1|koala-clash/1'],
    [JSON_TYPE, 'SFA/1.12 (sing-box)|SFI/1.11|SFM/1|SFT/1|sfa|Karing/1.1|karing|singbox/1|sing-box 1.12'],
    [JSON_TYPE, 'HiddifyNext/2.5 (android) like ClashMeta v2ray sing-box|hiddifynext/1'],
    [LINKS, 'v2rayN/6.23|v2rayN/7.10|v2rayNG/1.9|v2rayNG/1.8.18|Happ/2.0|Happ/1.63.1|Streisand|Shadowrocket/1'],
    [LINKS, 'SSR|SSD|Outline/1|Shadowsocks/5|SSconf|curl/8 clash|Mozilla/5.0 like ClashMeta|Dalvik sing-box|'],
  ])('is %s for %s', async (type, apps) => {
    const { ask } = await start({ subJsonEnable: true });
    for (const app of apps.split('|')) {
      const reply = await ask('/sub/abc', { 'user-agent': app });
      expect([app, typeOf(reply)]).toStrictEqual([app, type]);
      expect(reply.headers['vary']).toBe('Accept, User-Agent, Accept-Encoding');
    }
  });

  it('has the same links on every route', async () => {
    const { panel, ask } = await start({ subShowInfo: false, subDomain: 'sub.example' });
    const asked = async (path: string) => {
      const headers = { authorization: 'Bearer secret-token' };
      const { json } = await panel.call('GET', `/panel/api/inbounds${path}`, { headers });
      return (json as { obj: string[] }).obj;
    };
    const body = text(await ask('/sub/abc?format=plain')).split('\n');
    expect(body).toStrictEqual([expect.stringMatching(/^vless:.*@sub\.example:4433\?.*#home-one$/), '']);
    expect(Buffer.from(text(await ask('/sub/abc')), 'base64').toString()).toBe(body.join('\n'));
    expect([...(await asked('/getSubLinks/abc')), '']).toStrictEqual(body);
    expect([...(await asked('/getClientLinks/1/one')), '']).toStrictEqual(body);
  });

  it('is a bare object for a single configuration in the dialect of 3x-ui', async () => {
    const { ask } = await start({ subJsonEnable: true, apiDialect: '3x-ui' });
    expect(JSON.parse(text(await ask('/json/abc')))).toMatchObject({ remarks: 'home-one' });
  });

  it('is not found for an unknown subId, whatever the format', async () => {
    const { ask } = await start({ subJsonEnable: true });
    for (const path of ['/json/nobody', '/clash/nobody', '/sub/nobody?format=sing-box']) {
      const reply = await ask(path);
      expect([reply.status, text(reply)]).toStrictEqual([404, '']);
    }
  });
});

const KCP = { network: 'kcp', security: 'none', kcpSettings: {} };
const XHTTP_REALITY = {
  network: 'xhttp',
  security: 'reality',
  xhttpSettings: { path: '/x', mode: 'auto' },
  realitySettings: {
    dest: 'example.com:443',
    serverNames: ['example.com'],
    privateKey: 'yPdkJnKZ2Lqy3Xl6c8h0s3Sm3mW5Ww5v9b6sE0sE6VA',
    shortIds: ['ab'],
    settings: { publicKey: 'jB1mCx2wqk6Ff0O2k0iJqzJYxg1sWmYwFQb7g6P0Ulc', fingerprint: 'chrome' },
  },
};

describe('a format that supports none of the links', () => {
  const linksIn = (reply: Reply) => Buffer.from(text(reply), 'base64').toString();

  it.each([
    ['HiddifyNext/2.5 (android) like ClashMeta v2ray sing-box', XHTTP_REALITY],
    ['Karing/1.1', XHTTP_REALITY],
    ['SFA/1.12 (sing-box)', KCP],
    ['clash-verge/v2.0', KCP],
  ])('is not guessed: %s gets the links', async (app, stream) => {
    const { ask } = await start({}, 'vless', stream);
    const reply = await ask('/sub/abc', { 'user-agent': app });
    expect([reply.status, typeOf(reply)]).toStrictEqual([200, 'text/plain; charset=utf-8']);
    expect(linksIn(reply)).toMatch(/^vless:\/\/.*#home-one\n$/);
    expect(reply.headers['subscription-userinfo']).toBe('upload=0; download=0; total=0; expire=0');
  });

  it('is valid and empty on request, also for an app that gets links by default, and is no miss', async () => {
    const { ask } = await start({ subJsonEnable: true }, 'vless', KCP);
    const app = { 'user-agent': 'clash-verge/v2.0' };
    for (let i = 0; i < 35; i += 1) {
      const clash = await ask('/clash/abc', app);
      expect(parse(text(clash))).toMatchObject({
        ...{ proxies: [], 'proxy-groups': [{ name: 'PROXY', proxies: ['REJECT'] }], rules: ['MATCH,PROXY'] },
      });
      expect(text(clash)).toContain('# "home-one" is left out: Mihomo does not support');
      expect(linksIn(await ask('/sub/abc', app))).toMatch(/^vless:/);
      const profile = JSON.parse(text(await ask('/sub/abc?format=sing-box', app))) as { route: { rules: object[] } };
      expect(profile).toMatchObject({ outbounds: [{ type: 'direct', tag: 'direct' }] });
      expect(profile.route.rules.at(-1)).toStrictEqual({ action: 'reject' });
    }
    expect((await ask('/sub/nobody')).status).toBe(404);
    expect(JSON.parse(text(await ask('/json/abc')))).toHaveLength(1);
  });
});

const REALITY = { ...XHTTP_REALITY, network: 'tcp' };
const GRPC = { network: 'grpc', security: 'none', grpcSettings: { serviceName: 's' } };

describe('a client without a share link', () => {
  it.each([
    ['vmess', REALITY, 'vmess'],
    ['shadowsocks', GRPC, 'shadowsocks'],
  ])('with %s is included for apps of its core', async (protocol, stream, outbound) => {
    const { panel, ask } = await start({ subJsonEnable: true }, protocol, stream);
    expect(text(await ask('/sub/abc'))).toBe('');
    const headers = { authorization: 'Bearer secret-token' };
    for (const path of ['/getSubLinks/abc', '/getClientLinks/1/one'])
      expect((await panel.call('GET', `/panel/api/inbounds${path}`, { headers })).json).toMatchObject({ obj: [] });
    expect(JSON.parse(text(await ask('/json/abc')))).toMatchObject([
      { remarks: 'home-one', outbounds: [{ protocol: outbound }, {}, {}] },
    ]);
  });

  it('is in the Clash format, or named there with the reason', async () => {
    const vmess = await start({}, 'vmess', REALITY);
    expect(parse(text(await vmess.ask('/clash/abc')))).toMatchObject({ proxies: [{ type: 'vmess', tls: true }] });
    const shadowsocks = await start({}, 'shadowsocks', GRPC);
    expect(text(await shadowsocks.ask('/clash/abc'))).toContain(
      '# "home-one" is left out: Mihomo does not support grpc of ss.',
    );
  });
});

describe('the page', () => {
  const buttons = async (...given: Parameters<typeof start>) => {
    const { ask } = await start(...given);
    const page = text(await ask('/sub/abc?html=1'));
    return { page, apps: [...page.matchAll(/<a href="([\w-]+):\/\//g)].map(([, app]) => app) };
  };
  const LINKS = ['happ', 'hiddify', 'v2rayng', 'v2box', 'streisand', 'shadowrocket'];
  const CLASH = ['flclash', 'clash', 'stash'];

  it('offers only apps that support a link', async () => {
    expect((await buttons({})).apps).toStrictEqual([...LINKS, 'sing-box', ...CLASH]);
    expect((await buttons({}, 'vless', XHTTP_REALITY)).apps).toStrictEqual([...LINKS, ...CLASH]);
    const onlyLinks = await buttons({}, 'vless', KCP);
    expect(onlyLinks.apps).toStrictEqual(LINKS);
    expect(onlyLinks.page).not.toContain('/clash/abc');
    expect((await buttons({}, 'vmess', REALITY)).apps).toStrictEqual(['sing-box', ...CLASH]);
    const nothing = await buttons({}, 'shadowsocks', GRPC);
    expect(nothing.apps).toStrictEqual([]);
    expect(nothing.page).not.toContain('Open in an app');
  });

  it('is small with a post-quantum key, which its QR code omits', async () => {
    const settings = { ...REALITY.realitySettings.settings, mldsa65Verify: 'k'.repeat(2603) };
    const stream = { ...REALITY, realitySettings: { ...REALITY.realitySettings, settings } };
    const { ask } = await start({}, 'vless', stream);
    for (const path of ['/sub/abc?html=1', '/sub/abc?html=1&code=1']) {
      const page = text(await ask(path));
      expect(page).toContain(`pqv=${'k'.repeat(2603)}`);
      expect(page.match(/<svg/g)).toHaveLength(2);
      expect(page).toContain('Without the post-quantum key');
      expect(Buffer.byteLength(page)).toBeLessThan(20_000);
    }
  });

  it.each([
    ['text/html', true],
    ['application/xhtml+xml, Text/HTML ;q=0.5', true],
    ['text/html;q=0.001', true],
    ['text/html;q=0', false],
    ['text/html;level=1; Q=0.000, */*', false],
    ['text/html;q=0, text/plain', false],
    ['text/html5', false],
    ['*/*', false],
  ])('is sent if HTML is accepted: Accept: %s', async (accept, isPage) => {
    const { ask } = await start();
    expect(typeOf(await ask('/sub/abc', { accept }))).toBe(`text/${isPage ? 'html' : 'plain'}; charset=utf-8`);
  });
});

describe('an unchanged subscription', () => {
  it('is not sent again', async () => {
    const { panel, ask } = await start();
    const first = await ask('/clash/abc');
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^W\/"[\w-]{22}(\.[0-9a-z]+){4}"$/);
    const again = await ask('/clash/abc', { 'if-none-match': `"other", ${etag.slice(2)}` });
    expect([again.status, text(again), again.headers['etag']]).toStrictEqual([304, '', etag]);
    expect((await ask('/sub/abc?format=plain', { 'if-none-match': etag })).status).toBe(200);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'one', up: 1, down: 2 } });
    expect((await ask('/clash/abc', { 'if-none-match': etag })).status).toBe(200);
  });

  it('is not sent again as a page either, for each language', async () => {
    const { ask } = await start();
    const page = await ask('/sub/abc?html=1', { 'accept-language': 'fa' });
    expect(page.headers).toMatchObject({
      'content-language': 'fa',
      vary: 'Accept, User-Agent, Accept-Encoding, Accept-Language, Cookie',
      'cache-control': 'no-store',
    });
    expect(text(page)).toMatch(/<html[^>]* lang="fa".*[\u0600-\u06ff]{3}/su);
    expect(page.headers['content-length']).toBe(String(page.body.length));
    const etag = String(page.headers['etag']);
    const again = await ask('/sub/abc?html=1', { cookie: 'lang=fa-IR', 'if-none-match': etag });
    expect([again.status, text(again)]).toStrictEqual([304, '']);
    for (const [path, headers] of [
      ['/sub/abc?html=1&lang=ru', { 'accept-language': 'fa' }],
      ['/sub/abc?html=1', { 'accept-language': 'fa', host: 'other.example' }],
      ['/sub/abc', { 'accept-language': 'fa' }],
    ] as const) {
      expect((await ask(path, { ...headers, 'if-none-match': etag })).status, path).toBe(200);
    }
    const head = await ask('/sub/abc?html=1', { 'accept-language': 'fa' }, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length']]).toStrictEqual([
      200,
      0,
      String(page.body.length),
    ]);
    const small = await ask('/sub/abc?html=1', { 'accept-language': 'fa', 'accept-encoding': 'gzip' });
    expect(gunzipSync(small.body).equals(page.body)).toBe(true);
  });

  it('is compressed if the client accepts it', async () => {
    const domain = Array.from({ length: 50 }, (_, n) => `domain:n${n}.example.com`);
    const rules = JSON.stringify([{ type: 'field', outboundTag: 'direct', domain }]);
    const { ask } = await start({ subJsonEnable: true, subJsonRules: rules });
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
