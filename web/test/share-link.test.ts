import { describe, expect, it } from 'vitest';
import { outboundOfLink } from '../src/screens/core/outbounds/share-link';
import { freeTag } from '../src/screens/core/outbounds/share-stream';

const ID = '11111111-1111-4111-8111-111111111111';
const base64 = (text: string): string => btoa(text);

describe('a share link', () => {
  it.each([
    [
      `vless://${ID}@example.com:443?type=ws&security=tls&path=%2Fa%3Fed%3D1&host=cdn.example.com&sni=s.example.com&fp=chrome&alpn=h2%2Chttp%2F1.1#My%20name`,
      'My name',
      {
        protocol: 'vless',
        settings: { address: 'example.com', port: 443, id: ID, encryption: 'none' },
        streamSettings: {
          network: 'ws',
          wsSettings: { path: '/a?ed=1', host: 'cdn.example.com' },
          security: 'tls',
          tlsSettings: { serverName: 's.example.com', fingerprint: 'chrome', alpn: ['h2', 'http/1.1'] },
        },
      },
    ],
    [
      `vless://${ID}@[2001:db8::1]:8443?type=tcp&security=reality&pbk=KEY&sid=ab&spx=%2F&sni=r.example.com&flow=xtls-rprx-vision`,
      '',
      {
        protocol: 'vless',
        settings: { address: '2001:db8::1', port: 8443, id: ID, encryption: 'none', flow: 'xtls-rprx-vision' },
        streamSettings: {
          network: 'raw',
          security: 'reality',
          realitySettings: {
            serverName: 'r.example.com',
            fingerprint: 'chrome',
            password: 'KEY',
            shortId: 'ab',
            spiderX: '/',
          },
        },
      },
    ],
    [
      `vmess://${base64(JSON.stringify({ v: '2', ps: 'vm', add: 'example.com', port: '443', id: ID, scy: 'auto', net: 'grpc', type: 'multi', path: 'svc', tls: 'tls', sni: 's.example.com' }))}`,
      'vm',
      {
        protocol: 'vmess',
        settings: { address: 'example.com', port: 443, id: ID, security: 'auto' },
        streamSettings: {
          network: 'grpc',
          grpcSettings: { serviceName: 'svc', multiMode: true },
          security: 'tls',
          tlsSettings: { serverName: 's.example.com' },
        },
      },
    ],
    [
      'trojan://p%40ss@example.com:443?type=tcp#t',
      't',
      {
        protocol: 'trojan',
        settings: { address: 'example.com', port: 443, password: 'p@ss' },
        streamSettings: { network: 'raw', security: 'tls', tlsSettings: { serverName: 'example.com' } },
      },
    ],
    [
      `ss://${base64('aes-256-gcm:secret')}@example.com:8388#s`,
      's',
      {
        protocol: 'shadowsocks',
        settings: { address: 'example.com', port: 8388, method: 'aes-256-gcm', password: 'secret' },
      },
    ],
    [
      `ss://${base64('chacha20-ietf-poly1305:pa:ss@example.com:8388')}#old`,
      'old',
      {
        protocol: 'shadowsocks',
        settings: { address: 'example.com', port: 8388, method: 'chacha20-ietf-poly1305', password: 'pa:ss' },
      },
    ],
    [
      'hysteria2://auth@example.com:443?sni=h.example.com&obfs=salamander&obfs-password=mask#h',
      'h',
      {
        protocol: 'hysteria',
        settings: { version: 2, address: 'example.com', port: 443 },
        streamSettings: {
          network: 'hysteria',
          security: 'tls',
          tlsSettings: { alpn: ['h3'], serverName: 'h.example.com' },
          hysteriaSettings: { version: 2, auth: 'auth' },
          finalmask: { udp: [{ type: 'salamander', settings: { password: 'mask' } }] },
        },
      },
    ],
    [
      'wireguard://private%3D@192.0.2.1:51820?publickey=public%3D&address=10.0.0.2%2F32&mtu=1420&reserved=1%2C2%2C3#w',
      'w',
      {
        protocol: 'wireguard',
        settings: {
          secretKey: 'private=',
          address: ['10.0.0.2/32'],
          mtu: 1420,
          reserved: [1, 2, 3],
          peers: [{ publicKey: 'public=', endpoint: '192.0.2.1:51820' }],
        },
      },
    ],
  ])('%s', (link, name, outbound) => {
    expect(outboundOfLink(link)).toStrictEqual({ name, outbound });
  });

  it.each([
    'https://example.com/',
    'vless://example.com:443',
    `vless://${ID}@example.com:99999`,
    'vmess://%%%',
    'vmess://bm90IGpzb24=',
    'trojan://%E0%A4%A@example.com:443',
    'ss://@@@',
    '',
  ])('is not %j', (text) => {
    expect(outboundOfLink(text)).toBeNull();
  });

  it('gets a name that no other outbound has', () => {
    expect(freeTag('My 🙂 name!', [])).toBe('My-name');
    expect(freeTag('a', ['a', 'a-2'])).toBe('a-3');
    expect(freeTag('<img src=x>', [])).toBe('img-src-x');
    expect(freeTag('🙂', [])).toBe('outbound');
  });
});
