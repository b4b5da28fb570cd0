import { pins, streamSettings, tlsSettings } from './link-stream.js';
import {
  base64Decoded,
  compact,
  jsonObject,
  LinkError,
  type LinkParts,
  type Params,
  percentDecoded,
  splitLink,
} from './link-syntax.js';
import type { Outbound } from './outbound.js';

export { LinkError } from './link-syntax.js';

/** A share link as a client app understands it. */
export interface ParsedLink {
  /** The name that the app's list shows. */
  name: string;
  outbound: Outbound;
}

/**
 * Reads one share link. Written from the link standards (XTLS discussion 716, SIP002 and SIP022, the Hysteria 2 URI
 * scheme, v2rayN's VMess JSON) and not from the panel's generator, so that it can check that generator.
 */
export function parseLink(link: string): ParsedLink {
  if (link !== link.trim()) throw new LinkError('white space around the link');
  const scheme = link.slice(0, Math.max(0, link.indexOf('://')));
  const read = SCHEMES[scheme];
  if (read === undefined) throw new LinkError(`unknown scheme ${JSON.stringify(scheme)}`);
  return read(link);
}

const SCHEMES: Partial<Record<string, (link: string) => ParsedLink>> = {
  vless: (link) => vless(splitLink(link)),
  vmess: (link) => (link.includes('@') ? vmessUrl(splitLink(link)) : vmessJson(link)),
  trojan: (link) => trojan(splitLink(link)),
  ss: shadowsocks,
  hysteria2: (link) => hysteria2(splitLink(link)),
  hy2: (link) => hysteria2(splitLink(link)),
};

function vless({ user, host, port, query, name }: LinkParts): ParsedLink {
  if (user === '') throw new LinkError('vless without an id');
  const flow = query.get('flow');
  if (flow !== undefined && !/^xtls-rprx-vision(-udp443)?$/.test(flow)) throw new LinkError(`flow=${flow}`);
  const settings = compact({ address: host, port, id: user, encryption: query.get('encryption') ?? 'none', flow });
  return { name, outbound: { protocol: 'vless', settings, streamSettings: streamSettings(query, host) } };
}

function trojan({ user, host, port, query, name }: LinkParts): ParsedLink {
  if (user === '') throw new LinkError('trojan without a password');
  if (query.has('flow')) throw new LinkError('trojan knows no flow');
  const settings = { address: host, port, password: user };
  return { name, outbound: { protocol: 'trojan', settings, streamSettings: streamSettings(query, host, 'tls') } };
}

function vmessUrl({ user, host, port, query, name }: LinkParts): ParsedLink {
  return { name, outbound: vmessOutbound(user, host, port, query.get('encryption'), query) };
}

/** v2rayN's form: base64 of a JSON object whose `type`, `host` and `path` mean something else for every transport. */
function vmessJson(link: string): ParsedLink {
  const json = jsonObject(base64Decoded(link.slice('vmess://'.length)), 'the VMess link');
  const text = (key: string): string | undefined => {
    const value = json[key];
    return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
  };
  const port = Number(text('port'));
  const [id, add] = [text('id'), text('add')];
  if (id === undefined || add === undefined) throw new LinkError('VMess without id or add');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new LinkError('VMess without a port');
  if (add.startsWith('[')) throw new LinkError('VMess add with brackets');
  if (Number(text('aid') ?? 0) !== 0) throw new LinkError('VMess with alterId: the core has no such thing');
  const tls = text('tls') ?? '';
  if (!['', 'none', 'tls'].includes(tls)) throw new LinkError(`VMess with tls=${tls}`);
  const network = text('net') ?? 'tcp';
  const query = new Map([
    ['type', network === 'splithttp' ? 'xhttp' : network],
    ['security', tls === 'tls' ? 'tls' : 'none'],
  ]);
  for (const [from, to] of [...(VMESS_FIELDS[network] ?? VMESS_HTTP), ...VMESS_TLS]) {
    const value = text(from);
    if (value !== undefined && !(to === 'mode' && value === 'none')) query.set(to, value);
  }
  return { name: text('ps') ?? '', outbound: vmessOutbound(id, add, port, text('scy'), query) };
}

type FieldMap = readonly (readonly [from: string, to: string])[];
const VMESS_HTTP: FieldMap = [
  ['host', 'host'],
  ['path', 'path'],
];
const VMESS_TLS: FieldMap = ['sni', 'alpn', 'fp', 'pcs', 'vcn', 'ech'].map((key) => [key, key] as const);
const VMESS_FIELDS: Partial<Record<string, FieldMap>> = {
  tcp: [['type', 'headerType'], ...VMESS_HTTP],
  raw: [['type', 'headerType'], ...VMESS_HTTP],
  kcp: [
    ['type', 'headerType'],
    ['path', 'seed'],
  ],
  grpc: [
    ['type', 'mode'],
    ['path', 'serviceName'],
    ['host', 'authority'],
  ],
  xhttp: [['type', 'mode'], ...VMESS_HTTP],
  splithttp: [['type', 'mode'], ...VMESS_HTTP],
};

