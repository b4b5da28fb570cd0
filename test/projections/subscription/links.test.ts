import { describe, expect, it } from 'vitest';
import { NodeId } from '../../../src/events/ids.js';
import { linksOf } from '../../../src/projections/subscription/links.js';
import { aClient, aContext, id, inboundOf, paramsOf, pbk, reality, tcp, tls, unused, urlsOf } from './fixtures.js';

const vision = aClient({ spec: { flow: 'xtls-rprx-vision' } });
const grpc = { network: 'grpc', grpcSettings: { serviceName: 's' } };
const ws = { network: 'ws', security: 'none', wsSettings: { path: '/w', host: 'w.test' } };
const xhttp = { network: 'xhttp', security: 'none', xhttpSettings: { path: '/' } };
const pin = 'ab'.repeat(32);

describe('flow', () => {
  const encrypted = { encryption: 'mlkem768x25519plus.native.0rtt.abc' };
  it.each([
    { name: 'tls over tcp', inbound: inboundOf('vless', { ...tcp, ...tls }), flow: vision.spec.flow },
    { name: 'reality over raw', inbound: inboundOf('vless', { ...reality, network: 'raw' }), flow: vision.spec.flow },
    { name: 'no security', inbound: inboundOf('vless', tcp), flow: undefined },
    { name: 'tls over grpc', inbound: inboundOf('vless', { ...grpc, ...tls }), flow: undefined },
    { name: 'tls over xhttp', inbound: inboundOf('vless', { ...xhttp, ...tls }), flow: undefined },
    { name: 'encryption over xhttp', inbound: inboundOf('vless', xhttp, encrypted), flow: vision.spec.flow },
    { name: 'encryption over ws', inbound: inboundOf('vless', ws, encrypted), flow: undefined },
    { name: 'trojan', inbound: inboundOf('trojan', { ...tcp, ...tls }), flow: undefined },
  ])('$name: $flow', ({ inbound, flow }) => {
    expect(paramsOf(inbound, vision)?.['flow']).toBe(flow);
  });
});

