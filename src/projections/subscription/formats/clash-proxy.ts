import type { JsonObject } from '../../../lib/json.js';
import { isText, type Message, message } from '../../../messages/message.js';
import { earlyData, literalPath, urlPath } from '../path.js';
import { percentEncoded } from '../percent.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { xhttpOptions } from './clash-xhttp.js';
import { compact, listOf } from './members.js';
import { cipherOf, echSource, fingerprintOf, isMasked } from './shared.js';

/** The program in the reasons. */
const APP = 'Mihomo';

/** The Mihomo proxy for a link, or what Mihomo does not support about it. */
export function clashProxy(link: ShareLink): JsonObject | Message {
  const { scheme, host: server, port, user, method, name, params } = link;
  const common = { name, server, port, udp: true };
  if (isMasked(params)) return message('subscription.masks', { app: APP });
  switch (scheme) {
    case 'vless': {
      const network = networkOf(link, ['tcp', 'ws', 'httpupgrade', 'grpc', 'xhttp']);
      if (isText(network)) return network;
      const { encryption } = params;
      const own = compact({
        flow: params['flow']?.replace(/-udp443$/, ''),
        encryption: encryption === 'none' ? undefined : encryption,
      });
      const packets = { 'packet-encoding': 'xudp' };
      return { ...common, type: 'vless', uuid: user, ...own, ...packets, ...tlsOf(params, 'servername'), ...network };
    }
    case 'vmess': {
      const network = networkOf(link, ['tcp', 'ws', 'httpupgrade', 'grpc', 'kcp']);
      if (isText(network)) return network;
      const vmess = { type: 'vmess', uuid: user, alterId: 0, cipher: method };
      return { ...common, ...vmess, ...tlsOf(params, 'servername'), ...network };
    }
    case 'trojan': {
      if (params['headerType'] === 'http') return message('subscription.httpHeader', { app: APP, protocol: scheme });
      const network = networkOf(link, ['tcp', 'ws', 'httpupgrade', 'grpc']);
      if (isText(network)) return network;
      const { tls, ...security } = tlsOf(params, 'sni');
      return tls === true
        ? { ...common, type: 'trojan', password: user, ...security, ...network }
        : message('subscription.trojanWithoutTls', { app: APP });
    }
    case 'ss': {
      const plugin = pluginOf(params);
      if (isText(plugin)) return plugin;
      return { ...common, type: 'ss', cipher: cipherOf(method), password: user, ...plugin };
    }
    case 'hysteria2':
      return { ...common, type: 'hysteria2', password: user, ...hysteriaOf(params) };
  }
}

function tlsOf(params: LinkParams, nameKey: 'servername' | 'sni'): JsonObject {
  const { security, sni, fp, alpn, pbk, sid = '' } = params;
  if (security !== 'tls' && security !== 'reality') return {};
  return compact({
    tls: true,
    [nameKey]: sni ?? params['host'],
    alpn: listOf(alpn),
    'client-fingerprint': fingerprintOf(fp, security === 'reality'),
    ...trustOf(params),
    'reality-opts': pbk === undefined ? undefined : { 'public-key': pbk, 'short-id': sid },
  });
}

/** How the server is verified. Mihomo supports only one pin and one name. */
function trustOf({ ech, pcs, vcn }: LinkParams): JsonObject {
  return compact({
    fingerprint: pcs?.split(',')[0],
    'name-cert-verify': vcn?.split(',')[0],
    'ech-opts': ech === undefined ? undefined : echOf(ech),
  });
}

function echOf(ech: string): JsonObject {
  const { list, queryName } = echSource(ech);
  return compact({ enable: true, config: list, 'query-server-name': queryName });
}

function networkOf(link: ShareLink, known: readonly string[]): JsonObject | Message {
  const { scheme, params } = link;
  const { type = 'tcp', headerType, path = '/', host, serviceName = '' } = params;
  if (!known.includes(type))
    return message('subscription.notSupportedForProtocol', { app: APP, feature: type, protocol: scheme });
  switch (type) {
    case 'ws': {
      const { path: bare, bytes } = earlyData(path);
      const early = bytes === 0 ? {} : { 'max-early-data': bytes, 'early-data-header-name': 'Sec-WebSocket-Protocol' };
      return { network: 'ws', 'ws-opts': { path: urlPath(bare), ...hostHeader(link), ...early } };
    }
    case 'httpupgrade': {
      const options = { path: literalPath(path), ...hostHeader(link), 'v2ray-http-upgrade': true };
      return { network: 'ws', 'ws-opts': options };
    }
    case 'grpc':
      return { network: 'grpc', 'grpc-opts': { 'grpc-service-name': grpcPath(serviceName) } };
    case 'xhttp': {
      const options = xhttpOptions(params);
      return options === null
        ? message('subscription.xhttpSettings', { app: APP })
        : { network: 'xhttp', 'xhttp-opts': options };
    }
    case 'kcp': {
      const { seed } = params;
      // Without a seed, Mihomo's packets have a checksum that the core's packets do not have.
      return seed === undefined || headerType !== undefined
        ? message('subscription.mkcp', { app: APP })
        : { network: 'mkcp', 'mkcp-opts': { seed } };
    }
    default: {
      if (headerType !== 'http') return { network: 'tcp' };
      const headers = host === undefined ? {} : { headers: { Host: [host] } };
      return { network: 'http', 'http-opts': { method: 'GET', path: [path], ...headers } };
    }
  }
}

/** Always set, because Mihomo would otherwise send a made-up host. */
function hostHeader({ host: server, params: { host, sni } }: ShareLink): JsonObject {
  return { headers: { Host: host ?? sni ?? (server.includes(':') ? `[${server}]` : server) } };
}

/**
 * Mihomo sends the name unchanged, the core escapes it. A name with a leading slash is a custom path; the part after `|` is for
 * multi mode, which Mihomo does not have.
 */
function grpcPath(serviceName: string): string {
  // Mihomo would replace an empty name.
  if (serviceName === '') return '//Tun';
  if (!serviceName.startsWith('/')) return pathEscaped(serviceName);
  const parts = serviceName.split('/');
  return parts.map((part, at) => pathEscaped(at === parts.length - 1 ? (part.split('|')[0] ?? '') : part)).join('/');
}

/** Escapes a path segment as Go does. */
function pathEscaped(text: string): string {
  return percentEncoded(text).replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
}

/** The SIP003 plugin in Mihomo's form. */
function pluginOf(params: LinkParams): JsonObject | Message {
  const { type = 'tcp', headerType, security = 'none', path = '/', host, sni } = params;
  if (type === 'ws' && security !== 'reality') {
    const trust = security === 'tls' ? { tls: true, ...trustOf(params) } : {};
    const options = compact({ mode: 'websocket', host: host ?? sni, path: urlPath(earlyData(path).path) });
    return { plugin: 'v2ray-plugin', 'plugin-opts': { ...options, ...trust, mux: false } };
  }
  const feature = security === 'none' ? type : security.toUpperCase();
  if (feature !== 'tcp') return message('subscription.notSupportedForProtocol', { app: APP, feature, protocol: 'ss' });
  // The HTTP obfuscation of Shadowsocks is not compatible with that of the core.
  return headerType === 'http' ? message('subscription.httpHeader', { app: APP, protocol: 'ss' }) : {};
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
