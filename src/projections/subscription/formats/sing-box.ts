import type { JsonObject } from '../../../lib/json.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { compact, earlyData, listOf, uniqueNames, wellFormed } from './members.js';

const TAKEN = ['proxy', 'auto', 'direct'];
const PROBE = 'https://www.gstatic.com/generate_204';

/** A profile for sing-box 1.12 and newer and its apps; null when no link can be said in it. */
export function singBoxProfile(links: readonly ShareLink[]): JsonObject | null {
  const found = links.flatMap((link) => {
    const outbound = singBoxOutbound(link);
    return outbound === null ? [] : [{ outbound, name: wellFormed(link.name) }];
  });
  if (found.length === 0) return null;
  const tags = uniqueNames(
    found.map(({ name }) => name),
    TAKEN,
  );
  return {
    log: { level: 'warn' },
    dns: {
      servers: [
        { tag: 'remote', type: 'https', server: '1.1.1.1', detour: 'proxy' },
        { tag: 'local', type: 'local' },
      ],
      final: 'remote',
    },
    inbounds: [
      {
        type: 'tun',
        tag: 'tun',
        address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
        auto_route: true,
        strict_route: true,
      },
      { type: 'mixed', tag: 'mixed', listen: '127.0.0.1', listen_port: 2080 },
    ],
    outbounds: [
      { type: 'selector', tag: 'proxy', outbounds: ['auto', ...tags], default: 'auto' },
      { type: 'urltest', tag: 'auto', outbounds: [...tags], url: PROBE, interval: '3m', tolerance: 50 },
      ...found.map(({ outbound }, at) => ({ ...outbound, tag: tags[at] ?? '' })),
      { type: 'direct', tag: 'direct' },
    ],
    route: {
      rules: [
        { action: 'sniff' },
        { protocol: 'dns', action: 'hijack-dns' },
        { ip_is_private: true, outbound: 'direct' },
      ],
      final: 'proxy',
      auto_detect_interface: true,
      default_domain_resolver: 'local',
    },
  };
}

/** The outbound of sing-box that a link stands for, without a tag; null when sing-box cannot do it. */
export function singBoxOutbound({ scheme, host, port, user, method, params }: ShareLink): JsonObject | null {
  if (params['fm'] !== undefined) return null;
  const common = { server: host, server_port: port };
  switch (scheme) {
    case 'vless': {
      const transport = transportOf(params);
      // sing-box does not know the encryption of vless.
      if (transport === null || (params['encryption'] ?? 'none') !== 'none') return null;
      const flow = params['flow']?.replace(/-udp443$/, '');
      const vless = compact({ uuid: user, flow, packet_encoding: 'xudp' });
      return { type: 'vless', ...common, ...vless, ...tlsOf(params), ...transport };
    }
    case 'vmess': {
      const transport = transportOf(params);
      const vmess = { uuid: user, security: method, alter_id: 0, packet_encoding: 'xudp' };
      return transport && { type: 'vmess', ...common, ...vmess, ...tlsOf(params), ...transport };
    }
    case 'trojan': {
      const transport = transportOf(params);
      return transport && { type: 'trojan', ...common, password: user, ...tlsOf(params), ...transport };
    }
    case 'ss': {
      const plugin = pluginOf(params);
      return plugin && { type: 'shadowsocks', ...common, method, password: user, ...plugin };
    }
    case 'hysteria2':
      return { type: 'hysteria2', ...common, password: user, ...hysteriaOf(params, host) };
  }
}

function tlsOf(params: LinkParams): JsonObject {
  const { security, sni, fp, alpn, ech, pbk, sid = '' } = params;
  if (security !== 'tls' && security !== 'reality') return {};
  const reality = security === 'reality' && pbk !== undefined;
  const fingerprint = fp === undefined ? (reality ? 'chrome' : undefined) : fp.startsWith('random') ? 'random' : fp;
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

/** sing-box reads the list as PEM, line by line. */
function echOf(ech: string | undefined): JsonObject | undefined {
  if (ech === undefined || !/^[\w+/]+=*$/.test(ech)) return undefined;
  const lines = ech.match(/.{1,64}/g) ?? [];
  return { enabled: true, config: ['-----BEGIN ECH CONFIGS-----', ...lines, '-----END ECH CONFIGS-----'] };
}

/** Null for a transport that sing-box has not. */
function transportOf(params: LinkParams): JsonObject | null {
  const { type = 'tcp', headerType, path = '/', host, serviceName = '' } = params;
  switch (type) {
    case 'tcp':
      if (headerType !== 'http') return {};
      return {
        transport: compact({ type: 'http', host: host === undefined ? undefined : [host], path, method: 'GET' }),
      };
    case 'ws': {
      const { path: bare, bytes } = earlyData(path);
      const early = bytes === 0 ? {} : { max_early_data: bytes, early_data_header_name: 'Sec-WebSocket-Protocol' };
      const headers = host === undefined ? {} : { headers: { Host: host } };
      return { transport: { type: 'ws', path: bare, ...headers, ...early } };
    }
    case 'grpc':
      return { transport: { type: 'grpc', service_name: serviceName } };
    case 'httpupgrade':
      return { transport: compact({ type: 'httpupgrade', host, path: earlyData(path).path }) };
    default:
      return null;
  }
}

function pluginOf({ type = 'tcp', headerType, security, path = '/', host, sni }: LinkParams): JsonObject | null {
  const escaped = (text: string) => text.replace(/[\\;=]/g, '\\$&');
  if (type === 'ws' && security !== 'reality') {
    const name = host ?? sni;
    const options = ['mode=websocket', name && `host=${escaped(name)}`, `path=${escaped(path)}`, 'mux=0'];
    if (security === 'tls') options.push('tls');
    return { plugin: 'v2ray-plugin', plugin_opts: options.filter(Boolean).join(';') };
  }
  if (type !== 'tcp' || (security !== undefined && security !== 'none')) return null;
  if (headerType !== 'http') return {};
  return {
    plugin: 'obfs-local',
    plugin_opts: ['obfs=http', host && `obfs-host=${escaped(host)}`].filter(Boolean).join(';'),
  };
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
