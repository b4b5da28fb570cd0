import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { compact, jsonOf, listOf } from './members.js';

/** What the admin adds to each configuration, as JSON texts; empty = nothing. */
export interface XrayExtras {
  readonly subJsonFragment: string;
  readonly subJsonNoises: string;
  readonly subJsonMux: string;
  readonly subJsonRules: string;
}

/** Apps of the v2rayNG family use this policy level for their timeouts. */
const LEVEL = 8;
/** Tag of the outbound that fragments the first packets, if the admin enabled that. */
const FRAGMENTS = 'direct_out';

/** A complete Xray client configuration for each usable link, for `/json/`. */
export function xrayConfigs(links: readonly ShareLink[], extras: XrayExtras): readonly JsonObject[] {
  const first = fragmentOutbound(extras);
  const rules = jsonOf(extras.subJsonRules);
  const usable = links.filter(({ problem }) => problem === undefined);
  return usable.map((link) => ({
    remarks: link.name,
    log: { loglevel: 'warning' },
    dns: { tag: 'dns_out', queryStrategy: 'UseIP', servers: [{ address: '8.8.8.8', skipFallback: false }] },
    inbounds: [
      {
        tag: 'mixed',
        listen: '127.0.0.1',
        port: 10_808,
        protocol: 'mixed',
        settings: { auth: 'noauth', udp: true, userLevel: LEVEL },
        sniffing: { enabled: true, destOverride: ['http', 'tls', 'quic', 'fakedns'] },
      },
      { tag: 'http', listen: '127.0.0.1', port: 10_809, protocol: 'http', settings: { userLevel: LEVEL } },
    ],
    outbounds: [
      proxyOf(link, first !== null, jsonOf(extras.subJsonMux)),
      { tag: 'direct', protocol: 'freedom', settings: { domainStrategy: 'AsIs' } },
      { tag: 'block', protocol: 'blackhole', settings: { response: { type: 'http' } } },
      ...(first === null ? [] : [first]),
    ],
    policy: {
      levels: { [LEVEL]: { handshake: 4, connIdle: 300, uplinkOnly: 1, downlinkOnly: 1 } },
      system: { statsOutboundUplink: true, statsOutboundDownlink: true },
    },
    routing: {
      domainStrategy: 'AsIs',
      rules: [
        ...(Array.isArray(rules) ? (rules as Json[]) : []),
        { type: 'field', network: 'tcp,udp', outboundTag: 'proxy' },
      ],
    },
    stats: {},
  }));
}

function fragmentOutbound({ subJsonFragment, subJsonNoises }: XrayExtras): JsonObject | null {
  const fragment = jsonOf(subJsonFragment);
  const noises = jsonOf(subJsonNoises);
  if (fragment === undefined && noises === undefined) return null;
  return { tag: FRAGMENTS, protocol: 'freedom', settings: compact({ domainStrategy: 'UseIP', fragment, noises }) };
}

function proxyOf(link: ShareLink, fragmented: boolean, mux: Json | undefined): JsonObject {
  const sockopt = fragmented ? { sockopt: { dialerProxy: FRAGMENTS, tcpKeepAliveIdle: 100 } } : {};
  const outbound = xrayOutbound(link);
  const stream = isObject(outbound['streamSettings']) ? (outbound['streamSettings'] as JsonObject) : {};
  // Vision needs the raw connection, so it cannot be multiplexed.
  const muxed = isObject(mux) && link.params['flow'] === undefined && link.scheme !== 'hysteria2' ? { mux } : {};
  return { tag: 'proxy', ...outbound, streamSettings: { ...stream, ...sockopt }, ...muxed };
}

/** The Xray outbound for a link, without a tag. */
export function xrayOutbound(link: ShareLink): JsonObject {
  const { scheme, host: address, port, user, method, params } = link;
  const to = { address, port };
  switch (scheme) {
    case 'vless': {
      const { encryption = 'none', flow } = params;
      const users = [compact({ id: user, encryption, flow, level: LEVEL })];
      return { protocol: 'vless', settings: { vnext: [{ ...to, users }] }, streamSettings: streamOf(link) };
    }
    case 'vmess': {
      const users = [{ id: user, security: method, level: LEVEL }];
      return { protocol: 'vmess', settings: { vnext: [{ ...to, users }] }, streamSettings: streamOf(link) };
    }
    case 'trojan':
      return serversOf('trojan', { ...to, password: user, level: LEVEL }, link);
    case 'ss':
      return serversOf('shadowsocks', { ...to, method, password: user, level: LEVEL }, link);
    case 'hysteria2':
      return { protocol: 'hysteria', settings: { version: 2, ...to }, streamSettings: hysteriaStream(link) };
  }
}

