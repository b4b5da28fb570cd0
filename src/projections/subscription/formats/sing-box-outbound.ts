import type { JsonObject } from '../../../lib/json.js';
import { earlyData, literalPath, urlPath } from '../path.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { compact, listOf } from './members.js';
import { cipherOf, echSource, fingerprintOf, isMasked } from './shared.js';

/**
 * The sing-box outbound for a link, without a tag, or what sing-box does not support about it, as text. A certificate pin is
 * left out: sing-box then verifies with the certificates of the system.
 */
export function singBoxOutbound({ scheme, host, port, user, method, params }: ShareLink): JsonObject | string {
  const reason = unspoken(params);
  if (reason !== null) return reason;
  const common = { server: host, server_port: port };
  if (scheme === 'hysteria2') return { type: scheme, ...common, password: user, ...hysteriaOf(params, host) };
  if (scheme === 'ss') {
    const plugin = pluginOf(params);
    if (typeof plugin === 'string') return plugin;
    return { type: 'shadowsocks', ...common, method: cipherOf(method), password: user, ...plugin };
  }
  const transport = transportOf(params);
  if (typeof transport === 'string') return transport;
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
function unspoken(params: LinkParams): string | null {
  const { encryption = 'none', sni, vcn } = params;
  if (isMasked(params)) return 'masks of Xray';
  if (encryption !== 'none') return 'the encryption of VLESS';
  // It verifies the certificate against the server name only.
  if (vcn !== undefined && !vcn.split(',').includes(sni ?? '')) return 'certificates of another name';
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

function transportOf(params: LinkParams): JsonObject | string {
  const { type = 'tcp', security, headerType, path = '/', host, serviceName = '' } = params;
  switch (type) {
    case 'tcp':
      if (headerType !== 'http') return {};
      // Over TLS it would use HTTP/2.
      if (security === 'tls' || security === 'reality') return 'an HTTP header over TLS';
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
      if (serviceName.startsWith('/')) return 'a custom path of gRPC';
      return { transport: { type: 'grpc', service_name: serviceName } };
    case 'httpupgrade':
      return { transport: compact({ type: 'httpupgrade', host, path: literalPath(path) }) };
    default:
      return type;
  }
}

function pluginOf(params: LinkParams): JsonObject | string {
  const { type = 'tcp', headerType, security = 'none', path = '/', host, sni } = params;
  const escaped = (text: string) => text.replace(/[\\;=]/g, '\\$&');
  if (type === 'ws' && security !== 'reality') {
    const name = host ?? sni;
    const bare = escaped(urlPath(earlyData(path).path));
    const options = ['mode=websocket', name && `host=${escaped(name)}`, `path=${bare}`, 'mux=0'];
    if (security === 'tls') options.push('tls');
    return { plugin: 'v2ray-plugin', plugin_opts: options.filter(Boolean).join(';') };
  }
  if (security !== 'none') return `${security.toUpperCase()} of ss`;
  if (type !== 'tcp') return `${type} of ss`;
  // The HTTP obfuscation of Shadowsocks is not compatible with that of the core.
  return headerType === 'http' ? 'an HTTP header of ss' : {};
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
