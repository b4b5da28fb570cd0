import type { Message } from '../../messages/message.js';
import { percentEncoded } from './percent.js';

/** Parameters by their standard names, decoded and never empty. */
export type LinkParams = Readonly<Record<string, string>>;

/**
 * How a client reaches an inbound at one address. Security, flow and address are decided here. URLs and the other
 * subscription formats are only other representations.
 */
export interface ShareLink {
  readonly scheme: 'vless' | 'vmess' | 'trojan' | 'ss' | 'hysteria2';
  /** Id, password or auth; `serverKey:userKey` for the multi-user ciphers of Shadowsocks 2022. */
  readonly user: string;
  /** Cipher of vmess and ss; empty for the others. */
  readonly method: string;
  /** A host name in punycode or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Name in the client app: one line, never empty. */
  readonly name: string;
  /**
   * `type`, `security`, `sni` … as of XTLS discussion 716, for every scheme but that of Hysteria, which has its own
   * (`alpn`, `obfs`, `mport` …).
   */
  readonly params: LinkParams;
  /** Why the inbound cannot be expressed as a link. Such a link only carries this reason and has no parameters. */
  readonly problem?: Message;
}

/** Whether it can be written as a URL. Other formats may support it anyway. */
export function hasUrl({ scheme, params, problem }: ShareLink): boolean {
  if (problem !== undefined) return false;
  // The JSON of vmess links has no members for REALITY keys.
  if (scheme === 'vmess') return params['security'] !== 'reality';
  return scheme !== 'ss' || isPluggable(params);
}

/** Whether a SIP003 plugin supports it. A link without the plugin could not connect. */
function isPluggable({ type, security, fm }: LinkParams): boolean {
  if (fm !== undefined) return false;
  return type === 'tcp' ? security === 'none' : type === 'ws' && security !== 'reality';
}

/** The URLs of the links that can be written as one. */
export function linkUrls(links: readonly ShareLink[]): readonly string[] {
  return links.filter(hasUrl).map(linkUrl);
}

/** The URL for a QR code, without the optional post-quantum key of REALITY, which is too long. */
export function shortUrl(link: ShareLink): string {
  const { pqv, ...params } = link.params;
  return pqv === undefined ? linkUrl(link) : linkUrl({ ...link, params });
}

/** The link as a client app imports it: one line of ASCII without spaces. */
export function linkUrl(link: ShareLink): string {
  const { scheme, user, params } = link;
  switch (scheme) {
    case 'vmess':
      return `vmess://${Buffer.from(JSON.stringify(vmessMembers(link))).toString('base64')}`;
    case 'ss':
      return urlOf(link, shadowsocksUser(link), '', queryOf(pluginParams(params)));
    case 'hysteria2':
      return urlOf(link, percentEncoded(user), '/', queryOf(params));
    default:
      return urlOf(link, percentEncoded(user), '', queryOf(params));
  }
}

function urlOf({ scheme, host, port, name }: ShareLink, user: string, path: string, query: string): string {
  const address = host.includes(':') ? `[${host}]` : host;
  const at = user === '' ? '' : `${user}@`;
  return `${scheme}://${at}${address}:${port}${query === '' ? '' : `${path}?${query}`}#${percentEncoded(name)}`;
}

function queryOf(params: LinkParams): string {
  const names = Object.keys(params).sort();
  return names.map((name) => `${name}=${percentEncoded(params[name] ?? '')}`).join('&');
}

/** The object of v2rayN. The meaning of `type`, `host` and `path` depends on the transport. */
function vmessMembers({ name, host, port, user, method, params }: ShareLink): object {
  const {
    type = 'tcp',
    mode,
    headerType,
    serviceName,
    authority,
    seed,
    path,
    security,
    sni,
    alpn,
    fp,
    ech,
    pcs,
    vcn,
  } = params;
  return {
    v: '2',
    ps: name,
    add: host,
    port: String(port),
    id: user,
    aid: '0',
    scy: method,
    net: type,
    type: mode ?? headerType ?? (type === 'xhttp' ? 'auto' : 'none'),
    host: params['host'] ?? authority,
    authority,
    path: path ?? serviceName ?? seed,
    tls: security === 'tls' ? 'tls' : '',
    sni,
    alpn,
    fp,
    ech,
    pcs,
    vcn,
  };
}

/** SIP002: base64url for classic ciphers. SIP022 forbids it for the 2022 ciphers. */
function shadowsocksUser({ method, user }: ShareLink): string {
  if (method.startsWith('2022-')) return `${percentEncoded(method)}:${percentEncoded(user)}`;
  return Buffer.from(`${method}:${user}`).toString('base64url');
}

/** SIP002 supports transports only as plugins. */
function pluginParams({ type, headerType, security, sni, ...params }: LinkParams): LinkParams {
  const path = pluginValue(params['path'] ?? '');
  if (type === 'ws') {
    const host = pluginValue(params['host'] ?? sni ?? '');
    const options = ['v2ray-plugin', 'mode=websocket', host && `host=${host}`, path && `path=${path}`];
    // The core's WebSocket does not speak the plugin's mux.
    options.push(security === 'tls' ? 'tls' : '', 'mux=0');
    return { plugin: options.filter((option) => option !== '').join(';') };
  }
  if (headerType !== 'http') return {};
  const host = pluginValue(params['host'] ?? '');
  const options = ['obfs-local', 'obfs=http', host && `obfs-host=${host}`, path && path !== '/' && `obfs-uri=${path}`];
  return { plugin: options.filter(Boolean).join(';') };
}

function pluginValue(text: string): string {
  return text.replace(/[\\;=:]/g, '\\$&');
}
