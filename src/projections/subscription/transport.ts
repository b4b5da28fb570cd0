import { canonicalJson, type Json, type JsonObject } from '../../lib/json.js';
import { xhttpForClients } from '../../lib/stream-names.js';
import { type Fields, fieldsOf, firstTextOf, hostHeaderOf, publicJson, textOf } from './fields.js';
import { earlyData } from './path.js';
import type { LinkParams } from './share-link.js';

/** Link parameters of the transport; values may be empty. Null for a transport that the core does not have. */
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

/** The core loses data that directly follows the request, so early data is not offered. */
function upgradeParams(settings: Fields): LinkParams {
  const { path, host } = httpParams(settings);
  return { path: earlyData(path).path, host };
}

function tcpParams(settings: Fields): LinkParams {
  const header = fieldsOf(settings['header']);
  if (header['type'] !== 'http') return { type: 'tcp' };
  const request = fieldsOf(header['request']);
  // Apps use a list of hosts or paths as one name, so only the first is given.
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

/** Header types by the names of masks, before and after the core merged them into `mkcp-legacy`. */
const KCP_HEADERS = new Map([
  ['dns', 'dns'],
  ['dtls', 'dtls'],
  ['srtp', 'srtp'],
  ['utp', 'utp'],
  ['wechat', 'wechat-video'],
  ['wireguard', 'wireguard'],
]);

/** The core configures header and seed as masks. Links still have the previous parameters. */
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

/** `fm`: the masks that the core knows, as JSON; empty if there are none. */
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

/** The password of the Salamander mask (`obfs` of Hysteria); empty if there is none. */
export function salamanderPassword(stream: Fields): string {
  const mask = masksOf(fieldsOf(stream['finalmask'])['udp']).find(({ type }) => type === 'salamander');
  return textOf(fieldsOf(mask?.['settings'])['password']);
}

function xhttpParams(settings: Fields): LinkParams {
  const mode = textOf(settings['mode']);
  // In the core, `extra` replaces all other members except path, host and mode.
  const extra = xhttpExtra(xhttpForClients(fieldsOf(settings['extra'] ?? settings) as JsonObject), mode);
  return {
    type: 'xhttp',
    ...httpParams(settings),
    mode,
    // Some forks of sing-box read the padding only from this parameter.
    x_padding_bytes: textOf(extra['xPaddingBytes']),
    extra: Object.keys(extra).length === 0 ? '' : canonicalJson(extra),
  };
}

/** Members that both ends need, or that determine the client's requests, without those that only the server reads. */
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
/** Defaults of the core. Sending them explicitly could be recognized. */
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
  // The core rejects a Host header here, because `host` is a member of its own.
  const headers = Object.entries(fieldsOf(source['headers'])).filter(([name]) => name.toLowerCase() !== 'host');
  const kept = publicJson(Object.fromEntries(headers));
  if (kept !== undefined) extra['headers'] = kept;
  return extra;
}
