import type { Protocol } from '../../../src/events/inbound/inbound.js';
import type { Inbound } from '../../../src/events/inbound/inbound-document.js';
import { linksOf, type ShareLink } from '../../../src/projections/subscription/links.js';
import { aClient, aContext, id, inboundOf, reality, tls, unused } from './fixtures.js';

/** A case of the test set: an inbound, and the flow that its client wants. */
export interface Case {
  readonly name: string;
  readonly inbound: Inbound;
  readonly flow: string;
}

type Part = readonly [name: string, members: object];

const ECH =
  'AGD+DQBcAAAgACCnL3Jw3IiI03ShGglQ3I+LXgSIYvkAt3F66o6DCMHzSAAkAAEAAQABAAIAAQADAAIAAQACAAIAAgADAAMAAQADAAIAAwADAA1jb3Zlci5leGFtcGxlAAA=';
const ENCRYPTION = 'mlkem768x25519plus.native.0rtt.x2umGGygZrWuaH47zqJrRe9-ytBQ8ay5vGCbV2LcSzk';
/** As long as a real one: the core looks at no more before it connects. */
const ML_DSA = Buffer.alloc(1952, 7).toString('base64url');
const PIN = '0123456789abcdef'.repeat(4);
const KEYS = { 16: Buffer.alloc(16, 1).toString('base64'), 32: Buffer.alloc(32, 1).toString('base64') };

const kcp = (type: string, settings: object) => ({
  network: 'kcp',
  kcpSettings: { mtu: 1350, tti: 20 },
  finalmask: { udp: [{ type, settings }] },
});

const httpHeader = (path: string[], headers: object) => ({
  network: 'tcp',
  tcpSettings: { header: { type: 'http', request: { version: '1.1', method: 'GET', path, headers } } },
});

const xhttp = (settings: object) => ({ network: 'xhttp', xhttpSettings: { path: '/xh', mode: 'auto', ...settings } });

/** Every transport with every option that a link can express. */
const TRANSPORTS: readonly Part[] = [
  ['tcp', { network: 'tcp' }],
  ['raw', { network: 'raw', rawSettings: { header: { type: 'none' } } }],
  ['tcp + http', httpHeader(['/a', '/b'], { Host: ['front.example', 'back.example'] })],
  ['tcp + http without a host', httpHeader(['/'], {})],
  ['kcp', { network: 'kcp', kcpSettings: { mtu: 1350, tti: 20 } }],
  ...['dns', 'dtls', 'srtp', 'utp', 'wechat', 'wireguard'].map(
    (header): Part => [`kcp + ${header}`, kcp('mkcp-legacy', { header })],
  ),
  ['kcp + seed', kcp('mkcp-legacy', { header: '', value: 'a seed/with+signs' })],
  ['kcp as of old', { network: 'kcp', kcpSettings: { header: { type: 'srtp' }, seed: 'a b/c' } }],
  ['ws', { network: 'ws', wsSettings: { path: '/ws', host: 'ws.example' } }],
  ['ws + early data', { network: 'ws', wsSettings: { path: '/ws?ed=2048&x=1', headers: { host: 'ws.example' } } }],
  ['ws + nothing', { network: 'ws', wsSettings: {} }],
  ['ws + odd path', { network: 'ws', wsSettings: { path: '/пу ть/%2F?a=b&c=d;e#f', host: 'ws.example:8080' } }],
  ['grpc', { network: 'grpc', grpcSettings: { serviceName: 'svc.Name' } }],
  ['grpc + path', { network: 'grpc', grpcSettings: { serviceName: '/my/sample/path1|path2' } }],
  ['grpc multi', { network: 'grpc', grpcSettings: { serviceName: 'm s', authority: 'au.example', multiMode: true } }],
  ['grpc + nothing', { network: 'grpc' }],
  ['httpupgrade', { network: 'httpupgrade', httpupgradeSettings: { path: '/up', host: 'up.example' } }],
  ['httpupgrade + early data', { network: 'httpupgrade', httpupgradeSettings: { path: '/up?ed=1' } }],
  ...['auto', 'packet-up', 'stream-up', 'stream-one'].map((mode): Part => [`xhttp ${mode}`, xhttp({ mode })]),
  [
    'xhttp + shape',
    xhttp({
      host: 'x.example',
      mode: 'packet-up',
      headers: { Host: 'no.example', 'X-A': 'a b+c' },
      xPaddingBytes: '100-900',
      scMaxEachPostBytes: '500000-900000',
      scMinPostsIntervalMs: '10-50',
      noGRPCHeader: true,
      uplinkHTTPMethod: 'PUT',
    }),
  ],
  ['xhttp + numbers', xhttp({ xPaddingBytes: 200, scMaxEachPostBytes: 500_000, scMinPostsIntervalMs: 10 })],
  [
    'xhttp + disguise',
    xhttp({
      mode: 'packet-up',
      xPaddingBytes: '100-200',
      xPaddingObfsMode: true,
      xPaddingKey: 'pad',
      xPaddingHeader: 'X-Pad',
      xPaddingPlacement: 'queryInHeader',
      xPaddingMethod: 'tokenish',
      sessionIDPlacement: 'header',
      sessionIDKey: 'X-Session',
      sessionIDTable: 'ALPHABET',
      sessionIDLength: '8-16',
      seqPlacement: 'header',
      seqKey: 'X-Seq',
      uplinkDataPlacement: 'header',
      uplinkDataKey: 'X-Data',
      uplinkChunkSize: '3000-4000',
    }),
  ],
  ['xhttp + session of old', xhttp({ sessionPlacement: 'query', sessionKey: 's', seqPlacement: 'query', seqKey: 'q' })],
  ['xhttp + xmux', xhttp({ xmux: { maxConcurrency: '16-32', hMaxRequestTimes: '600-900', hKeepAlivePeriod: 10 } })],
  [
    'xhttp + other way down',
    xhttp({
      downloadSettings: {
        address: 'down.example',
        port: 443,
        network: 'xhttp',
        security: 'tls',
        tlsSettings: { serverName: 'down.example', alpn: ['h2'], fingerprint: 'chrome' },
        xhttpSettings: { path: '/xh' },
      },
    }),
  ],
];