function vmessOutbound(id: string, address: string, port: number, cipher: string | undefined, query: Params): Outbound {
  const security = cipher ?? 'auto';
  if (!['auto', 'aes-128-gcm', 'chacha20-poly1305'].includes(security)) throw new LinkError(`VMess cipher ${security}`);
  return {
    protocol: 'vmess',
    settings: { address, port, id, security },
    streamSettings: streamSettings(query, address),
  };
}

function shadowsocks(link: string): ParsedLink {
  const parts = splitLink(/^ss:\/\/[^@]*(#|$)/.test(link) ? unpacked(link) : link);
  const { host, port, query, name } = parts;
  const [method, password] = shadowsocksUser(parts);
  const settings = { address: host, port, method, password };
  return { name, outbound: { protocol: 'shadowsocks', settings, streamSettings: shadowsocksStream(query, host) } };
}

/** The old form, `ss://BASE64(method:password@host:port)#name`. */
function unpacked(link: string): string {
  const [body = '', name] = link.slice('ss://'.length).split('#');
  const plain = base64Decoded(body);
  const at = plain.lastIndexOf('@');
  const user = Buffer.from(plain.slice(0, Math.max(0, at))).toString('base64url');
  return `ss://${user}@${plain.slice(at + 1)}${name === undefined ? '' : `#${name}`}`;
}

/** SIP002: base64url of `method:password`; SIP022: 2022 methods plain and percent-encoded. */
function shadowsocksUser({ rawUser }: LinkParts): [method: string, password: string] {
  const text = rawUser.includes(':') ? percentDecoded(rawUser) : base64Decoded(percentDecoded(rawUser));
  const at = text.indexOf(':');
  const [method, password] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (at < 1 || password === '') throw new LinkError('Shadowsocks without method:password');
  const keyBytes = SHADOWSOCKS_2022[method];
  if (keyBytes === undefined && !SHADOWSOCKS_AEAD.includes(method)) throw new LinkError(`Shadowsocks method ${method}`);
  if (keyBytes === undefined) return [method, password];
  const keys = password.split(':');
  if (method.endsWith('chacha20-poly1305') && keys.length > 1) throw new LinkError(`${method} has no users`);
  for (const key of keys) {
    const bytes = Buffer.from(key, 'base64');
    if (bytes.length !== keyBytes || bytes.toString('base64') !== key)
      throw new LinkError(`a key of ${keyBytes} bytes wanted`);
  }
  return [method, password];
}

const SHADOWSOCKS_AEAD = [
  'aes-128-gcm',
  'aes-256-gcm',
  'chacha20-ietf-poly1305',
  'xchacha20-ietf-poly1305',
  'chacha20-poly1305',
];
const SHADOWSOCKS_2022: Partial<Record<string, number>> = {
  '2022-blake3-aes-128-gcm': 16,
  '2022-blake3-aes-256-gcm': 32,
  '2022-blake3-chacha20-poly1305': 32,
};

/** A SIP003 plugin, or the 3x-ui style parameters that only apps with this core read. */
function shadowsocksStream(query: Params, server: string): Record<string, unknown> {
  const plugin = query.get('plugin');
  if (plugin === undefined) return streamSettings(query, server);
  const parts = plugin.match(/(?:\\.|[^\\;])+/g) ?? [];
  const [name, ...options] = parts.map((part) => part.replace(/\\(.)/g, '$1'));
  const option = new Map(options.map((part) => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')]));
  const own = new Map<string, string>();
  const copy = (from: string, to: string) => {
    const value = option.get(from);
    if (value !== undefined && value !== '') own.set(to, value);
  };
  if (name === 'v2ray-plugin' && (option.get('mode') ?? 'websocket') === 'websocket') {
    own.set('type', 'ws').set('security', option.has('tls') ? 'tls' : 'none');
    copy('host', 'host');
    copy('path', 'path');
  } else if (name === 'obfs-local' && option.get('obfs') === 'http') {
    own.set('headerType', 'http');
    copy('obfs-host', 'host');
    copy('obfs-uri', 'path');
  } else {
    throw new LinkError(`Shadowsocks plugin ${plugin}`);
  }
  return streamSettings(own, server);
}

function hysteria2({ user, host, port, query, name }: LinkParts): ParsedLink {
  const obfs = query.get('obfs');
  const password = query.get('obfs-password');
  if (obfs !== undefined && (obfs !== 'salamander' || password === undefined)) throw new LinkError(`obfs=${obfs}`);
  const pin = query.get('pinSHA256') ?? query.get('pcs');
  const { fingerprint: _, ...tls } = tlsSettings(
    new Map([...query, ...(pin === undefined ? [] : [['pcs', pins(pin)] as const])]),
    host,
  );
  const udpHop = query.get('mport');
  const finalmask = compact({
    udp: password === undefined || obfs === undefined ? undefined : [{ type: 'salamander', settings: { password } }],
    quicParams: udpHop === undefined ? undefined : { udpHop: { ports: udpHop } },
  });
  return {
    name,
    outbound: {
      protocol: 'hysteria',
      settings: { version: 2, address: host, port },
      streamSettings: {
        network: 'hysteria',
        security: 'tls',
        tlsSettings: { ...tls, alpn: query.get('alpn')?.split(',') ?? ['h3'] },
        hysteriaSettings: { version: 2, auth: user },
        ...(Object.keys(finalmask).length === 0 ? {} : { finalmask }),
      },
    },
  };
}
