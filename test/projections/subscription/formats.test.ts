import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { message } from '../../../src/messages/message.js';
import { clashDocument, emptyClashDocument } from '../../../src/projections/subscription/formats/clash.js';
import { clashProxy } from '../../../src/projections/subscription/formats/clash-proxy.js';
import { renderLinks } from '../../../src/projections/subscription/formats/render.js';
import { partition } from '../../../src/projections/subscription/formats/shared.js';
import { singBoxProfile } from '../../../src/projections/subscription/formats/sing-box.js';
import { singBoxOutbound } from '../../../src/projections/subscription/formats/sing-box-outbound.js';
import { xrayConfigs, xrayOutbound } from '../../../src/projections/subscription/formats/xray.js';
import { hasUrl, linksOf, linkUrls, type ShareLink } from '../../../src/projections/subscription/links.js';
import { aClient, aContext, id, inboundOf, pbk, reality, tcp, tls, unused } from './fixtures.js';
import { filled, hostile } from './hostile.js';

const plainExtras = { subJsonFragment: '', subJsonNoises: '', subJsonMux: '', subJsonRules: '' };

function linkOf(...[protocol, stream, settings, parts]: Parameters<typeof inboundOf>): ShareLink {
  const client = aClient({ spec: { flow: 'xtls-rprx-vision' } });
  const [link] = linksOf(inboundOf(protocol, stream, settings, parts), client, unused, aContext());
  if (!link) throw new Error('no link');
  return link;
}

const vision = linkOf('vless', { network: 'tcp', ...reality });
const webSocket = linkOf('vmess', {
  network: 'ws',
  ...tls,
  wsSettings: { path: '/ws?ed=2048&x=1', host: 'h.example' },
});
const upgrade = linkOf('trojan', {
  network: 'httpupgrade',
  ...tls,
  httpupgradeSettings: { path: '/up', host: 'u.example' },
});
const xhttp = linkOf('vless', {
  network: 'xhttp',
  ...tls,
  xhttpSettings: { path: '/x', host: 'x.example', mode: 'packet-up', xPaddingBytes: '100-200', noSSEHeader: true },
});
const kcp = linkOf('vless', {
  network: 'kcp',
  finalmask: { udp: [{ type: 'mkcp-legacy', settings: { header: 'dns' } }] },
});
const shadowsocks = linkOf('shadowsocks', tcp, { method: '2022-blake3-aes-256-gcm', password: 'c2VydmVy' });
const hysteria = linkOf('hysteria2', {
  network: 'hysteria',
  ...tls,
  finalmask: {
    udp: [{ type: 'salamander', settings: { password: 'obfs pw' } }],
    quicParams: { udpHop: { ports: '20000-50000,443', interval: 30 } },
  },
});

describe('the outbound of Xray', () => {
  it('contains REALITY with Vision', () => {
    expect(xrayOutbound(vision)).toMatchObject({
      protocol: 'vless',
      settings: {
        vnext: [
          {
            address: 'panel.example.com',
            port: 443,
            users: [{ id, encryption: 'none', flow: 'xtls-rprx-vision', level: 8 }],
          },
        ],
      },
      streamSettings: {
        network: 'tcp',
        security: 'reality',
        realitySettings: { serverName: 'www.microsoft.com', publicKey: pbk, shortId: '6ba85179e30d4fc2' },
      },
    });
  });

  it('contains masks, extras of XHTTP and the obfuscation of Hysteria', () => {
    expect(xrayOutbound(kcp)['streamSettings']).toMatchObject({
      network: 'kcp',
      finalmask: { udp: [{ type: 'mkcp-legacy', settings: { header: 'dns' } }] },
    });
    expect(xrayOutbound(xhttp)['streamSettings']).toMatchObject({
      xhttpSettings: { path: '/x', host: 'x.example', mode: 'packet-up', extra: { xPaddingBytes: '100-200' } },
    });
    expect(JSON.stringify(xrayOutbound(xhttp))).not.toContain('noSSEHeader');
    expect(xrayOutbound(hysteria)).toMatchObject({
      protocol: 'hysteria',
      settings: { version: 2, address: 'panel.example.com', port: 443 },
      streamSettings: {
        hysteriaSettings: { version: 2, auth: 'letmein' },
        finalmask: {
          udp: [{ type: 'salamander', settings: { password: 'obfs pw' } }],
          quicParams: { udpHop: { ports: '20000-50000,443' } },
        },
      },
    });
  });
});