/** A mask over a transport, which only the core itself knows. */
const MASKS: readonly Part[] = [
  [
    'tcp + fragments',
    {
      network: 'tcp',
      finalmask: { tcp: [{ type: 'fragment', settings: { packets: 'tlshello', length: '50-100', delay: '5-10' } }] },
    },
  ],
];

const own = (settings: object, members: object = {}) => ({
  security: 'tls',
  tlsSettings: { serverName: 'cdn.example', ...members, settings },
});

const FINGERPRINTS = [
  'chrome firefox safari ios android edge 360 qq',
  'random randomized randomizednoalpn unsafe hellochrome_120',
]
  .join(' ')
  .split(' ');

/** Every security with every option that a link can express. */
const SECURITIES: readonly Part[] = [
  ['none', { security: 'none' }],
  ['tls', tls],
  ['tls + nothing', { security: 'tls', tlsSettings: {} }],
  ['tls + ech', own({ fingerprint: 'chrome', echConfigList: ECH })],
  ['tls + ech over dns', own({ echConfigList: 'cover.example+https://1.1.1.1/dns-query' })],
  ['tls + pin', own({ fingerprint: 'firefox', pinnedPeerCertSha256: [PIN] })],
  ['tls + pins', own({ pinnedPeerCertSha256: [PIN, 'f'.repeat(64)] })],
  ['tls + names', own({ verifyPeerCertByName: 'one.example,two.example' })],
  ['reality', reality],
  [
    'reality + everything',
    {
      security: 'reality',
      realitySettings: {
        ...reality.realitySettings,
        serverNames: ['a.example', 'b.example'],
        shortIds: ['', '0123456789abcdef'],
        settings: { ...reality.realitySettings.settings, mldsa65Verify: ML_DSA, fingerprint: 'firefox', spiderX: '/s' },
      },
    },
  ],
  [
    'reality + a number of a short id',
    { security: 'reality', realitySettings: { ...reality.realitySettings, shortIds: ['23510123'] } },
  ],
];

/** These need no more than one transport. */
const MANNERS: readonly Part[] = FINGERPRINTS.map(
  (fingerprint): Part => [`tls as ${fingerprint}`, own({ fingerprint })],
);
const ALPNS: readonly Part[] = ['h2', 'http/1.1', 'h3', 'h2,http/1.1'].map(
  (alpn): Part => [`tls for ${alpn}`, own({ fingerprint: 'chrome' }, { alpn: alpn.split(',') })],
);

const EXTERNAL = {
  externalProxy: [
    { forceTls: 'same', dest: 'a.example', port: 443, remark: 'A' },
    {
      forceTls: 'tls',
      dest: 'b.example',
      port: 2053,
      remark: 'B',
      sni: 'b.example',
      alpn: ['h2'],
      fingerprint: 'edge',
      pinnedPeerCertSha256: PIN,
    },
    { forceTls: 'none', dest: '2001:db8::7', port: 80, remark: '' },
  ],
};

type Speaker = readonly [name: string, protocol: Protocol, settings: object, flow?: string];