describe('the address of a link', () => {
  const named = aContext({ settings: { subDomain: 'sub.example.com' } });
  it.each([
    ['', aContext(), 'panel.example.com'],
    ['', named, 'sub.example.com'],
    ['203.0.113.5', named, '203.0.113.5'],
    ['vpn.example.com', named, 'vpn.example.com'],
    ['0.0.0.0', aContext(), 'panel.example.com'],
    ['::', aContext(), 'panel.example.com'],
    ['::0', aContext(), 'panel.example.com'],
    ['::1', aContext(), 'panel.example.com'],
    ['fe80::1', aContext(), 'panel.example.com'],
    ['::ffff:127.0.0.1', aContext(), 'panel.example.com'],
    ['169.254.1.1', aContext(), 'panel.example.com'],
    ['localhost', aContext(), 'panel.example.com'],
    ['', aContext({ host: '[2001:db8::1]' }), '2001:db8::1'],
    ['', aContext({ host: 'bücher.example' }), 'xn--bcher-kva.example'],
  ])('for an inbound that listens on "%s" can be reached by clients', (listen, context, host) => {
    const inbound = inboundOf('vless', tcp, {}, { listen });
    expect(linksOf(inbound, aClient(), unused, context).map((link) => link.host)).toStrictEqual([host]);
  });

  it.each([
    ['10.1.2.3', 'panel.example.com', 'panel.example.com'],
    ['172.16.0.9', '203.0.113.5', '203.0.113.5'],
    ['192.168.1.5', 'panel.example.com', 'panel.example.com'],
    ['100.64.3.4', 'panel.example.com', 'panel.example.com'],
    ['fd00::2', '[2001:db8::1]', '2001:db8::1'],
    ['::ffff:10.1.2.3', 'panel.example.com', 'panel.example.com'],
    ['100.128.3.4', 'panel.example.com', '100.128.3.4'],
    ['172.32.0.9', 'panel.example.com', '172.32.0.9'],
    ['2001:db8::7', 'panel.example.com', '2001:db8::7'],
    ['192.168.1.5', '192.168.1.1', '192.168.1.5'],
    ['192.168.1.5', '127.0.0.1', '192.168.1.5'],
    ['192.168.1.5', '', '192.168.1.5'],
    ['127.0.0.1', '192.168.1.1', '192.168.1.1'],
    ['', '127.0.0.1', '127.0.0.1'],
  ])('for an inbound that listens on "%s", requested through "%s", is %s', (listen, host, expected) => {
    const inbound = inboundOf('vless', tcp, {}, { listen });
    expect(linksOf(inbound, aClient(), unused, aContext({ host })).map((link) => link.host)).toStrictEqual([expected]);
  });

  it.each([
    ['', 'node.example.com', 'node.example.com'],
    ['10.1.2.3', 'node.example.com', 'node.example.com'],
    ['203.0.113.9', 'node.example.com', 'node.example.com'],
    ['203.0.113.9', '10.0.0.7', '203.0.113.9'],
    ['10.1.2.3', '10.0.0.7', '10.0.0.7'],
    ['', '10.0.0.7', '10.0.0.7'],
    ['203.0.113.9', '', '203.0.113.9'],
  ])('for an inbound that listens on "%s" on the node "%s" is %s', (listen, nodeHost, expected) => {
    const inbound = inboundOf('vless', tcp, {}, { listen, node: NodeId.parse(1) });
    const links = linksOf(inbound, aClient(), unused, aContext({ nodeHost, settings: { subDomain: 'sub.example' } }));
    expect(links.map((link) => link.host)).toStrictEqual([expected]);
  });

  it.each(['@fallback', '/run/x.sock'])('does not exist for the socket %s', (listen) => {
    expect(urlsOf(inboundOf('vless', tcp, {}, { listen }))).toStrictEqual([]);
  });

  it.each(['', 'a b', 'a/b', 'a@b', 'x?y', 'a\nb', '[::g]', 'fe80::1%eth0', 'a／ü'])(
    'does not exist for the host "%s"',
    (host) => {
      expect(urlsOf(inboundOf('vless', tcp), aClient(), aContext({ host }))).toStrictEqual([]);
    },
  );

  it('has no brackets in the JSON of VMess', () => {
    const [link = ''] = urlsOf(inboundOf('vmess', tcp, {}, { listen: '2001:db8::7' }));
    expect(JSON.parse(Buffer.from(link.slice(8), 'base64').toString())).toMatchObject({ add: '2001:db8::7', tls: '' });
  });
});

describe('an external proxy', () => {
  const proxied = (stream: object, ...externalProxy: unknown[]) => inboundOf('vless', { ...stream, externalProxy });
  const proxy = { dest: 'cdn.test', port: 8443, remark: 'CDN' };

  it('adds TLS in front of a plain inbound, with the server name of the transport', () => {
    expect(paramsOf(proxied(ws, { ...proxy, forceTls: 'tls' }))).toStrictEqual({
      type: 'ws',
      path: '/w',
      host: 'w.test',
      security: 'tls',
      sni: 'w.test',
      encryption: 'none',
    });
  });
  it('prefers the values of the entry', () => {
    const own = { sni: 'front.test', alpn: ['h2'], fingerprint: 'firefox', pinnedPeerCertSha256: [pin.toUpperCase()] };
    const expected = { sni: 'front.test', alpn: 'h2', fp: 'firefox', pcs: pin };
    expect(paramsOf(proxied({ ...grpc, ...tls }, { ...proxy, ...own }))).toMatchObject(expected);
    expect(paramsOf(proxied(grpc, { ...proxy, ...own, forceTls: 'tls' }))).toMatchObject(expected);
  });
  it('keeps TLS and flow of a TLS inbound', () => {
    const inbound = proxied({ ...tcp, ...tls }, { ...proxy, forceTls: 'tls' });
    expect(paramsOf(inbound, vision)).toMatchObject({ sni: 'cdn.example.com', fp: 'chrome', flow: 'xtls-rprx-vision' });
  });
  it('removes all TLS values when it disables TLS', () => {
    expect(paramsOf(proxied({ ...tcp, ...tls }, { ...proxy, forceTls: 'none' }), vision)).toStrictEqual({
      type: 'tcp',
      security: 'none',
      encryption: 'none',
    });
  });
  it('skips invalid entries and treats a missing forceTls as same', () => {
    const inbound = proxied(
      tcp,
      null,
      {},
      { dest: 'a b', port: 1 },
      { dest: 'x.test', port: 70_000 },
      { dest: 'x.test', port: '81' },
    );
    expect(urlsOf(inbound)).toStrictEqual([
      `vless://${id}@x.test:81?encryption=none&security=none&type=tcp#DE-1-alice`,
    ]);
  });
  it('shows the remaining usage in the first link only', () => {
    const inbound = proxied(tcp, proxy, proxy);
    const client = aClient({ spec: { capBytes: 2048 } });
    const names = linksOf(inbound, client, { up: 0, down: 0 }, aContext({ showInfo: true })).map((link) => link.name);
    expect(names).toStrictEqual(['DE-1-alice-CDN-2.00KB📊', 'DE-1-alice-CDN']);
  });
  it('cannot disable TLS of Hysteria, and keeps port hopping for the inbound itself', () => {
    const finalmask = { quicParams: { udpHop: { ports: '20000-50000' } } };
    const stream = { ...tls, finalmask, externalProxy: [{ ...proxy, forceTls: 'none' }, proxy] };
    const urls = urlsOf(inboundOf('hysteria2', stream));
    expect(urls).toStrictEqual([
      'hysteria2://letmein@cdn.test:8443/?alpn=h2%2Chttp%2F1.1&sni=cdn.example.com#DE-1-alice-CDN',
    ]);
  });
});

