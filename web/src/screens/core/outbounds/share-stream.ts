import type { Json, JsonObject } from '../../../model/json';
import { parse } from '../template';

/** The options of a share link. */
export type Options = ReadonlyMap<string, string>;
export type Part = JsonObject;

/** Members that have a value. */
function given(members: Readonly<Record<string, Json | undefined>>): Part {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Transport and security of a share link, as `streamSettings`. `server` is the host of the link. */
export function streamOf(options: Options, server: string): Part {
  const type = options.get('type') ?? 'tcp';
  const mask = parse(options.get('fm') ?? '');
  return {
    ...transportOf(type === 'splithttp' ? 'xhttp' : type, options),
    ...securityOf(options, server),
    ...(mask === null ? {} : { finalmask: mask }),
  };
}

function transportOf(network: string, options: Options): Part {
  const path = options.get('path') ?? '/';
  const host = options.get('host');
  switch (network) {
    case 'ws':
      return { network, wsSettings: given({ path, host }) };
    case 'httpupgrade':
      return { network, httpupgradeSettings: given({ path, host }) };
    case 'xhttp': {
      const extra = parse(options.get('extra') ?? '') ?? undefined;
      const xPaddingBytes = extra === undefined ? options.get('x_padding_bytes') : undefined;
      const mode = options.get('mode') ?? 'auto';
      return { network, xhttpSettings: given({ path, host, mode, extra, xPaddingBytes }) };
    }
    case 'grpc': {
      const multiMode = options.get('mode') === 'multi' || undefined;
      const serviceName = options.get('serviceName') ?? '';
      return { network, grpcSettings: given({ serviceName, authority: options.get('authority'), multiMode }) };
    }
    case 'kcp': {
      const number = (name: string) => (options.has(name) ? Number(options.get(name)) : undefined);
      const masks = options.has('fm') ? [] : kcpMasks(options);
      const kcpSettings = given({ mtu: number('mtu'), tti: number('tti') });
      return { network, kcpSettings, ...(masks.length === 0 ? {} : { finalmask: { udp: masks } }) };
    }
    default:
      return { network: 'raw', ...httpHeader(options) };
  }
}

/** The header and the seed of older links are masks in the core of today. */
function kcpMasks(options: Options): readonly Part[] {
  const seed = options.get('seed');
  const header = options.get('headerType') ?? 'none';
  const short = header === 'wechat-video' ? 'wechat' : header;
  return [
    ...(seed === undefined ? [] : [{ type: 'mkcp-legacy', settings: { value: seed } }]),
    ...(header === 'none' ? [] : [{ type: 'mkcp-legacy', settings: { header: short } }]),
  ];
}

/** Raw TCP that looks like a request over HTTP. */
function httpHeader(options: Options): Part {
  if (options.get('headerType') !== 'http') return {};
  const host = options.get('host');
  const headers = host === undefined ? {} : { Host: host.split(',') };
  const request = { path: (options.get('path') ?? '/').split(','), headers };
  return { rawSettings: { header: { type: 'http', request } } };
}

function securityOf(options: Options, server: string): Part {
  const security = options.get('security') ?? 'none';
  if (security === 'tls') return { security, tlsSettings: tlsOf(options, server) };
  if (security !== 'reality') return { security: 'none' };
  const realitySettings = given({
    serverName: options.get('sni') ?? server,
    fingerprint: options.get('fp') ?? 'chrome',
    password: options.get('pbk') ?? '',
    shortId: options.get('sid') ?? '',
    spiderX: options.get('spx'),
    mldsa65Verify: options.get('pqv'),
  });
  return { security, realitySettings };
}

/** A link that asks to trust any certificate gets none of that: the core accepts only a pinned certificate. */
export function tlsOf(options: Options, server: string): Part {
  return given({
    serverName: options.get('sni') ?? options.get('host') ?? server,
    fingerprint: options.get('fp'),
    alpn: options.get('alpn')?.split(','),
    pinnedPeerCertSha256: options.get('pcs')?.replaceAll(':', '').toLowerCase(),
    verifyPeerCertByName: options.get('vcn'),
    echConfigList: options.get('ech'),
  });
}

/** A name for an outbound that no other has: letters, digits and hyphens of `wanted`, and a number if it is taken. */
export function freeTag(wanted: string, taken: readonly string[]): string {
  const plain = wanted
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  const base = plain === '' ? 'outbound' : plain;
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
