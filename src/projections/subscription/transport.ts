import { canonicalJson, type Json, type JsonObject } from '../../lib/json.js';
import { xhttpForClients } from '../../lib/stream-names.js';
import { type Fields, fieldsOf, firstTextOf, hostHeaderOf, publicJson, textOf } from './fields.js';
import { earlyData } from './path.js';
import type { LinkParams } from './share-link.js';

/** How the inbound's bytes travel: `type` and what belongs to it; members may be empty. Null for one that the core has not. */
export function transportOf(stream: Fields): LinkParams | null {
  // Newer cores call the network `method`.
  const params = networkParams(textOf(stream['network']) || textOf(stream['method']) || 'tcp', stream);
  return params === null || stream['finalmask'] === undefined ? params : { ...params, fm: maskOf(stream['finalmask']) };
}

function networkParams(network: string, stream: Fields): LinkParams | null {
  switch (network) {
    case 'tcp':
    case 'raw':
      return tcpParams(fieldsOf(stream['tcpSettings'] ?? stream['rawSettings']));
    case 'kcp':
    case 'mkcp':
      return kcpParams(fieldsOf(stream['kcpSettings']), fieldsOf(stream['finalmask']));
    case 'ws':
    case 'websocket':
      return { type: 'ws', ...httpParams(fieldsOf(stream['wsSettings'])) };
    case 'httpupgrade':
      return { type: 'httpupgrade', ...upgradeParams(fieldsOf(stream['httpupgradeSettings'])) };
    case 'grpc':
      return grpcParams(fieldsOf(stream['grpcSettings']));
    case 'xhttp':
    case 'splithttp':
      return xhttpParams(fieldsOf(stream['xhttpSettings'] ?? stream['splithttpSettings']));
    default:
      return null;
  }
}

function httpParams(settings: Fields): { readonly path: string; readonly host: string } {
  return { path: textOf(settings['path']), host: textOf(settings['host']) || hostHeaderOf(settings['headers']) };
}

/** The core loses what comes right behind the request: no client can begin with early data, and none is told of it. */
function upgradeParams(settings: Fields): LinkParams {
  const { path, host } = httpParams(settings);
  return { path: earlyData(path).path, host };
}

function tcpParams(settings: Fields): LinkParams {
  const header = fieldsOf(settings['header']);
  if (header['type'] !== 'http') return { type: 'tcp' };
  const request = fieldsOf(header['request']);
  // Apps take a list of hosts or paths for one name: only the first is said.
  const path = firstTextOf(request['path']);
  return { type: 'tcp', headerType: 'http', path, host: hostHeaderOf(request['headers']) };
}

function grpcParams(settings: Fields): LinkParams {
  return {
    type: 'grpc',
    serviceName: textOf(settings['serviceName']),
    authority: textOf(settings['authority']),
    mode: settings['multiMode'] === true ? 'multi' : 'gun',
  };
}

/** Masks by their names before the core folded them into `mkcp-legacy`, and after. */
const KCP_HEADERS = new Map([
  ['dns', 'dns'],
  ['dtls', 'dtls'],
  ['srtp', 'srtp'],
  ['utp', 'utp'],
  ['wechat', 'wechat-video'],
  ['wireguard', 'wireguard'],
]);

/** The core keeps header and seed as masks; links still carry them as before. */
function kcpParams(kcp: Fields, finalmask: Fields): LinkParams {
  let headerType = textOf(fieldsOf(kcp['header'])['type']);
  let seed = textOf(kcp['seed']);
  for (const mask of masksOf(finalmask['udp'])) {
    const type = textOf(mask['type']);
    const settings = fieldsOf(mask['settings']);
    const header = type === 'mkcp-legacy' ? textOf(settings['header']) : type.replace(/^header-/, '');
    headerType ||= KCP_HEADERS.get(header) ?? '';
    if (type === 'mkcp-legacy' && header === '') seed ||= textOf(settings['value']);
    if (type === 'mkcp-aes128gcm') seed ||= textOf(settings['password']);
  }
  return { type: 'kcp', headerType: headerType === 'none' ? '' : headerType, seed };
}