function serversOf(protocol: string, server: JsonObject, link: ShareLink): JsonObject {
  return { protocol, settings: { servers: [server] }, streamSettings: streamOf(link) };
}

function streamOf({ host, params }: ShareLink): JsonObject {
  return { ...transportOf(params), ...securityOf(params, host), ...masksOf(params) };
}

function transportOf(params: LinkParams): JsonObject {
  const { type = 'tcp', path, host, serviceName, authority, mode } = params;
  switch (type) {
    case 'ws':
      return { network: 'ws', wsSettings: compact({ path: path ?? '/', host }) };
    case 'httpupgrade':
      return { network: 'httpupgrade', httpupgradeSettings: compact({ path: path ?? '/', host }) };
    case 'grpc': {
      const multiMode = mode === 'multi' ? true : undefined;
      return { network: 'grpc', grpcSettings: compact({ serviceName: serviceName ?? '', authority, multiMode }) };
    }
    case 'xhttp': {
      const extra = jsonOf(params['extra'] ?? '');
      return { network: 'xhttp', xhttpSettings: compact({ path: path ?? '/', host, mode: mode ?? 'auto', extra }) };
    }
    case 'kcp':
      return { network: 'kcp', kcpSettings: {} };
    default:
      return { network: 'tcp', tcpSettings: { header: httpHeader(params) } };
  }
}

function httpHeader({ headerType, path, host }: LinkParams): JsonObject {
  if (headerType !== 'http') return { type: 'none' };
  return { type: 'http', request: { path: [path ?? '/'], headers: host === undefined ? {} : { Host: [host] } } };
}

function securityOf(params: LinkParams, server: string): JsonObject {
  const { security = 'none', sni, fp, alpn, ech, pcs, vcn } = params;
  if (security === 'tls') {
    const tls = compact({
      serverName: sni ?? params['host'] ?? server,
      alpn: listOf(alpn),
      fingerprint: fp,
      echConfigList: ech,
      pinnedPeerCertSha256: pcs,
      verifyPeerCertByName: vcn,
    });
    return { security, tlsSettings: tls };
  }
  if (security !== 'reality') return { security: 'none' };
  const { pbk: publicKey, sid: shortId = '', spx: spiderX, pqv: mldsa65Verify } = params;
  const reality = {
    show: false,
    serverName: sni ?? server,
    fingerprint: fp,
    publicKey,
    shortId,
    spiderX,
    mldsa65Verify,
  };
  return { security, realitySettings: compact(reality) };
}

/** The masks in the core's current form, with header and seed of mKCP. The last mask is the outermost. */
function masksOf({ type, fm, headerType, seed }: LinkParams): JsonObject {
  if (fm !== undefined) return { finalmask: jsonOf(fm) ?? {} };
  if (type !== 'kcp') return {};
  const udp: JsonObject[] = [];
  const mask = (settings: JsonObject) => udp.push({ type: 'mkcp-legacy', settings });
  if (seed !== undefined) mask({ value: seed });
  if (headerType !== undefined) mask({ header: headerType === 'wechat-video' ? 'wechat' : headerType });
  return udp.length === 0 ? {} : { finalmask: { udp } };
}

function hysteriaStream({ user: auth, host, params }: ShareLink): JsonObject {
  const { sni, alpn, ech, pinSHA256, mport } = params;
  const password = params['obfs-password'];
  const finalmask = compact({
    udp: password === undefined ? undefined : [{ type: 'salamander', settings: { password } }],
    quicParams: mport === undefined ? undefined : { udpHop: { ports: mport, interval: '5-10' } },
  });
  return compact({
    network: 'hysteria',
    hysteriaSettings: { version: 2, auth },
    security: 'tls',
    tlsSettings: compact({
      serverName: sni ?? host,
      alpn: listOf(alpn) ?? ['h3'],
      echConfigList: ech,
      pinnedPeerCertSha256: pinSHA256,
    }),
    finalmask: Object.keys(finalmask).length === 0 ? undefined : finalmask,
  });
}
