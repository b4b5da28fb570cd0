import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../../src/events/inbound/inbound.js';
import { hasUrl, linksOf, linkUrls } from '../../../src/projections/subscription/links.js';
import { linkUrl } from '../../../src/projections/subscription/share-link.js';
import { aClient, aContext, inboundOf, reality, tcp, tls, unused } from './fixtures.js';
import { expectOneLine, hostile, vmessJson } from './hostile.js';

describe('any stored settings', () => {
  const SECRET = 'T0P-SECRET';
  const secretNames = ['privateKey', 'secretKey', 'mldsa65Seed', 'decryption', 'certificates', 'echServerKeys'];
  const names = [
    ...[
      'network',
      'method',
      'security',
      'externalProxy',
      'dest',
      'port',
      'forceTls',
      'remark',
      'sni',
      'alpn',
      'fingerprint',
    ],
    ...['tlsSettings', 'realitySettings', 'settings', 'serverName', 'serverNames', 'shortIds', 'publicKey', 'spiderX'],
    ...[
      'tcpSettings',
      'wsSettings',
      'grpcSettings',
      'xhttpSettings',
      'kcpSettings',
      'httpupgradeSettings',
      'header',
      'seed',
    ],
    ...['request', 'headers', 'Host', 'path', 'host', 'type', 'mode', 'serviceName', 'authority', 'extra', 'xmux'],
    ...[
      'downloadSettings',
      'finalmask',
      'udp',
      'tcp',
      'quicParams',
      'udpHop',
      'ports',
      'password',
      'encryption',
      'version',
    ],
    ...[
      'pinnedPeerCertSha256',
      'echConfigList',
      'scMaxEachPostBytes',
      '__proto__',
      'constructor',
      'toString',
      'valueOf',
      ...secretNames,
    ],
  ];
  const words = fc.constantFrom(
    'tcp',
    'ws',
    'grpc',
    'xhttp',
    'kcp',
    'httpupgrade',
    'tls',
    'reality',
    'http',
    'none',
    'salamander',
    'x.test',
  );
  const { value: anything } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    object: fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 12 })
      .map((members) =>
        Object.fromEntries(members.map(([name, value]) => [name, secretNames.includes(name) ? SECRET : value])),
      ),
    value: fc.oneof(
      { depthSize: 'medium' },
      words,
      hostile,
      fc.integer(),
      fc.double(),
      fc.constantFrom(null, true, false),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  }));
  const stored = fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 30 });

  /** A link and whatever is packed inside it. */
  function opened(link: string): string {
    return link.startsWith('vmess://') ? JSON.stringify(vmessJson(link)) : decodeURIComponent(link);
  }

  it('cause no error, line break or leaked secret', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROTOCOLS),
        stored,
        fc.oneof(stored, fc.constant(null)),
        (protocol, settings, stream) => {
          const withSecrets = { ...settings, decryption: SECRET, secretKey: SECRET };
          for (const link of linksOf(inboundOf(protocol, stream, withSecrets), aClient(), unused, aContext())) {
            if (!hasUrl(link)) continue;
            const url = linkUrl(link);
            expectOneLine(url);
            expect(link.port).toBeGreaterThan(0);
            expect(opened(url)).not.toMatch(/T0P-SECRET|privateKey|decryption|mldsa65Seed/);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('produce links with REALITY, masks and downloads without a secret', () => {
    fc.assert(
      fc.property(anything, anything, (mask, download) => {
        const stream = {
          ...reality,
          network: 'xhttp',
          realitySettings: { ...reality.realitySettings, privateKey: SECRET, mldsa65Seed: SECRET },
          xhttpSettings: { mode: 'auto', downloadSettings: download, xmux: mask },
          finalmask: { udp: [{ type: 'salamander', settings: mask }], quicParams: download },
        };
        const [url = ''] = linkUrls(
          linksOf(inboundOf('vless', stream, { decryption: SECRET }), aClient(), unused, aContext()),
        );
        expectOneLine(url);
        expect(opened(url)).not.toMatch(/T0P-SECRET|privateKey|decryption|mldsa65Seed/);
      }),
    );
  });

  it('cause no error when any single member has another type', () => {
    const odd = [
      undefined,
      null,
      true,
      5,
      '',
      '\n',
      [],
      [null],
      [[]],
      [{}],
      {},
      { toString: 1, valueOf: 1 },
      Object.create(null),
    ];
    const streams = [
      {
        ...tcp,
        ...tls,
        externalProxy: [{ forceTls: 'tls', dest: 'x.test', port: 1, remark: 'r', sni: 's', alpn: ['h2'] }],
      },
      { ...reality, network: 'grpc', grpcSettings: { serviceName: 's', authority: 'a', multiMode: true } },
      { ...tls, network: 'ws', wsSettings: { path: '/', host: '', headers: { Host: ['h'] } } },
      { network: 'tcp', tcpSettings: { header: { type: 'http', request: { path: ['/'], headers: { Host: ['h'] } } } } },
      {
        network: 'kcp',
        kcpSettings: { header: { type: 'srtp' }, seed: 's' },
        finalmask: { udp: [{ type: 'mkcp-legacy', settings: { header: 'utp', value: '' } }] },
      },
      {
        network: 'xhttp',
        xhttpSettings: {
          path: '/',
          mode: 'auto',
          xPaddingObfsMode: true,
          scMaxEachPostBytes: 1,
          headers: { a: 'b' },
          xmux: {},
        },
      },
      {
        ...tls,
        finalmask: {
          udp: [{ type: 'salamander', settings: { password: 'p' } }],
          quicParams: { udpHop: { ports: '1-2' } },
        },
      },
    ];
    const settings = { method: '2022-blake3-aes-128-gcm', password: 'p', encryption: 'none', version: 1 };
    for (const stream of streams) {
      for (const config of mutations({ settings, stream }, odd)) {
        for (const protocol of PROTOCOLS) {
          const inbound = { ...inboundOf(protocol, null), config: config as ReturnType<typeof inboundOf>['config'] };
          linkUrls(linksOf(inbound, aClient(), unused, aContext())).forEach(expectOneLine);
        }
      }
    }
  });

  it('cause no error with an infinitely nested mask', () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 50_000; depth++) deep = { a: deep };
    const stream = { ...tls, network: 'xhttp', xhttpSettings: { xmux: deep }, finalmask: { quicParams: deep } };
    expect(linksOf(inboundOf('vless', stream), aClient(), unused, aContext())).toHaveLength(1);
  });
});

/** Copies of a value, each with one of its members, at any depth, replaced by each of the odd ones. */
function* mutations(value: unknown, odd: readonly unknown[], top = true): Generator<unknown> {
  if (!top) yield* odd;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    // The document is always an object with settings and a stream.
    const below = top && name === 'settings' ? mutations(member, odd, true) : mutations(member, odd, false);
    for (const other of below) {
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other };
    }
  }
}