const UDP_MASKS: ReadonlySet<unknown> = new Set([
  'salamander',
  'mkcp-legacy',
  'xdns',
  'xicmp',
  'noise',
  'header-custom',
  'realm',
]);
const TCP_MASKS: ReadonlySet<unknown> = new Set(['header-custom', 'fragment', 'sudoku', 'xmc']);

/** `fm`: the masks that today's core knows, as JSON; empty when there is none. */
function maskOf(finalmask: unknown): string {
  const { tcp, udp, quicParams } = fieldsOf(finalmask);
  const known = publicJson({
    tcp: masksOf(tcp).filter((mask) => TCP_MASKS.has(mask['type'])),
    udp: masksOf(udp).filter((mask) => UDP_MASKS.has(mask['type'])),
    quicParams: fieldsOf(quicParams),
  });
  return known === undefined ? '' : canonicalJson(known);
}

function masksOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** The password of the Salamander mask, which is what Hysteria calls `obfs`; empty when there is none. */
export function salamanderPassword(stream: Fields): string {
  const mask = masksOf(fieldsOf(stream['finalmask'])['udp']).find(({ type }) => type === 'salamander');
  return textOf(fieldsOf(mask?.['settings'])['password']);
}

function xhttpParams(settings: Fields): LinkParams {
  const mode = textOf(settings['mode']);
  // In the core's own words `extra` replaces its siblings, save path, host and mode.
  const extra = xhttpExtra(xhttpForClients(fieldsOf(settings['extra'] ?? settings) as JsonObject), mode);
  return {
    type: 'xhttp',
    ...httpParams(settings),
    mode,
    // Some forks of sing-box read the padding only here.
    x_padding_bytes: textOf(extra['xPaddingBytes']),
    extra: Object.keys(extra).length === 0 ? '' : canonicalJson(extra),
  };
}

/** Members that both ends must agree on, or that shape the client's requests. What only the server reads is not here. */
const SHARED = [
  'xPaddingBytes',
  'sessionPlacement',
  'sessionKey',
  'sessionIDPlacement',
  'sessionIDKey',
  'sessionIDTable',
  'sessionIDLength',
  'seqPlacement',
  'seqKey',
  'uplinkDataPlacement',
  'uplinkDataKey',
  'uplinkHTTPMethod',
  'uplinkChunkSize',
  'scMaxEachPostBytes',
  'scMinPostsIntervalMs',
  'noGRPCHeader',
  'xmux',
  'downloadSettings',
] as const;
const PADDING_DISGUISE = [
  'xPaddingObfsMode',
  'xPaddingKey',
  'xPaddingHeader',
  'xPaddingPlacement',
  'xPaddingMethod',
] as const;
/** Saying the core's own default is a fingerprint. */
const CORE_DEFAULTS = new Map<string, readonly Json[]>([
  ['scMaxEachPostBytes', [1_000_000, '1000000']],
  ['scMinPostsIntervalMs', [30, '30']],
]);

function xhttpExtra(source: Fields, mode: string): Readonly<Record<string, Json>> {
  const extra: Record<string, Json> = mode === '' ? {} : { mode };
  const names = source['xPaddingObfsMode'] === true ? [...SHARED, ...PADDING_DISGUISE] : SHARED;
  for (const name of names) {
    const value = source[name];
    const copy = value === false || value === 0 ? undefined : publicJson(value);
    if (copy !== undefined && !CORE_DEFAULTS.get(name)?.includes(copy)) extra[name] = copy;
  }
  // The core refuses a Host here: it has its own member.
  const headers = Object.entries(fieldsOf(source['headers'])).filter(([name]) => name.toLowerCase() !== 'host');
  const kept = publicJson(Object.fromEntries(headers));
  if (kept !== undefined) extra['headers'] = kept;
  return extra;
}
