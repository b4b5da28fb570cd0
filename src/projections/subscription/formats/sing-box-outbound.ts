import type { JsonObject } from '../../../lib/json.js';
import { isText, type Message, message } from '../../../messages/message.js';
import { earlyData, literalPath, urlPath } from '../path.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { compact, listOf } from './members.js';
import { cipherOf, echSource, fingerprintOf, isMasked } from './shared.js';

/** The program in the reasons. */
const APP = 'sing-box';

/**
 * The sing-box outbound for a link, without a tag, or what sing-box does not support about it. A certificate pin is
 * left out: sing-box then verifies with the certificates of the system.
 */
export function singBoxOutbound({ scheme, host, port, user, method, params }: ShareLink): JsonObject | Message {
  const reason = unspoken(params);
  if (reason !== null) return reason;
  const common = { server: host, server_port: port };
  if (scheme === 'hysteria2') return { type: scheme, ...common, password: user, ...hysteriaOf(params, host) };
  if (scheme === 'ss') {
    const plugin = pluginOf(params);
    if (isText(plugin)) return plugin;
    return { type: 'shadowsocks', ...common, method: cipherOf(method), password: user, ...plugin };
  }
  const transport = transportOf(params);
  if (isText(transport)) return transport;
  const rest = { ...tlsOf(params), ...transport };
  if (scheme === 'trojan') return { type: 'trojan', ...common, password: user, ...rest };
  const packets = { packet_encoding: 'xudp' };
  if (scheme === 'vmess') {
    // Over TLS its `auto` means no encryption, which the core no longer supports.
    const security = method === 'auto' ? 'aes-128-gcm' : method;
    return { type: 'vmess', ...common, uuid: user, security, alter_id: 0, ...packets, ...rest };
  }
  const flow = compact({ flow: params['flow']?.replace(/-udp443$/, '') });
  return { type: 'vless', ...common, uuid: user, ...flow, ...packets, ...rest };
}

/** What sing-box does not support for any protocol; null = nothing. */
function unspoken(params: LinkParams): Message | null {
  const { encryption = 'none', sni, vcn } = params;
  if (isMasked(params)) return message('subscription.masks', { app: APP });
  if (encryption !== 'none') return message('subscription.vlessEncryption', { app: APP });
  // It verifies the certificate against the server name only.
  if (vcn !== undefined && !vcn.split(',').includes(sni ?? ''))
    return message('subscription.otherCertificateName', { app: APP });
  return null;
}

function tlsOf(params: LinkParams): JsonObject {
  const { security, sni, fp, alpn, ech, pbk, sid = '' } = params;
  if (security !== 'tls' && security !== 'reality') return {};
  const reality = security === 'reality' && pbk !== undefined;
  const fingerprint = fingerprintOf(fp, reality);
  return {
    tls: compact({
      enabled: true,
      server_name: sni ?? params['host'],
      alpn: listOf(alpn),
      utls: fingerprint === undefined ? undefined : { enabled: true, fingerprint },
      reality: reality ? { enabled: true, public_key: pbk, short_id: sid } : undefined,
      ech: echOf(ech),
    }),
  };
}

/** sing-box expects a list as PEM. Without a list it queries the DNS record of the server name. */
function echOf(ech: string | undefined): JsonObject | undefined {
  if (ech === undefined) return undefined;
  const { list, queryName } = echSource(ech);
  const lines = list?.match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN ECH CONFIGS-----', ...lines, '-----END ECH CONFIGS-----'];
  return compact({ enabled: true, config: list === undefined ? undefined : pem, query_server_name: queryName });
}

function transportOf(params: LinkParams): JsonObject | Message {
  const { type = 'tcp', security, headerType, path = '/', host, serviceName = '' } = params;
  switch (type) {
    case 'tcp':
      if (headerType !== 'http') return {};
      // Over TLS it would use HTTP/2.
      if (security === 'tls' || security === 'reality') return message('subscription.httpHeaderOverTls', { app: APP });
      return {
        transport: compact({
          type: 'http',
          host: host === undefined ? undefined : [host],
          path: urlPath(path),
          method: 'GET',
        }),
      };
    case 'ws': {
      const { path: bare, bytes } = earlyData(path);
      const early = bytes === 0 ? {} : { max_early_data: bytes, early_data_header_name: 'Sec-WebSocket-Protocol' };
      const headers = host === undefined ? {} : { headers: { Host: host } };
      return { transport: { type: 'ws', path: urlPath(bare), ...headers, ...early } };
    }
    case 'grpc':
      // A name with a leading slash is a custom path.
      if (serviceName.startsWith('/')) return message('subscription.grpcPath', { app: APP });
      return { transport: { type: 'grpc', service_name: serviceName } };
    case 'httpupgrade':
      return { transport: compact({ type: 'httpupgrade', host, path: literalPath(path) }) };
    default:
      return message('subscription.notSupported', { app: APP, feature: type });
  }
}

function pluginOf(params: LinkParams): JsonObject | Message {
  const { type = 'tcp', headerType, security = 'none', path = '/', host, sni } = params;
  const escaped = (text: string) => text.replace(/[\\;=]/g, '\\$&');
  if (type === 'ws' && security !== 'reality') {
    const name = host ?? sni;
    const bare = escaped(urlPath(earlyData(path).path));
    const options = ['mode=websocket', name && `host=${escaped(name)}`, `path=${bare}`, 'mux=0'];
    if (security === 'tls') options.push('tls');
    return { plugin: 'v2ray-plugin', plugin_opts: options.filter(Boolean).join(';') };
  }
  const feature = security === 'none' ? type : security.toUpperCase();
  if (feature !== 'tcp') return message('subscription.notSupportedForProtocol', { app: APP, feature, protocol: 'ss' });
  // The HTTP obfuscation of Shadowsocks is not compatible with that of the core.
  return headerType === 'http' ? message('subscription.httpHeader', { app: APP, protocol: 'ss' }) : {};
}

function hysteriaOf(params: LinkParams, host: string): JsonObject {
  const { sni, alpn, ech, mport, insecure } = params;
  const password = params['obfs-password'];
  return compact({
    server_ports: mport
      ?.split(',')
      .map((ports) => (ports.includes('-') ? ports.replace('-', ':') : `${ports}:${ports}`)),
    obfs: password === undefined ? undefined : { type: 'salamander', password },
    tls: compact({
      enabled: true,
      server_name: sni ?? host,
      alpn: listOf(alpn),
      insecure: insecure === '1' || undefined,
      ech: echOf(ech),
    }),
  });
}