describe('configurations of Xray', () => {
  it('exist for each link, with its name', () => {
    const configs = xrayConfigs([vision, webSocket], plainExtras);
    expect(configs.map(({ remarks }) => remarks)).toStrictEqual([vision.name, webSocket.name]);
    expect(configs.every((config) => JSON.stringify(config['inbounds']).includes('127.0.0.1'))).toBe(true);
  });

  it('contain the additions of the admin, and no multiplexing with Vision', () => {
    const [first, second] = xrayConfigs([vision, webSocket], {
      subJsonFragment: '{"packets":"tlshello"}',
      subJsonNoises: '[{"type":"rand"}]',
      subJsonMux: '{"enabled":true}',
      subJsonRules: '[{"type":"field","outboundTag":"direct","domain":["x.example"]}]',
    }) as [Record<string, unknown>, Record<string, unknown>];
    const outbounds = first['outbounds'] as Record<string, unknown>[];
    expect(outbounds.at(-1)).toStrictEqual({
      tag: 'direct_out',
      protocol: 'freedom',
      settings: { domainStrategy: 'UseIP', fragment: { packets: 'tlshello' }, noises: [{ type: 'rand' }] },
    });
    expect(outbounds[0]).toMatchObject({ streamSettings: { sockopt: { dialerProxy: 'direct_out' } } });
    expect(outbounds[0]).not.toHaveProperty('mux');
    expect((second['outbounds'] as object[])[0]).toMatchObject({ mux: { enabled: true } });
    expect(first['routing']).toMatchObject({ rules: [{ outboundTag: 'direct' }, { outboundTag: 'proxy' }] });
  });
});

describe('the proxy of Mihomo', () => {
  it('has the names of Mihomo', () => {
    expect(clashProxy(vision)).toStrictEqual({
      name: 'DE-1-alice',
      type: 'vless',
      server: 'panel.example.com',
      port: 443,
      udp: true,
      uuid: id,
      flow: 'xtls-rprx-vision',
      'packet-encoding': 'xudp',
      tls: true,
      servername: 'www.microsoft.com',
      'client-fingerprint': 'chrome',
      'reality-opts': { 'public-key': pbk, 'short-id': '6ba85179e30d4fc2' },
      network: 'tcp',
    });
    expect(clashProxy(webSocket)).toMatchObject({
      network: 'ws',
      'ws-opts': {
        path: '/ws?x=1',
        headers: { Host: 'h.example' },
        'max-early-data': 2048,
        'early-data-header-name': 'Sec-WebSocket-Protocol',
      },
    });
    expect(clashProxy(upgrade)).toMatchObject({
      type: 'trojan',
      sni: 'cdn.example.com',
      network: 'ws',
      'ws-opts': { path: '/up', headers: { Host: 'u.example' }, 'v2ray-http-upgrade': true },
    });
    expect(clashProxy(xhttp)).toMatchObject({
      network: 'xhttp',
      'xhttp-opts': { path: '/x', host: 'x.example', mode: 'packet-up', 'x-padding-bytes': '100-200' },
    });
    expect(clashProxy(hysteria)).toMatchObject({
      type: 'hysteria2',
      password: 'letmein',
      ports: '20000-50000,443',
      obfs: 'salamander',
      'obfs-password': 'obfs pw',
      sni: 'cdn.example.com',
    });
  });

  it('is omitted if Mihomo does not support it, and the document is empty without any', () => {
    expect(clashProxy(kcp)).toStrictEqual(
      message('subscription.notSupportedForProtocol', { app: 'Mihomo', feature: 'kcp', protocol: 'vless' }),
    );
    expect(clashProxy(linkOf('trojan', tcp))).toStrictEqual(
      message('subscription.trojanWithoutTls', { app: 'Mihomo' }),
    );
    expect(clashDocument([kcp])).toBeNull();
    expect(emptyClashDocument([kcp])).toMatch(
      /^proxies: \[\]\n[^]*\n# "DE-1-alice" is left out: Mihomo does not support kcp of vless\.\n$/,
    );
    expect(clashDocument([kcp, vision])).toContain(id);
    expect(clashDocument([kcp, vision])).toMatch(
      /\n# "DE-1-alice" is left out: Mihomo does not support kcp of vless\.\n$/,
    );
  });
});