const SPEAKERS: readonly Speaker[] = [
  ['vless', 'vless', { decryption: 'none', encryption: 'none' }],
  ['vless + vision', 'vless', { decryption: 'none', encryption: 'none' }, 'xtls-rprx-vision'],
  ['vless + vision and udp 443', 'vless', { encryption: 'none' }, 'xtls-rprx-vision-udp443'],
  ['vless + encryption', 'vless', { decryption: 'secret', encryption: ENCRYPTION }],
  ['vless + encryption and vision', 'vless', { encryption: ENCRYPTION }, 'xtls-rprx-vision'],
  ['vmess', 'vmess', {}],
  ['trojan', 'trojan', {}],
  ['ss', 'shadowsocks', { method: 'aes-256-gcm' }],
];

const CIPHERS: readonly Speaker[] = [
  ...['aes-128-gcm', 'chacha20-poly1305', 'chacha20-ietf-poly1305', 'xchacha20-ietf-poly1305'].map(
    (method): Speaker => [`ss ${method}`, 'shadowsocks', { method }],
  ),
  ['ss 2022 128', 'shadowsocks', { method: '2022-blake3-aes-128-gcm', password: KEYS[16] }],
  ['ss 2022 256', 'shadowsocks', { method: '2022-blake3-aes-256-gcm', password: KEYS[32] }],
  ['ss 2022 chacha', 'shadowsocks', { method: '2022-blake3-chacha20-poly1305', password: KEYS[32] }],
];

const hysteria = (name: string, parts: object = {}, settings: object = {}, more: object = {}): Part => [
  `hysteria2${name}`,
  { network: 'hysteria', ...own(settings, { alpn: ['h3'], ...more }), hysteriaSettings: { version: 2 }, ...parts },
];
const salamander = { udp: [{ type: 'salamander', settings: { password: 'obfs pw+1' } }] };
const hop = (ports: string) => ({ quicParams: { congestion: 'bbr', udpHop: { ports, interval: '5-10' } } });
const HYSTERIA: readonly Part[] = [
  hysteria(''),
  hysteria(' + obfs', { finalmask: salamander }),
  hysteria(' + hopping', { finalmask: hop('20000-50000') }),
  hysteria(' + hopping here and there', { finalmask: { ...salamander, ...hop('443,20000-20100') } }),
  hysteria(' + ech', {}, { echConfigList: ECH }),
  hysteria(' + pin', {}, { pinnedPeerCertSha256: [PIN], fingerprint: 'chrome' }),
  hysteria(' + trust', {}, { allowInsecure: true }),
  hysteria(' + no name', {}, {}, { serverName: '' }),
  hysteria(' + two protocols', {}, {}, { alpn: ['h3', 'h2'] }),
  hysteria(' behind others', EXTERNAL),
];

let port = 20_000;

function aCase(name: string, protocol: Protocol, stream: object, settings: object = {}, flow = ''): Case {
  port += 1;
  return { name, inbound: inboundOf(protocol, stream, settings, { port, remark: name }), flow };
}

/**
 * Every protocol with a link × every transport × every security, and each option of the others once: what the outputs
 * are judged by.
 */
export function cases(): readonly Case[] {
  port = 20_000;
  const [, overTls = ['', {}] as Part] = SECURITIES;
  return [
    ...SPEAKERS.flatMap(([speaker, protocol, settings, flow]) =>
      [...TRANSPORTS, ...MASKS].flatMap(([transport, stream]) =>
        SECURITIES.map(([security, secure]) =>
          aCase(`${speaker}, ${transport}, ${security}`, protocol, { ...stream, ...secure }, settings, flow),
        ),
      ),
    ),
    ...[...MANNERS, ...ALPNS].flatMap(([security, secure]) =>
      (['vless', 'vmess', 'trojan'] as const).map((protocol) =>
        aCase(`${protocol}, ${security}`, protocol, { network: 'tcp', ...secure }),
      ),
    ),
    ...CIPHERS.map(([name, protocol, settings]) => aCase(name, protocol, { network: 'tcp' }, settings)),
    ...HYSTERIA.map(([name, stream]) => aCase(name, 'hysteria2', stream)),
    ...(['vless', 'vmess', 'trojan'] as const).flatMap((protocol) =>
      SECURITIES.map(([security, secure]) =>
        aCase(`${protocol}, ${security}, behind others`, protocol, { network: 'ws', ...secure, ...EXTERNAL }),
      ),
    ),
    aCase(`vmess aes, ${overTls[0]}`, 'vmess', { network: 'tcp', ...overTls[1] }),
  ];
}

/** The links of a case. */
export function linksOfCase({ inbound, flow }: Case): readonly ShareLink[] {
  const bytes = String(inbound.config.settings['method']).includes('128') ? 16 : 32;
  const credential = { id, password: KEYS[bytes], auth: 'letmein' };
  return linksOf(inbound, aClient({ spec: { flow }, credential }), unused, aContext());
}
