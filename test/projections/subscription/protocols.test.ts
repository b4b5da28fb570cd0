import { describe, expect, it } from 'vitest';
import { xrayOutbound } from '../../../src/projections/subscription/formats/xray.js';
import { linksOf } from '../../../src/projections/subscription/links.js';
import { aClient, aContext, inboundOf, paramsOf, reality, tcp, tls, unused, urlsOf } from './fixtures.js';

const grpc = { network: 'grpc', grpcSettings: { serviceName: 's' } };
const ws = { network: 'ws', security: 'none', wsSettings: { path: '/w', host: 'w.test' } };
const xhttp = { network: 'xhttp', security: 'none', xhttpSettings: { path: '/' } };

describe('links', () => {
  it.each(['http', 'h2', 'quic', 'hysteria'])('omit %s', (network) => {
    expect(urlsOf(inboundOf('vless', { network }))).toStrictEqual([]);
  });
  it.each(['kcp', 'ws', 'httpupgrade'])('omit REALITY over %s, which no core supports', (network) => {
    expect(urlsOf(inboundOf('vless', { network, ...reality }))).toStrictEqual([]);
  });
  it.each([
    ['/u?ed=2560', '/u'],
    ['/u?x=1&ed=2560', '/u?x=1'],
    ['?ed=2560', undefined],
    ['/u?red=1', '/u?red=1'],
    ['/u', '/u'],
  ])('omit early data over HTTPUpgrade, which the core would lose: %s', (path, said) => {
    const stream = { network: 'httpupgrade', httpupgradeSettings: { path } };
    expect(paramsOf(inboundOf('vless', stream))?.['path']).toBe(said);
    const [link] = linksOf(inboundOf('vless', stream), aClient(), unused, aContext());
    expect(link && xrayOutbound(link)).toMatchObject({
      streamSettings: { httpupgradeSettings: { path: said ?? '/' } },
    });
    expect(paramsOf(inboundOf('vless', { network: 'ws', wsSettings: { path } }))?.['path']).toBe(path);
  });
  it('omit a flow that the core drops', () => {
    const client = aClient({ spec: { flow: 'xtls-rprx-direct' } });
    expect(paramsOf(inboundOf('vless', { ...tcp, ...tls }), client)).not.toHaveProperty('flow');
  });
  it('treat a missing stream as plain TCP', () => {
    expect(paramsOf(inboundOf('trojan', null))).toStrictEqual({ type: 'tcp', security: 'none' });
  });
  it('contain the first host and path of an HTTP header', () => {
    const request = { path: ['/a', '/b'], headers: { host: ['a.test', 'b.test'] } };
    const stream = { network: 'tcp', tcpSettings: { header: { type: 'http', request } } };
    expect(paramsOf(inboundOf('trojan', stream))).toMatchObject({ headerType: 'http', path: '/a', host: 'a.test' });
  });
  it('keep masks that the core knows', () => {
    const udp = [
      { type: 'mkcp-legacy', settings: { header: 'wechat', value: '' } },
      { type: 'mkcp-legacy', settings: { header: '', value: 's d' } },
      { type: 'gone' },
    ];
    expect(paramsOf(inboundOf('trojan', { network: 'kcp', finalmask: { udp } }))).toMatchObject({
      headerType: 'wechat-video',
      seed: 's d',
      fm: '{"udp":[{"settings":{"header":"wechat"},"type":"mkcp-legacy"},{"settings":{"value":"s d"},"type":"mkcp-legacy"}]}',
    });
  });
  it('convert the masks of older cores into header and seed', () => {
    const udp = [{ type: 'header-srtp' }, { type: 'mkcp-aes128gcm', settings: { password: 's33d' } }];
    const [link = ''] = urlsOf(inboundOf('vmess', { network: 'kcp', finalmask: { udp } }));
    expect(JSON.parse(Buffer.from(link.slice(8), 'base64').toString())).toMatchObject({ type: 'srtp', path: 's33d' });
  });
  it('contain the session of XHTTP under the old and the new names, whichever are stored', () => {
    const session = { sessionPlacement: 'header', sessionKey: 'S', sessionIDPlacement: 'header', sessionIDKey: 'S' };
    const stored = [
      { sessionPlacement: 'header', sessionKey: 'S' },
      { sessionIDPlacement: 'header', sessionIDKey: 'S' },
    ];
    for (const xhttpSettings of [...stored, ...stored.map((extra) => ({ path: '/', extra }))]) {
      const extra = paramsOf(inboundOf('vless', { network: 'xhttp', xhttpSettings }))?.['extra'] ?? '';
      expect(JSON.parse(extra)).toStrictEqual(session);
    }
  });
  it('remove server-side members from the extra of XHTTP', () => {
    const xhttpSettings = {
      path: '/x',
      mode: 'packet-up',
      headers: { Host: 'no.test', 'X-A': 'a b' },
      xPaddingObfsMode: true,
      xPaddingKey: 'k',
      scMaxEachPostBytes: 1_000_000,
      scMinPostsIntervalMs: '40',
      scMaxBufferedPosts: 30,
      noGRPCHeader: false,
      xmux: { maxConcurrency: '16-32' },
      downloadSettings: {
        address: 'd.test',
        tlsSettings: { certificates: [{ key: ['K'] }] },
        realitySettings: { privateKey: 'P' },
      },
    };
    const params = paramsOf(inboundOf('vless', { network: 'splithttp', xhttpSettings }));
    expect(params).toMatchObject({ type: 'xhttp', mode: 'packet-up', host: 'no.test' });
    expect(JSON.parse(params?.['extra'] ?? '')).toStrictEqual({
      mode: 'packet-up',
      headers: { 'X-A': 'a b' },
      xPaddingObfsMode: true,
      xPaddingKey: 'k',
      scMinPostsIntervalMs: '40',
      xmux: { maxConcurrency: '16-32' },
      downloadSettings: { address: 'd.test' },
    });
  });
});