describe('a client without a URL', () => {
  const secret = linkOf('vmess', { network: 'tcp', ...reality });
  const covered = linkOf('shadowsocks', { ...tcp, ...tls }, { method: 'aes-256-gcm' }, { remark: 'SS' });
  const nowhere = linkOf('vless', { network: 'ws', ...reality }, {}, { remark: 'WS' });
  const all = [secret, covered, nowhere];

  it('is missing from the links, and the next link shows the remaining usage', () => {
    expect(linkUrls(all)).toStrictEqual([]);
    const settings = { ...plainExtras, subEncrypt: false, apiDialect: 'spec' } as const;
    expect(renderLinks(all, 'links', settings)).toMatchObject({ body: '', isEmpty: true });
    const externalProxy = [
      { dest: 'a.test', port: 1, forceTls: 'same' },
      { dest: 'b.test', port: 2, forceTls: 'none' },
    ];
    const inbound = inboundOf('vmess', { network: 'tcp', ...reality, externalProxy });
    const client = aClient({ spec: { capBytes: 2048 } });
    const names = linksOf(inbound, client, unused, aContext({ showInfo: true }))
      .filter(hasUrl)
      .map(({ name }) => name);
    expect(names).toStrictEqual(['DE-1-alice-2.00KB📊']);
  });

  it('is included for Xray', () => {
    expect(xrayConfigs(all, plainExtras).map(({ remarks }) => remarks)).toStrictEqual([secret.name, covered.name]);
    expect(xrayOutbound(secret)).toMatchObject({
      protocol: 'vmess',
      streamSettings: { security: 'reality', realitySettings: { publicKey: pbk, shortId: '6ba85179e30d4fc2' } },
    });
    expect(xrayOutbound(covered)).toMatchObject({
      protocol: 'shadowsocks',
      streamSettings: { security: 'tls', tlsSettings: { serverName: 'cdn.example.com' } },
    });
  });

  it('is included for Mihomo and sing-box, or omitted with a reason', () => {
    expect(clashProxy(secret)).toMatchObject({
      type: 'vmess',
      tls: true,
      servername: 'www.microsoft.com',
      'reality-opts': { 'public-key': pbk, 'short-id': '6ba85179e30d4fc2' },
    });
    expect(singBoxOutbound(secret)).toMatchObject({ type: 'vmess', tls: { reality: { public_key: pbk } } });
    expect(clashDocument(all)?.match(/^# .*$/gm)).toStrictEqual([
      '# "SS-alice" is left out: Mihomo does not support TLS of ss.',
      '# "WS-alice" is left out: REALITY does not work over ws.',
    ]);
    expect(partition(all, singBoxOutbound).expressed.map(({ link }) => link)).toStrictEqual([secret]);
  });

  it.each([
    ['subscription.transportUnknown', 'vless', { network: 'quic' }],
    ['subscription.securityUnknown', 'trojan', { network: 'tcp', security: 'xtls' }],
    ['subscription.realityWithoutKey', 'vless', { network: 'tcp', security: 'reality' }],
    [
      'subscription.hysteriaWithoutTls',
      'hysteria2',
      { externalProxy: [{ dest: 'a.test', port: 1, forceTls: 'none' }] },
    ],
    ['subscription.noAddress', 'vless', { network: 'tcp' }, { listen: '@child' }],
    ['subscription.noAddress', 'vless', { externalProxy: [{ dest: 'a b', port: 1 }] }],
  ] as const)('is omitted with the reason %s', (reason, protocol, stream, parts: object = {}) => {
    expect(partition([linkOf(protocol, stream, {}, parts)], clashProxy).omitted).toStrictEqual([
      { name: 'DE-1-alice', reason: message(reason) },
    ]);
  });
});