describe('the security of a link', () => {
  const overTls = (network: string, alpn: unknown, externalProxy: unknown[] = []) =>
    inboundOf('trojan', { network, security: 'tls', tlsSettings: { alpn }, externalProxy });

  it.each([
    ['ws', ['h2', 'http/1.1'], 'http/1.1'],
    ['websocket', 'h3,h2,http/1.1', 'http/1.1'],
    ['ws', ['h2'], undefined],
    ['ws', [], undefined],
    ['httpupgrade', ['h2', 'http/1.1'], 'h2,http/1.1'],
    ['grpc', ['h2', 'http/1.1'], 'h2,http/1.1'],
  ])('over %s with the ALPN list %j offers %s', (network, alpn, offered) => {
    expect(paramsOf(overTls(network, alpn))?.['alpn']).toBe(offered);
    const entry = (forceTls: string) => ({ dest: 'cdn.test', port: 443, alpn, forceTls });
    for (const forceTls of ['same', 'tls'])
      expect(paramsOf(overTls(network, ['http/1.1'], [entry(forceTls)]))?.['alpn']).toBe(
        alpn.length === 0 ? 'http/1.1' : offered,
      );
    expect(paramsOf(inboundOf('trojan', { network, externalProxy: [entry('tls')] }))?.['alpn']).toBe(offered);
  });

  it.each([
    ['Chrome', 'chrome', 'chrome'],
    ['hellochrome_120', 'hellochrome_120', 'hellochrome_120'],
    ['unsafe', 'unsafe', 'chrome'],
    ['hellogolang', 'hellogolang', 'chrome'],
    ['hellochrome_121', undefined, 'chrome'],
    ['nobody', undefined, 'chrome'],
    ['__proto__', undefined, 'chrome'],
    ['', undefined, 'chrome'],
  ])('has the fingerprint "%s" in the spelling of the core', (fingerprint, withTls, withReality) => {
    const secure = { security: 'tls', tlsSettings: { settings: { fingerprint } } };
    expect(paramsOf(inboundOf('trojan', { ...tcp, ...secure }))?.['fp']).toBe(withTls);
    const settings = { ...reality.realitySettings.settings, fingerprint };
    const hidden = { security: 'reality', realitySettings: { ...reality.realitySettings, settings } };
    expect(paramsOf(inboundOf('trojan', { ...tcp, ...hidden }))?.['fp']).toBe(withReality);
    const externalProxy = [{ dest: 'cdn.test', port: 443, fingerprint }];
    expect(paramsOf(inboundOf('trojan', { ...tcp, ...tls, externalProxy }))?.['fp']).toBe(withTls ?? 'chrome');
  });

  it('has pins in lower-case hex, from arrays, lists and base64', () => {
    const base64 = Buffer.from(pin, 'hex').toString('base64');
    const pinned = (pinnedPeerCertSha256: unknown) =>
      paramsOf(inboundOf('trojan', { ...tcp, security: 'tls', tlsSettings: { settings: { pinnedPeerCertSha256 } } }))?.[
        'pcs'
      ];
    expect(pinned([pin.toUpperCase(), base64])).toBe(`${pin},${pin}`);
    expect(pinned(`${pin},x`)).toBe(pin);
    expect(pinned(['x'])).toBeUndefined();
  });
  it('derives a missing public key, and has no link without one', () => {
    const { settings: _, ...realitySettings } = reality.realitySettings;
    const inbound = inboundOf('vless', { ...tcp, security: 'reality', realitySettings });
    expect(urlsOf(inbound)).toStrictEqual([]);
    const params = paramsOf(inbound, aClient(), aContext({ publicKeyOf: (key) => `public-of-${key.length}` }));
    expect(params).toMatchObject({ pbk: 'public-of-4', fp: 'chrome', spx: '/85fb5a20dfa966a' });
  });
  it('omits an empty short id and includes the post-quantum key', () => {
    const settings = { ...reality.realitySettings.settings, mldsa65Verify: 'PQV' };
    const inbound = inboundOf('vless', {
      ...tcp,
      ...reality,
      realitySettings: { ...reality.realitySettings, shortIds: ['', 'ab'], settings },
    });
    expect(paramsOf(inbound)).toStrictEqual({
      encryption: 'none',
      fp: 'chrome',
      pbk,
      pqv: 'PQV',
      security: 'reality',
      sni: 'www.microsoft.com',
      spx: '/85fb5a20dfa966a',
      type: 'tcp',
    });
  });
  it('has no link for an unknown type', () => {
    expect(urlsOf(inboundOf('vless', { ...tcp, security: 'xtls' }))).toStrictEqual([]);
  });
});

