import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/events/client/client-document.js';
import type { Inbound } from '../../../src/events/inbound/inbound-document.js';
import type { LinkContext } from '../../../src/projections/subscription/links.js';
import { aClient, aContext, id as ID, inboundOf, pbk as PBK, reality, tcp, tls, unused, urlsOf } from './fixtures.js';

const none = { decryption: 'none', encryption: 'none' };
const vision = aClient({ spec: { flow: 'xtls-rprx-vision' } });
const withPassword = (password: string) => aClient({ credential: { password } });
const wsTls = (host: string, path: string) => ({ network: 'ws', ...tls, wsSettings: { path, host, headers: {} } });

interface Example {
  name: string;
  inbound: Inbound;
  client?: Client;
  context?: LinkContext;
  usage?: { up: number; down: number };
  links: readonly string[];
}

/** Inputs and recommended outputs of the reference, 1.11; E03 and E09 but for their ALPN, see ADR 33. */
const examples: readonly Example[] = [
  {
    name: 'E01 vless tcp none',
    inbound: inboundOf('vless', tcp, none, { port: 20001 }),
    links: [`vless://${ID}@panel.example.com:20001?encryption=none&security=none&type=tcp#DE-1-alice`],
  },
  {
    name: 'E03 vless ws tls + ech + early data path',
    inbound: inboundOf(
      'vless',
      {
        ...wsTls('cdn.example.com', '/ws?ed=2048'),
        tlsSettings: { ...tls.tlsSettings, settings: { fingerprint: 'chrome', echConfigList: 'AEn+DQBFKwAg/aa==' } },
      },
      none,
      { port: 8443 },
    ),
    client: vision,
    links: [
      `vless://${ID}@panel.example.com:8443?alpn=http%2F1.1&ech=AEn%2BDQBFKwAg%2Faa%3D%3D&encryption=none&fp=chrome&host=cdn.example.com&path=%2Fws%3Fed%3D2048&security=tls&sni=cdn.example.com&type=ws#DE-1-alice`,
    ],
  },
  {
    name: 'E05 vless xhttp reality',
    inbound: inboundOf(
      'vless',
      {
        network: 'xhttp',
        ...reality,
        xhttpSettings: {
          path: '/xh',
          host: '',
          mode: 'auto',
          xPaddingBytes: '100-1000',
          scMaxEachPostBytes: '1000000',
          noSSEHeader: false,
          scMaxBufferedPosts: 30,
          scStreamUpServerSecs: '20-80',
          headers: {},
        },
      },
      none,
    ),
    links: [
      `vless://${ID}@panel.example.com:443?encryption=none&extra=%7B%22mode%22%3A%22auto%22%2C%22xPaddingBytes%22%3A%22100-1000%22%7D&fp=chrome&mode=auto&path=%2Fxh&pbk=${PBK}&security=reality&sid=6ba85179e30d4fc2&sni=www.microsoft.com&spx=%2F85fb5a20dfa966a&type=xhttp&x_padding_bytes=100-1000#DE-1-alice`,
    ],
  },
  {
    name: 'E06 vless httpupgrade none, host via headers',
    inbound: inboundOf(
      'vless',
      {
        network: 'httpupgrade',
        security: 'none',
        httpupgradeSettings: { path: '/up', host: '', headers: { Host: 'up.example.com' } },
      },
      none,
      { port: 8080 },
    ),
    links: [
      `vless://${ID}@panel.example.com:8080?encryption=none&host=up.example.com&path=%2Fup&security=none&type=httpupgrade#DE-1-alice`,
    ],
  },
  {
    name: 'E07b vless kcp legacy header+seed',
    inbound: inboundOf(
      'vless',
      {
        network: 'kcp',
        security: 'none',
        kcpSettings: { mtu: 1350, tti: 50, header: { type: 'srtp' }, seed: 'a b/c' },
      },
      none,
      { port: 30000 },
    ),
    links: [
      `vless://${ID}@panel.example.com:30000?encryption=none&headerType=srtp&security=none&seed=a%20b%2Fc&type=kcp#DE-1-alice`,
    ],
  },
  {
    name: 'E09 vmess ws tls',
    inbound: inboundOf('vmess', wsTls('cdn.example.com', '/ws')),
    links: [
      'vmess://eyJ2IjoiMiIsInBzIjoiREUtMS1hbGljZSIsImFkZCI6InBhbmVsLmV4YW1wbGUuY29tIiwicG9ydCI6IjQ0MyIsImlkIjoiM2YwYzdmM2EtN2E0ZS00YTVlLTlhNDEtMWQxZjZlN2MwYTExIiwiYWlkIjoiMCIsInNjeSI6ImF1dG8iLCJuZXQiOiJ3cyIsInR5cGUiOiJub25lIiwiaG9zdCI6ImNkbi5leGFtcGxlLmNvbSIsInBhdGgiOiIvd3MiLCJ0bHMiOiJ0bHMiLCJzbmkiOiJjZG4uZXhhbXBsZS5jb20iLCJhbHBuIjoiaHR0cC8xLjEiLCJmcCI6ImNocm9tZSJ9',
    ],
  },
  {
    name: 'E11 vmess grpc multi',
    inbound: inboundOf('vmess', {
      network: 'grpc',
      security: 'tls',
      tlsSettings: { ...tls.tlsSettings, alpn: ['h2'] },
      grpcSettings: { serviceName: 'gs', authority: 'au.example.com', multiMode: true },
    }),
    links: [
      'vmess://eyJ2IjoiMiIsInBzIjoiREUtMS1hbGljZSIsImFkZCI6InBhbmVsLmV4YW1wbGUuY29tIiwicG9ydCI6IjQ0MyIsImlkIjoiM2YwYzdmM2EtN2E0ZS00YTVlLTlhNDEtMWQxZjZlN2MwYTExIiwiYWlkIjoiMCIsInNjeSI6ImF1dG8iLCJuZXQiOiJncnBjIiwidHlwZSI6Im11bHRpIiwiaG9zdCI6ImF1LmV4YW1wbGUuY29tIiwiYXV0aG9yaXR5IjoiYXUuZXhhbXBsZS5jb20iLCJwYXRoIjoiZ3MiLCJ0bHMiOiJ0bHMiLCJzbmkiOiJjZG4uZXhhbXBsZS5jb20iLCJhbHBuIjoiaDIiLCJmcCI6ImNocm9tZSJ9',
    ],
  },
  {
    name: 'E13b trojan password with slash',
    inbound: inboundOf('trojan', { ...tcp, ...tls }),
    client: withPassword('ab/cd=='),
    links: [
      'trojan://ab%2Fcd%3D%3D@panel.example.com:443?alpn=h2%2Chttp%2F1.1&fp=chrome&security=tls&sni=cdn.example.com&type=tcp#DE-1-alice',
    ],
  },
  {
    name: 'E13d trojan password with percent',
    inbound: inboundOf('trojan', { ...tcp, ...tls }),
    client: withPassword('50%off'),
    links: [
      'trojan://50%25off@panel.example.com:443?alpn=h2%2Chttp%2F1.1&fp=chrome&security=tls&sni=cdn.example.com&type=tcp#DE-1-alice',
    ],
  },
  {
    name: 'E14 trojan grpc reality',
    inbound: inboundOf('trojan', {
      network: 'grpc',
      ...reality,
      grpcSettings: { serviceName: 'tg', authority: '', multiMode: false },
    }),
    links: [
      `trojan://tr0jan-pass@panel.example.com:443?fp=chrome&mode=gun&pbk=${PBK}&security=reality&serviceName=tg&sid=6ba85179e30d4fc2&sni=www.microsoft.com&spx=%2F85fb5a20dfa966a&type=grpc#DE-1-alice`,
    ],
  },
  {
    name: 'E16 ss2022 multi-user',
    inbound: inboundOf(
      'shadowsocks',
      tcp,
      {
        method: '2022-blake3-aes-256-gcm',
        password: 'YctPZ6U7xPPcU+gp3u+0tx/tRizJN9K8y+uKlW2qjlI=',
        network: 'tcp,udp',
      },
      { port: 8389 },
    ),
    client: withPassword('c2VjcmV0LXVzZXIta2V5LTMyLWJ5dGVzLWxvbmchISE='),
    links: [
      'ss://2022-blake3-aes-256-gcm:YctPZ6U7xPPcU%2Bgp3u%2B0tx%2FtRizJN9K8y%2BuKlW2qjlI%3D%3Ac2VjcmV0LXVzZXIta2V5LTMyLWJ5dGVzLWxvbmchISE%3D@panel.example.com:8389#DE-1-alice',
    ],
  },
  {
    name: 'E16b ss2022 chacha single user',
    inbound: inboundOf(
      'shadowsocks',
      tcp,
      { method: '2022-blake3-chacha20-poly1305', password: 's4qEcFlRABUEwMLUCSgrMlBHIWFhUxs4mAcql3jRk8U=' },
      { port: 8390 },
    ),
    client: withPassword('x'),
    links: [
      'ss://2022-blake3-chacha20-poly1305:s4qEcFlRABUEwMLUCSgrMlBHIWFhUxs4mAcql3jRk8U%3D@panel.example.com:8390#DE-1',
    ],
  },
  {
    name: 'E17 hysteria2 salamander',
    inbound: inboundOf(
      'hysteria',
      {
        network: 'hysteria',
        security: 'tls',
        tlsSettings: { ...tls.tlsSettings, serverName: 'hy.example.com', alpn: ['h3'] },
        hysteriaSettings: { version: 2, auth: '', udpIdleTimeout: 60 },
        finalmask: {
          udp: [{ type: 'salamander', settings: { password: 'obfs pw' } }],
          quicParams: { congestion: 'bbr', udpHop: { ports: '20000-50000', interval: '5-10' } },
        },
      },
      { version: 2 },
    ),
    client: aClient({ credential: { auth: 'hy2/auth=pw' } }),
    links: [
      'hysteria2://hy2%2Fauth%3Dpw@panel.example.com:443/?alpn=h3&mport=20000-50000&obfs=salamander&obfs-password=obfs%20pw&sni=hy.example.com#DE-1-alice',
    ],
  },
  {
    name: 'E18 hysteria stored as version 1, which the core serves as version 2',
    inbound: inboundOf(
      'hysteria',
      {
        network: 'hysteria',
        security: 'tls',
        tlsSettings: { ...tls.tlsSettings, serverName: 'hy.example.com', alpn: ['h3'] },
      },
      { version: 1 },
    ),
    links: ['hysteria2://letmein@panel.example.com:443/?alpn=h3&sni=hy.example.com#DE-1-alice'],
  },
  {
    name: 'E19b vless tcp reality vision + externalProxy',
    inbound: inboundOf(
      'vless',
      {
        ...tcp,
        ...reality,
        externalProxy: [
          { forceTls: 'same', dest: 'a.cdn.example.com', port: 443, remark: 'CDN-A' },
          { forceTls: 'tls', dest: 'b.cdn.example.com', port: 2053, remark: 'CDN B' },
          { forceTls: 'none', dest: 'c.example.com', port: 80, remark: '' },
        ],
      },
      none,
    ),
    client: vision,
    links: [
      `vless://${ID}@a.cdn.example.com:443?encryption=none&flow=xtls-rprx-vision&fp=chrome&pbk=${PBK}&security=reality&sid=6ba85179e30d4fc2&sni=www.microsoft.com&spx=%2F85fb5a20dfa966a&type=tcp#DE-1-alice-CDN-A`,
      `vless://${ID}@b.cdn.example.com:2053?encryption=none&security=tls&type=tcp#DE-1-alice-CDN%20B`,
      `vless://${ID}@c.example.com:80?encryption=none&security=none&type=tcp#DE-1-alice`,
    ],
  },
  {
    name: 'E20 vless ipv6 listen',
    inbound: inboundOf('vless', tcp, none, { listen: '2001:db8::7' }),
    links: [`vless://${ID}@[2001:db8::7]:443?encryption=none&security=none&type=tcp#DE-1-alice`],
  },
  {
    name: 'E20c loopback listen',
    inbound: inboundOf('vless', tcp, none, { listen: '127.0.0.1' }),
    links: [`vless://${ID}@panel.example.com:443?encryption=none&security=none&type=tcp#DE-1-alice`],
  },
  {
    name: 'E21 remark unicode, with the fullwidth percent sign',
    inbound: inboundOf('vless', tcp, none, { remark: '🇩🇪 DE #1 & 100%' }),
    context: aContext({ settings: { remarkModel: ' ie' } }),
    links: [
      `vless://${ID}@panel.example.com:443?encryption=none&security=none&type=tcp#%F0%9F%87%A9%F0%9F%87%AA%20DE%20%231%20%26%20100%EF%BC%85%20alice`,
    ],
  },
  {
    name: 'E22 showInfo',
    inbound: inboundOf('vless', tcp, none),
    client: aClient({ spec: { capBytes: 10_737_418_240, expiresAt: -604_800_000 } }),
    context: aContext({ showInfo: true }),
    usage: { up: 1_073_741_824, down: 2_147_483_648 },
    links: [
      `vless://${ID}@panel.example.com:443?encryption=none&security=none&type=tcp#DE-1-alice-7.00GB%F0%9F%93%8A-7D%E2%8F%B3`,
    ],
  },
  {
    name: 'E25 vless tcp tls vision',
    inbound: inboundOf('vless', { ...tcp, ...tls }, none),
    client: vision,
    links: [
      `vless://${ID}@panel.example.com:443?alpn=h2%2Chttp%2F1.1&encryption=none&flow=xtls-rprx-vision&fp=chrome&security=tls&sni=cdn.example.com&type=tcp#DE-1-alice`,
    ],
  },
  {
    name: 'E27 wireguard',
    inbound: inboundOf('wireguard', {}, { mtu: 1420, secretKey: 'SRVPRIV' }, { port: 51820 }),
    links: [],
  },
];

describe('worked examples', () => {
  it.each(examples)('$name', ({ inbound, client, context, usage, links }) => {
    expect(urlsOf(inbound, client ?? aClient(), context ?? aContext(), usage ?? unused)).toStrictEqual(links);
  });
});