describe('the outbound of sing-box', () => {
  const unsupported = (feature: string) => message('subscription.notSupported', { app: 'sing-box', feature });

  it('has the names of sing-box', () => {
    expect(singBoxOutbound(vision)).toStrictEqual({
      type: 'vless',
      server: 'panel.example.com',
      server_port: 443,
      uuid: id,
      flow: 'xtls-rprx-vision',
      packet_encoding: 'xudp',
      tls: {
        enabled: true,
        server_name: 'www.microsoft.com',
        utls: { enabled: true, fingerprint: 'chrome' },
        reality: { enabled: true, public_key: pbk, short_id: '6ba85179e30d4fc2' },
      },
    });
    expect(singBoxOutbound(shadowsocks)).toMatchObject({
      type: 'shadowsocks',
      method: '2022-blake3-aes-256-gcm',
      password: 'c2VydmVy:tr0jan-pass',
    });
    expect(singBoxOutbound(hysteria)).toMatchObject({
      server_ports: ['20000:50000', '443:443'],
      obfs: { type: 'salamander', password: 'obfs pw' },
      tls: { enabled: true, server_name: 'cdn.example.com' },
    });
    expect(singBoxOutbound(xhttp)).toStrictEqual(unsupported('xhttp'));
    expect(singBoxOutbound(kcp)).toStrictEqual(unsupported('kcp'));
  });
});

