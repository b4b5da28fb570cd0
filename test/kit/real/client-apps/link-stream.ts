import { compact, jsonObject, LinkError, type Params } from './link-syntax.js';

type Settings = Record<string, unknown>;

/** What a link says about transport and security, as `streamSettings` of an outbound. `server` is the link's host. */
export function streamSettings(query: Params, server: string, defaultSecurity: 'none' | 'tls' = 'none'): Settings {
  const network = query.get('type') ?? 'tcp';
  const transport = TRANSPORTS[network];
  if (transport === undefined) throw new LinkError(`unknown transport type=${network}`);
  const mask = query.get('fm');
  return {
    ...transport(query),
    ...securitySettings(query, server, query.get('security') ?? defaultSecurity),
    ...(mask === undefined ? {} : { finalmask: jsonObject(mask, 'fm') }),
  };
}

const TRANSPORTS: Partial<Record<string, (query: Params) => Settings>> = {
  tcp: raw,
  raw,
  ws: (query) => ({ network: 'ws', wsSettings: compact({ path: query.get('path') ?? '/', host: query.get('host') }) }),
  httpupgrade: (query) => ({
    network: 'httpupgrade',
    httpupgradeSettings: compact({ path: query.get('path') ?? '/', host: query.get('host') }),
  }),
  grpc: (query) => ({ network: 'grpc', grpcSettings: grpcSettings(query) }),
  xhttp: (query) => ({ network: 'xhttp', xhttpSettings: xhttpSettings(query) }),
  kcp: (query) => ({ network: 'kcp', kcpSettings: kcpSettings(query), ...kcpMasks(query) }),
};

function raw(query: Params): Settings {
  const header = query.get('headerType') ?? 'none';
  if (header === 'none') return { network: 'raw' };
  if (header !== 'http') throw new LinkError(`headerType=${header} over tcp`);
  const host = query.get('host');
  const request = {
    path: [query.get('path') ?? '/'],
    headers: {
      ...(host === undefined ? {} : { Host: [host] }),
      'User-Agent': ['Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'],
      'Accept-Encoding': ['gzip, deflate'],
      Connection: ['keep-alive'],
      Pragma: 'no-cache',
    },
  };
  return { network: 'raw', rawSettings: { header: { type: 'http', request } } };
}

function grpcSettings(query: Params): Settings {
  const mode = query.get('mode') ?? 'gun';
  if (mode !== 'gun' && mode !== 'multi') throw new LinkError(`gRPC mode=${mode}`);
  return compact({
    serviceName: query.get('serviceName') ?? '',
    authority: query.get('authority'),
    multiMode: mode === 'multi' ? true : undefined,
  });
}

function xhttpSettings(query: Params): Settings {
  const extra = query.get('extra');
  const padding = query.get('x_padding_bytes');
  const mode = query.get('mode') ?? 'auto';
  if (!['auto', 'packet-up', 'stream-up', 'stream-one'].includes(mode)) throw new LinkError(`XHTTP mode=${mode}`);
  return compact({
    path: query.get('path') ?? '/',
    host: query.get('host'),
    mode,
    extra: extra === undefined ? undefined : jsonObject(extra, 'extra'),
    xPaddingBytes: extra === undefined ? padding : undefined,
  });
}

function kcpSettings(query: Params): Settings {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  return compact({ mtu: number('mtu'), tti: number('tti') });
}

/** The core knows header and seed of old only as masks. The last mask is first on the wire: the header. */
function kcpMasks(query: Params): Settings {
  const header = query.get('headerType') ?? 'none';
  const seed = query.get('seed');
  if (query.has('fm')) return {};
  const udp: Settings[] = [];
  if (seed !== undefined) udp.push({ type: 'mkcp-legacy', settings: { value: seed } });
  if (header !== 'none') {
    const short = header === 'wechat-video' ? 'wechat' : header;
    if (!['srtp', 'utp', 'wechat', 'dtls', 'wireguard', 'dns'].includes(short))
      throw new LinkError(`headerType=${header}`);
    udp.push({ type: 'mkcp-legacy', settings: { header: short } });
  }
  return udp.length === 0 ? {} : { finalmask: { udp } };
}

function securitySettings(query: Params, server: string, security: string): Settings {
  if (security === 'none') return { security };
  if (security === 'tls') return { security, tlsSettings: tlsSettings(query, server) };
  if (security === 'reality') return { security, realitySettings: realitySettings(query, server) };
  throw new LinkError(`security=${security}`);
}

/** Name: sni, else the transport's host, else the server. The core refuses to trust blindly, so a pin is the only way. */
export function tlsSettings(query: Params, server: string): Settings {
  const pin = query.get('pcs');
  const blind = ['1', 'true'].includes(query.get('allowInsecure') ?? query.get('insecure') ?? '0');
  if (blind && pin === undefined) throw new LinkError('asks to trust any certificate, which the core refuses');
  return compact({
    serverName: query.get('sni') ?? query.get('host') ?? server,
    fingerprint: query.get('fp'),
    alpn: query.get('alpn')?.split(','),
    pinnedPeerCertSha256: pin === undefined ? undefined : pins(pin),
    verifyPeerCertByName: query.get('vcn'),
    echConfigList: query.get('ech'),
  });
}

/** SHA-256 pins in hex, with or without colons, as the core writes them. */
export function pins(text: string): string {
  const all = text.split(',').map((pin) => pin.replaceAll(':', '').toLowerCase());
  for (const pin of all) if (!/^[0-9a-f]{64}$/.test(pin)) throw new LinkError(`not a SHA-256 pin in hex: ${pin}`);
  return all.join(',');
}

function realitySettings(query: Params, server: string): Settings {
  const key = query.get('pbk');
  if (key === undefined || !/^[A-Za-z0-9_-]{43}$/.test(key)) throw new LinkError('REALITY without a public key (pbk)');
  const shortId = query.get('sid') ?? '';
  if (!/^([0-9a-f]{2}){0,8}$/i.test(shortId)) throw new LinkError(`REALITY short id ${shortId}`);
  const spider = query.get('spx');
  if (spider !== undefined && !spider.startsWith('/')) throw new LinkError(`spx must start with a slash: ${spider}`);
  return compact({
    serverName: query.get('sni') ?? server,
    fingerprint: query.get('fp') ?? 'chrome',
    password: key,
    shortId,
    spiderX: spider,
    mldsa65Verify: query.get('pqv'),
  });
}
