import type { Json, JsonObject } from '../../../lib/json.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { compact, earlyData, jsonOf, listOf, uniqueNames, wellFormed } from './members.js';

/** Names that Mihomo has itself, and those of the groups below. */
const TAKEN = ['DIRECT', 'REJECT', 'REJECT-DROP', 'PASS', 'COMPATIBLE', 'GLOBAL', 'PROXY', 'Auto'];
const PROBE = 'https://www.gstatic.com/generate_204';

/**
 * A document for Mihomo and its apps; null when no link can be said in it. What Mihomo does not speak is left out: it
 * refuses the whole document for one proxy that it does not know. Every scalar is written as JSON, which YAML 1.1 and 1.2
 * read alike, so that no password becomes a number.
 */
export function clashDocument(links: readonly ShareLink[]): string | null {
  const proxies = links.map(clashProxy).filter((proxy) => proxy !== null);
  if (proxies.length === 0) return null;
  const names = uniqueNames(
    proxies.map((proxy) => wellFormed(String(proxy['name']))),
    TAKEN,
  );
  const lines = proxies.map((proxy, at) => `  - ${scalar({ ...proxy, name: names[at] ?? '' })}`);
  const groups: JsonObject[] = [
    { name: 'PROXY', type: 'select', proxies: ['Auto', ...names, 'DIRECT'] },
    { name: 'Auto', type: 'url-test', url: PROBE, interval: 300, tolerance: 50, proxies: [...names] },
  ];
  return [
    'proxies:',
    ...lines,
    'proxy-groups:',
    ...groups.map((group) => `  - ${scalar(group)}`),
    'rules:',
    '  - "MATCH,PROXY"',
    '',
  ].join('\n');
}