describe('a value that apps interpret differently', () => {
  const grpc = (serviceName: string) => linkOf('vless', { network: 'grpc', grpcSettings: { serviceName } });
  const ech = (echConfigList: string) =>
    linkOf('vless', { network: 'tcp', security: 'tls', tlsSettings: { settings: { echConfigList } } });

  it('is converted: a gRPC service name, which Mihomo does not escape', () => {
    const names = ['a b/ü+1', '', '/my/own path/one|two', 'svc.Name'].map((name) => clashProxy(grpc(name)));
    expect(names).toMatchObject(
      ['a%20b%2F%C3%BC+1', '//Tun', '/my/own%20path/one', 'svc.Name'].map((name) => ({
        'grpc-opts': { 'grpc-service-name': name },
      })),
    );
    expect(singBoxOutbound(grpc('/my/own/one'))).toStrictEqual(message('subscription.grpcPath', { app: 'sing-box' }));
  });

  it('is replaced: the cipher of VMess over TLS, which sing-box would set to none', () => {
    expect(singBoxOutbound(webSocket)).toMatchObject({ type: 'vmess', security: 'aes-128-gcm' });
    expect(clashProxy(webSocket)).toMatchObject({ type: 'vmess', cipher: 'auto' });
  });

  it('is added: the host of a WebSocket, which Mihomo would generate', () => {
    expect(clashProxy(linkOf('vless', { network: 'ws', security: 'none' }))).toMatchObject({
      'ws-opts': { headers: { Host: 'panel.example.com' } },
    });
  });

  it('is escaped: a single percent sign in a path, which invalidates a whole profile of sing-box', () => {
    const link = linkOf('vless', { network: 'ws', wsSettings: { path: '/50%/%2F' } });
    expect(singBoxOutbound(link)).toMatchObject({ transport: { path: '/50%25/%2F' } });
  });

  it('is escaped: a query of HTTPUpgrade, which the core treats as part of the path', () => {
    const link = linkOf('vless', { network: 'httpupgrade', httpupgradeSettings: { path: '/u%2F?x=1&ed=2560' } });
    expect(clashProxy(link)).toMatchObject({ 'ws-opts': { path: '/u%252F%3Fx=1', 'v2ray-http-upgrade': true } });
    expect(JSON.stringify(clashProxy(link))).not.toContain('fast-open');
    expect(singBoxOutbound(link)).toMatchObject({ transport: { path: '/u%252F%3Fx=1' } });
  });

  it('is removed: a query of XHTTP, which the core ignores', () => {
    const xhttpSettings = {
      path: '/p?x=1',
      mode: 'packet-up',
      downloadSettings: { address: 'd.example', port: 443, xhttpSettings: { path: '/p?y=2' } },
    };
    expect(clashProxy(linkOf('vless', { network: 'xhttp', xhttpSettings }))).toMatchObject({
      'xhttp-opts': { path: '/p', 'download-settings': { path: '/p' } },
    });
  });

  it('is converted: the source of the keys of Encrypted Client Hello', () => {
    expect(clashProxy(ech('cover.example+https://1.1.1.1/dns-query'))).toMatchObject({
      'ech-opts': { enable: true, 'query-server-name': 'cover.example' },
    });
    expect(singBoxOutbound(ech('https://1.1.1.1/dns-query'))).toMatchObject({ tls: { ech: { enabled: true } } });
    const said = partition([ech('AAAA'), webSocket], clashProxy);
    expect(said.omitted).toStrictEqual([{ name: 'DE-1-alice', reason: message('subscription.echInvalid') }]);
    expect(said.expressed.map(({ link }) => link)).toStrictEqual([webSocket]);
  });
});

describe('untrusted texts', () => {
  const links = fc
    .array(
      fc.record({
        scheme: fc.constantFrom('vless' as const, 'vmess' as const, 'ss' as const, 'hysteria2' as const),
        user: filled,
        name: filled,
        path: hostile,
        host: filled,
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) =>
      all.map(({ scheme, user, name, path, host }): ShareLink => {
        const params = { type: 'ws', security: 'tls', sni: host, path, host };
        const method = scheme === 'ss' ? 'aes-256-gcm' : 'auto';
        return { scheme, user, method, host: 'h.example', port: 443, name, params };
      }),
    );

  it('are the same text for every YAML parser, and every name is unique', () => {
    fc.assert(
      fc.property(links, (all) => {
        const text = clashDocument(all) ?? '';
        const modern = parse(text) as { proxies: Record<string, unknown>[]; 'proxy-groups': { proxies: string[] }[] };
        expect(parse(text, { version: '1.1' })).toStrictEqual(modern);
        const users = modern.proxies.map((proxy) => proxy['uuid'] ?? proxy['password']);
        expect(users).toStrictEqual(all.map(({ user }) => user.replace(/\p{Surrogate}/gu, '\ufffd')));
        const names = modern.proxies.map(({ name }) => name);
        expect(new Set(names).size).toBe(all.length);
        expect(modern['proxy-groups'][0]?.proxies).toStrictEqual(['Auto', ...names, 'DIRECT']);
      }),
    );
  });

  it('are the same text in JSON, and every tag is unique', () => {
    fc.assert(
      fc.property(links, (all) => {
        const profile = JSON.parse(JSON.stringify(singBoxProfile(all))) as { outbounds: Record<string, unknown>[] };
        const tags = profile.outbounds.map(({ tag }) => tag);
        expect(new Set(tags).size).toBe(tags.length);
        const users = profile.outbounds.flatMap((outbound) => outbound['uuid'] ?? outbound['password'] ?? []);
        expect(users).toStrictEqual(all.map(({ user }) => user));
      }),
    );
  });
});