describe('the name of a link', () => {
  const nameOf = (remarkModel: string, remark: string, parts: Parameters<typeof aClient>[0] = {}) =>
    linksOf(
      inboundOf('vless', tcp, {}, { remark }),
      aClient(parts),
      unused,
      aContext({ showInfo: true, settings: { remarkModel } }),
    )[0]?.name;

  it.each([
    ['-ieo', 'DE-1', 'DE-1-alice'],
    ['_oei', 'DE-1', 'alice_DE-1'],
    ['', 'DE-1', 'DE-1-alice'],
    ['·ie', 'DE', 'DE·alice'],
    ['-i', 'a\r\nb\u2028\u0085%', 'ab％'],
    ['-i', ' \t', 'vless-443'],
    ['-', 'DE-1', 'vless-443'],
  ])('for model "%s", remark "%s"', (model, remark, name) => {
    expect(nameOf(model, remark)).toBe(name);
  });

  it('marks a client that may not connect, without its usage', () => {
    const spec = { capBytes: 10 };
    expect(nameOf('-ie', 'DE', { spec: { ...spec, enabled: false } })).toBe('⛔️N/A-DE-alice');
    expect(nameOf('-ie', 'DE', { spec, depletion: { reason: 'expiry', expiresAt: 1 } })).toBe('⛔️N/A-DE-alice');
  });

  it.each([
    [(3 * 24 + 4) * 3_600_000, '3D,4H⏳'],
    [3 * 86_400_000, '3D⏳'],
    [5 * 3_600_000, '5H⏳'],
    [12 * 60_000, '12M⏳'],
    [-30 * 60_000, '30M⏳'],
  ])('contains the rest of a term of %d ms', (expiresAt, rest) => {
    expect(nameOf('-e', '', { spec: { expiresAt } })).toBe(`alice-${rest}`);
  });
});

it('a client whose credential is destroyed has no links', () => {
  const erased = aClient({ credential: { id: '', password: '', auth: '' } });
  const all = (['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria2'] as const).map((protocol) =>
    urlsOf(inboundOf(protocol, { ...tcp, ...tls }, { method: 'aes-256-gcm' }), erased),
  );
  expect(all.flat()).toStrictEqual([]);
});