/** JSON with a space after colons and commas between members: some readers of YAML want it. */
function scalar(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(scalar).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value as JsonObject)
      .map(([name, member]) => `${JSON.stringify(name)}: ${scalar(member)}`)
      .join(', ')}}`;
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** The line separators of Unicode stand bare in JSON, and break a line of YAML 1.1. */
function quoted(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(
    /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The proxy of Mihomo that a link stands for, or null when Mihomo cannot do it. */
export function clashProxy(link: ShareLink): JsonObject | null {
  const { scheme, host: server, port, user, method, name, params } = link;
  const common = { name, server, port, udp: true };
  if (params['fm'] !== undefined) return null;
  switch (scheme) {
    case 'vless': {
      const network = networkOf(params, ['tcp', 'ws', 'httpupgrade', 'grpc', 'xhttp']);
      const { encryption } = params;
      return (
        network && {
          ...common,
          type: 'vless',
          uuid: user,
          ...compact({
            flow: params['flow']?.replace(/-udp443$/, ''),
            encryption: encryption === 'none' ? undefined : encryption,
          }),
          'packet-encoding': 'xudp',
          ...tlsOf(params, 'servername'),
          ...network,
        }
      );
    }
    case 'vmess': {
      const network = networkOf(params, ['tcp', 'ws', 'httpupgrade', 'grpc']);
      const vmess = { type: 'vmess', uuid: user, alterId: 0, cipher: method };
      return network && { ...common, ...vmess, ...tlsOf(params, 'servername'), ...network };
    }
    case 'trojan': {
      const network = params['headerType'] === 'http' ? null : networkOf(params, ['tcp', 'ws', 'httpupgrade', 'grpc']);
      const { tls, ...security } = tlsOf(params, 'sni');
      // Mihomo speaks Trojan inside of TLS only.
      return network && tls === true ? { ...common, type: 'trojan', password: user, ...security, ...network } : null;
    }
    case 'ss': {
      const plugin = pluginOf(params);
      return plugin && { ...common, type: 'ss', cipher: method, password: user, ...plugin };
    }
    case 'hysteria2':
      return { ...common, type: 'hysteria2', password: user, ...hysteriaOf(params) };
  }
}

function tlsOf(params: LinkParams, nameKey: 'servername' | 'sni'): JsonObject {
  const { security, sni, fp, alpn, ech, pcs, pbk, sid = '' } = params;
  if (security !== 'tls' && security !== 'reality') return {};
  return compact({
    tls: true,
    [nameKey]: sni ?? params['host'],
    alpn: listOf(alpn),
    'client-fingerprint': fingerprintOf(fp),
    fingerprint: pcs?.split(',')[0],
    'ech-opts': ech === undefined ? undefined : echOf(ech),
    'reality-opts': pbk === undefined ? undefined : { 'public-key': pbk, 'short-id': sid },
  });
}

/** A list in base64, or else the name of a server to ask for one, which Mihomo finds by itself. */
function echOf(ech: string): JsonObject {
  return /^[\w+/]+=*$/.test(ech) ? { enable: true, config: ech } : { enable: true };
}

const FINGERPRINTS = new Set(['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', '360', 'qq', 'random']);

function fingerprintOf(fp: string | undefined): string | undefined {
  if (fp === undefined || FINGERPRINTS.has(fp)) return fp;
  return fp.startsWith('random') ? 'random' : undefined;
}

function networkOf(params: LinkParams, known: readonly string[]): JsonObject | null {
  const { type = 'tcp', headerType, path = '/', host, serviceName = '' } = params;
  if (!known.includes(type)) return null;
  switch (type) {
    case 'ws': {
      const { path: bare, bytes } = earlyData(path);
      const early = bytes === 0 ? {} : { 'max-early-data': bytes, 'early-data-header-name': 'Sec-WebSocket-Protocol' };
      return { network: 'ws', 'ws-opts': { path: bare, ...hostHeader(host), ...early } };
    }
    case 'httpupgrade': {
      const { path: bare, bytes } = earlyData(path);
      const early = bytes === 0 ? {} : { 'v2ray-http-upgrade-fast-open': true };
      const options = { path: bare, ...hostHeader(host), 'v2ray-http-upgrade': true, ...early };
      return { network: 'ws', 'ws-opts': options };
    }
    case 'grpc':
      return { network: 'grpc', 'grpc-opts': { 'grpc-service-name': serviceName } };
    case 'xhttp':
      return { network: 'xhttp', 'xhttp-opts': xhttpOf(params) };
    default: {
      if (headerType !== 'http') return { network: 'tcp' };
      const headers = host === undefined ? {} : { headers: { Host: [host] } };
      return { network: 'http', 'http-opts': { method: 'GET', path: [path], ...headers } };
    }
  }
}

function hostHeader(host: string | undefined): JsonObject {
  return host === undefined ? {} : { headers: { Host: host } };
}

/** Members of `extra` by their names in Mihomo. */
const XHTTP: readonly (readonly [string, string])[] = [
  ['xPaddingBytes', 'x-padding-bytes'],
  ['xPaddingObfsMode', 'x-padding-obfs-mode'],
  ['xPaddingKey', 'x-padding-key'],
  ['xPaddingHeader', 'x-padding-header'],
  ['xPaddingPlacement', 'x-padding-placement'],
  ['xPaddingMethod', 'x-padding-method'],
  ['uplinkHTTPMethod', 'uplink-http-method'],
  ['sessionPlacement', 'session-placement'],
  ['sessionKey', 'session-key'],
  ['sessionIDPlacement', 'session-placement'],
  ['sessionIDKey', 'session-key'],
  ['sessionIDTable', 'session-table'],
  ['sessionIDLength', 'session-length'],
  ['seqPlacement', 'seq-placement'],
  ['seqKey', 'seq-key'],
  ['uplinkDataPlacement', 'uplink-data-placement'],
  ['uplinkDataKey', 'uplink-data-key'],
  ['uplinkChunkSize', 'uplink-chunk-size'],
  ['scMaxEachPostBytes', 'sc-max-each-post-bytes'],
  ['scMinPostsIntervalMs', 'sc-min-posts-interval-ms'],
  ['noGRPCHeader', 'no-grpc-header'],
  ['headers', 'headers'],
];

function xhttpOf({ path = '/', host, mode, extra }: LinkParams): JsonObject {
  const members = jsonOf(extra ?? '') as JsonObject | undefined;
  const named = XHTTP.flatMap(([from, to]) => (members?.[from] === undefined ? [] : [[to, members[from]] as const]));
  return compact({ path, host, mode: mode === 'auto' ? undefined : mode, ...Object.fromEntries(named) });
}

/** SIP003 as Mihomo names it; null for what no plugin says. */
function pluginOf({ type = 'tcp', headerType, security, path = '/', host, sni }: LinkParams): JsonObject | null {
  if (type === 'ws' && security !== 'reality') {
    const options = compact({ mode: 'websocket', tls: security === 'tls' || undefined, host: host ?? sni, path });
    return { plugin: 'v2ray-plugin', 'plugin-opts': { ...options, mux: false } };
  }
  if (type !== 'tcp' || (security !== undefined && security !== 'none')) return null;
  if (headerType !== 'http') return {};
  return { plugin: 'obfs', 'plugin-opts': compact({ mode: 'http', host }) };
}

function hysteriaOf(params: LinkParams): JsonObject {
  const { sni, alpn, ech, mport, obfs, pinSHA256, insecure } = params;
  return compact({
    ports: mport,
    obfs,
    'obfs-password': params['obfs-password'],
    sni,
    alpn: listOf(alpn),
    fingerprint: pinSHA256,
    'skip-cert-verify': insecure === '1' || undefined,
    'ech-opts': ech === undefined ? undefined : echOf(ech),
  });
}
