import type { ShareLink } from '../../../src/projections/subscription/links.js';
import type { LinkParams } from '../../../src/projections/subscription/share-link.js';
import { cases, linksOfCase } from './matrix.js';

const all = cases();

function linkOf(name: string): ShareLink {
  const found = all.find((one) => one.name === name);
  const [link] = found ? linksOfCase(found) : [];
  if (link === undefined) throw new Error(`no link ${name}`);
  return link;
}

function withParams(name: string, params: LinkParams): ShareLink {
  const link = linkOf(name);
  return { ...link, params: { ...link.params, ...params } };
}

const extras: readonly object[] = [
  ...['abc', '900-100', '0-0', '0-5', '-5', '1-2-3', -5, 1.5, true, { from: 1, to: 2 }, [1]].flatMap((range) => [
    { xPaddingBytes: range },
    { scMaxEachPostBytes: range },
    { scMinPostsIntervalMs: range },
    { uplinkChunkSize: range },
    { sessionIDTable: 'ALPHABET', sessionIDLength: range },
    { xmux: { maxConcurrency: range } },
    { xmux: { hKeepAlivePeriod: range } },
  ]),
  ...['moon', '', 5, {}].flatMap((place) => [
    { sessionIDPlacement: place },
    { seqPlacement: place },
    { uplinkDataPlacement: place },
    { xPaddingObfsMode: true, xPaddingPlacement: place, xPaddingMethod: place },
    { uplinkHTTPMethod: place },
    { noGRPCHeader: place },
    { headers: place },
    { headers: { 'a b': place } },
    { xmux: place },
    { downloadSettings: place },
  ]),
  { xmux: { maxConcurrency: '1-2', maxConnections: '3-4' } },
  { downloadSettings: { address: 'd.example', port: 443, security: 'reality', realitySettings: { publicKey: 'x' } } },
  { downloadSettings: { address: 'd.example', port: 99_999, security: 'none' } },
  {
    downloadSettings: {
      address: 'd.example',
      port: 1,
      security: 'tls',
      tlsSettings: { serverName: 5, alpn: 'x', fingerprint: 5 },
      xhttpSettings: { path: 5, host: {} },
    },
  },
];

/** Settings that an admin can store but that no app or only some apps support: one server of a subscription each. */
export const slips: readonly ShareLink[] = [
  ...['not a uuid', 'x', '"\'%+ü😀', 'a'.repeat(40), 'f'.repeat(32), 'zzzzzzzz-7a4e-4a5e-9a41-1d1f6e7c0a11'].flatMap(
    (user) => [
      { ...linkOf('vless, tcp, tls'), user },
      { ...linkOf('vmess, tcp, tls'), user },
    ],
  ),
  ...extras.flatMap((extra) =>
    ['vless, xhttp auto, tls', 'vless, xhttp stream-one, none'].map((name) =>
      withParams(name, { extra: JSON.stringify(extra) }),
    ),
  ),
  withParams('vless, xhttp auto, tls', { extra: 'no JSON' }),
  withParams('vless, xhttp auto, tls', { mode: 'moon' }),
  withParams('vless, xhttp auto, none', { alpn: 'h3' }),
  ...['x', 'A'.repeat(44), '='.repeat(43)].map((pbk) => withParams('vless, tcp, reality', { pbk })),
  ...['xyz', 'abc', 'ab'.repeat(9)].map((sid) => withParams('vless, tcp, reality', { sid })),
  ...['AAAA', 'not_base64=', 'A', 'moon+', 'https://dns.example/q'].map((ech) =>
    withParams('vless, tcp, tls', { ech }),
  ),
  ...['x', 'mlkem768x25519plus.native.0rtt.short', 'mlkem768x25519plus.native.0rtt', 'mlkem768x25519plus'].map(
    (encryption) => withParams('vless, tcp, tls', { encryption }),
  ),
  ...['__proto__', 'hello', 'unsafe'].flatMap((fp) => [
    withParams('vless, tcp, tls', { fp }),
    withParams('vless, tcp, reality', { fp }),
  ]),
  withParams('vless, tcp, tls', { alpn: 'x,,y' }),
  ...['70000', '5-', '9-5', '0', ',', '1-2-3'].map((mport) => withParams('hysteria2', { mport })),
  { ...linkOf('ss, tcp, none'), method: 'rc4' },
  { ...linkOf('ss, tcp, none'), method: '2022-blake3-aes-128-gcm', user: 'x:y' },
  { ...linkOf('ss 2022 128'), method: '2022-blake3-aes-256-gcm' },
  { ...linkOf('vmess, tcp, tls'), method: 'moon' },
  ...['?', ':x', '//x:y', 'http://[::1', '%', '%zz', '/?ed=999999', ' ', '\u2028'].flatMap((path) => [
    withParams('vless, ws, none', { path }),
    withParams('vmess, httpupgrade, tls', { path }),
    withParams('vless, tcp + http, none', { path }),
    withParams('vless, xhttp auto, tls', { path }),
    withParams('ss, ws, none', { path }),
    withParams('vless, grpc, none', { serviceName: path }),
    withParams('vless, ws, none', { host: path, sni: path }),
  ]),
];
