import { describe, expect, it } from 'vitest';
import { LinkError, parseLink } from '../kit/real/client-apps/link-parser.js';

const ID = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';
const PIN = 'ab'.repeat(32);
const vmess = (members: object) => `vmess://${Buffer.from(JSON.stringify(members)).toString('base64')}`;

describe('parseLink reads', () => {
  it('vless with REALITY, vision and IPv6', () => {
    const link = `vless://${ID}@[2001:db8::7]:443?encryption=none&flow=xtls-rprx-vision&fp=firefox&pbk=${'A'.repeat(43)}&security=reality&sid=6ba85179&sni=a.test&spx=%2Fx&type=tcp#%E2%9A%93%20a`;
    expect(parseLink(link)).toEqual({
      name: '⚓ a',
      outbound: {
        protocol: 'vless',
        settings: { address: '2001:db8::7', port: 443, id: ID, encryption: 'none', flow: 'xtls-rprx-vision' },
        streamSettings: {
          network: 'raw',
          security: 'reality',
          realitySettings: {
            serverName: 'a.test',
            fingerprint: 'firefox',
            password: 'A'.repeat(43),
            shortId: '6ba85179',
            spiderX: '/x',
          },
        },
      },
    });
  });

  it('TLS with every parameter, and a literal plus', () => {
    const query = `security=tls&sni=s&fp=chrome&alpn=h2%2Chttp%2F1.1&pcs=${PIN}&vcn=v.test&ech=AE%2BD%3D&type=ws&path=%2Fa+b&host=h`;
    expect(parseLink(`trojan://p%40ss%2F%3A%23@h.test:1?${query}`).outbound).toEqual({
      protocol: 'trojan',
      settings: { address: 'h.test', port: 1, password: 'p@ss/:#' },
      streamSettings: {
        network: 'ws',
        wsSettings: { path: '/a+b', host: 'h' },
        security: 'tls',
        tlsSettings: {
          serverName: 's',
          fingerprint: 'chrome',
          alpn: ['h2', 'http/1.1'],
          pinnedPeerCertSha256: PIN,
          verifyPeerCertByName: 'v.test',
          echConfigList: 'AE+D=',
        },
      },
    });
  });

  it('VMess, whose type and path depend on the transport', () => {
    const base = { v: '2', ps: 'n', add: 'h.test', port: '443', id: ID, aid: '0', tls: '' };
    const stream = (members: object) => parseLink(vmess({ ...base, ...members })).outbound.streamSettings;
    expect(stream({ net: 'grpc', type: 'multi', path: 'svc', host: 'au' })).toMatchObject({
      grpcSettings: { serviceName: 'svc', authority: 'au', multiMode: true },
    });
    expect(stream({ net: 'xhttp', type: 'packet-up', path: '/x' })).toMatchObject({
      xhttpSettings: { mode: 'packet-up' },
    });
    expect(stream({ net: 'kcp', type: 'srtp', path: 'seed' })).toMatchObject({
      finalmask: { udp: [{ settings: { value: 'seed' } }, { settings: { header: 'srtp' } }] },
    });
    expect(stream({ net: 'tcp', type: 'http', path: '/p', host: 'o' })).toMatchObject({
      rawSettings: { header: { type: 'http', request: { path: ['/p'], headers: { Host: ['o'] } } } },
    });
    expect(parseLink(vmess({ ...base, port: 8443 })).outbound.settings).toMatchObject({ port: 8443, security: 'auto' });
  });

  it('every format of a Shadowsocks user', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const settings = (link: string) => parseLink(link).outbound.settings;
    const classic = { address: 'h', port: 8388, method: 'aes-256-gcm', password: 'a:b?' };
    expect(settings(`ss://${Buffer.from('aes-256-gcm:a:b?').toString('base64url')}@h:8388#x`)).toEqual(classic);
    expect(settings(`ss://${Buffer.from('aes-256-gcm:a:b?@h:8388').toString('base64')}#x`)).toEqual(classic);
    const two = { method: '2022-blake3-aes-256-gcm', password: `${key}:${key}` };
    expect(settings(`ss://${two.method}:${encodeURIComponent(two.password)}@h:1`)).toMatchObject(two);
    expect(settings(`ss://${two.method}:${encodeURIComponent(key)}:${encodeURIComponent(key)}@h:1`)).toMatchObject(two);
    const plugin = encodeURIComponent('v2ray-plugin;mode=websocket;tls;host=w.test;path=/a\\=b;mux=0');
    expect(
      parseLink(`ss://${Buffer.from('aes-256-gcm:p').toString('base64url')}@h:1?plugin=${plugin}`).outbound,
    ).toMatchObject({
      streamSettings: { wsSettings: { path: '/a=b', host: 'w.test' }, tlsSettings: { serverName: 'w.test' } },
    });
  });

  it('hysteria2 under both names, with port hopping and a pin with colons', () => {
    const pin = PIN.toUpperCase().replace(/(..)(?=.)/g, '$1:');
    const link = (scheme: string) =>
      `${scheme}://pw@h:443/?pinSHA256=${encodeURIComponent(pin)}&obfs=salamander&obfs-password=o%20p&mport=20000-30000&insecure=1`;
    expect(parseLink(link('hy2'))).toEqual(parseLink(link('hysteria2')));
    expect(parseLink(link('hy2')).outbound.streamSettings).toEqual({
      network: 'hysteria',
      security: 'tls',
      tlsSettings: { serverName: 'h', pinnedPeerCertSha256: PIN, alpn: ['h3'] },
      hysteriaSettings: { version: 2, auth: 'pw' },
      finalmask: {
        udp: [{ type: 'salamander', settings: { password: 'o p' } }],
        quicParams: { udpHop: { ports: '20000-30000' } },
      },
    });
  });
});

describe('parseLink rejects', () => {
  it.each([
    ['a raw slash in the password', 'trojan://ab/cd==@h:1?security=none'],
    ['a broken escape', 'trojan://50%off@h:1?security=none'],
    ['a line break', `vless://${ID}@h:1?path=%0A&type=ws`],
    ['no port', `vless://${ID}@h?type=tcp`],
    ['a naked IPv6 address', `vless://${ID}@2001:db8::7:443?type=tcp`],
    ['an unknown transport', `vless://${ID}@h:1?type=quic`],
    ['REALITY without its key', `vless://${ID}@h:1?security=reality&sni=x`],
    ['blind trust', `vless://${ID}@h:1?security=tls&allowInsecure=1`],
    ['a pin in base64', `hy2://a@h:1?pinSHA256=${Buffer.alloc(32).toString('base64url')}`],
    ['a trojan flow', 'trojan://p@h:1?flow=xtls-rprx-vision'],
    ['VMess over REALITY', vmess({ add: 'h', port: 1, id: ID, tls: 'reality' })],
    ['a user of 2022 chacha20', `ss://2022-blake3-chacha20-poly1305:${'A'.repeat(43)}%3D%3A${'A'.repeat(43)}%3D@h:1`],
    ['a parameter twice', `vless://${ID}@h:1?type=ws&type=tcp`],
    ['a scheme without a standard', 'socks://u@h:1'],
  ])('%s', (_, link) => {
    expect(() => parseLink(link)).toThrow(LinkError);
  });
});