describe('a VMess link', () => {
  it.each(['none', 'zero', ''])('has the cipher auto for "%s"', (security) => {
    expect(linksOf(inboundOf('vmess', tcp), aClient({ spec: { security } }), unused, aContext())).toMatchObject([
      { method: 'auto' },
    ]);
  });
  it('omits REALITY', () => {
    expect(urlsOf(inboundOf('vmess', { ...tcp, ...reality }))).toStrictEqual([]);
  });
  it('has the mode of XHTTP as its type', () => {
    const [link = ''] = urlsOf(inboundOf('vmess', { network: 'xhttp', xhttpSettings: { mode: 'stream-up' } }));
    expect(JSON.parse(Buffer.from(link.slice(8), 'base64').toString())).toMatchObject({
      net: 'xhttp',
      type: 'stream-up',
    });
  });
});

describe('a Shadowsocks link', () => {
  const classic = { method: 'aes-256-gcm' };
  const user = Buffer.from('aes-256-gcm:p?>~').toString('base64url');
  const client = aClient({ credential: { password: 'p?>~' } });

  it('has a classic user in base64url without padding', () => {
    expect(urlsOf(inboundOf('shadowsocks', null, classic), client)).toStrictEqual([
      `ss://${user}@panel.example.com:443#DE-1-alice`,
    ]);
  });
  it('prefers the cipher of the client', () => {
    const own = aClient({ spec: { method: 'chacha20-ietf-poly1305' } });
    expect(linksOf(inboundOf('shadowsocks', null, classic), own, unused, aContext())).toMatchObject([
      { method: 'chacha20-ietf-poly1305' },
    ]);
  });
  it('has WebSocket as a plugin', () => {
    const stream = { ...ws, ...tls, wsSettings: { path: '/a=b;c' } };
    const [url = ''] = urlsOf(inboundOf('shadowsocks', stream, classic), client);
    expect(new URL(url).searchParams.get('plugin')).toBe(
      'v2ray-plugin;mode=websocket;host=cdn.example.com;path=/a\\=b\\;c;tls;mux=0',
    );
  });
  it('has an HTTP header as a plugin', () => {
    const request = { path: ['/'], headers: { Host: 'o.test' } };
    const stream = { network: 'tcp', tcpSettings: { header: { type: 'http', request } } };
    const [url = ''] = urlsOf(inboundOf('shadowsocks', stream, classic), client);
    expect(new URL(url).searchParams.get('plugin')).toBe('obfs-local;obfs=http;obfs-host=o.test');
  });
  it.each([
    ['grpc', grpc],
    ['kcp', { network: 'kcp' }],
    ['xhttp', xhttp],
    ['tcp with TLS', { ...tcp, ...tls }],
    ['tcp with REALITY', { ...tcp, ...reality }],
    ['a mask', { ...tcp, finalmask: { tcp: [{ type: 'fragment', settings: { length: '1-2' } }] } }],
  ])('omits %s', (_, stream) => {
    expect(urlsOf(inboundOf('shadowsocks', stream, classic), client)).toStrictEqual([]);
  });
});
