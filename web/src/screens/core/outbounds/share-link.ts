import { isObject } from '../../../model/json';
import { parse } from '../template';
import { type Options, type Part, streamOf, tlsOf } from './share-stream';

/** A share link as an outbound of the core, with the name in it. */
export interface SharedOutbound {
  readonly name: string;
  readonly outbound: Part;
}

interface Link {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly options: Options;
  readonly name: string;
}

/** `scheme://user@host:port/?options#name` */
const GRAMMAR =
  /^[a-z\d]+:\/\/(?:([^@/?#]*)@)?(\[[\da-f:.]+\]|[^:/?#[\]@]+):(\d{1,5})(?:,[\d,-]+)?\/?(?:\?([^#]*))?(?:#(.*))?$/i;

const READERS: Readonly<Record<string, (link: string) => SharedOutbound | null>> = {
  vless: (link) => read(link, vless),
  vmess: (link) => (link.includes('@') ? read(link, vmess) : vmessOfJson(link)),
  trojan: (link) => read(link, trojan),
  ss: (link) => read(/^ss:\/\/[^@]*(?:#|$)/.test(link) ? unpacked(link) : link, shadowsocks),
  hysteria2: (link) => read(link, hysteria2),
  hy2: (link) => read(link, hysteria2),
  wireguard: (link) => read(link, wireguard),
};

/** Reads a share link of vless, vmess, trojan, shadowsocks, hysteria2 or wireguard. Null for any other text. */
export function outboundOfLink(text: string): SharedOutbound | null {
  const link = text.trim();
  const [, scheme = ''] = /^([a-z\d]+):\/\//i.exec(link) ?? [];
  try {
    return READERS[scheme.toLowerCase()]?.(link) ?? null;
  } catch (error) {
    // A broken percent-encoding or broken base64.
    if (error instanceof URIError || error instanceof DOMException) return null;
    throw error;
  }
}

function read(link: string, make: (link: Link) => Part | null): SharedOutbound | null {
  const [, user = '', host = '', port = '', query = '', name = ''] = GRAMMAR.exec(link) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  const options = new Map<string, string>();
  for (const pair of query.split('&')) {
    const [key = '', ...value] = pair.split('=');
    // A plus is a plus: links are no forms.
    if (key !== '' && value.join('=') !== '') options.set(decodeURIComponent(key), decodeURIComponent(value.join('=')));
  }
  const address = host.replaceAll(/[[\]]/g, '');
  const outbound = make({ user: decodeURIComponent(user), host: address, port: Number(port), options, name });
  return outbound && { name: decodeURIComponent(name), outbound };
}

function vless({ user, host, port, options }: Link): Part | null {
  if (user === '') return null;
  const flow = options.get('flow');
  const encryption = options.get('encryption') ?? 'none';
  const settings = { address: host, port, id: user, encryption, ...(flow === undefined ? {} : { flow }) };
  return { protocol: 'vless', settings, streamSettings: streamOf(options, host) };
}

function vmess({ user, host, port, options }: Link): Part | null {
  if (user === '') return null;
  const settings = { address: host, port, id: user, security: options.get('encryption') ?? 'auto' };
  return { protocol: 'vmess', settings, streamSettings: streamOf(options, host) };
}

function trojan({ user, host, port, options }: Link): Part | null {
  if (user === '') return null;
  const streamSettings = streamOf(new Map([['security', 'tls'], ...options]), host);
  return { protocol: 'trojan', settings: { address: host, port, password: user }, streamSettings };
}

/** The user is `method:password`, plain or as base64. */
function shadowsocks({ user, host, port, options }: Link): Part | null {
  const plain = user.includes(':') ? user : decoded(user);
  const at = plain.indexOf(':');
  if (at < 1) return null;
  const settings = { address: host, port, method: plain.slice(0, at), password: plain.slice(at + 1) };
  const hasStream = options.has('type') || options.has('security');
  return { protocol: 'shadowsocks', settings, ...(hasStream ? { streamSettings: streamOf(options, host) } : {}) };
}

function hysteria2({ user, host, port, options }: Link): Part | null {
  const password = options.get('obfs-password');
  const pin = options.get('pinSHA256') ?? options.get('pcs');
  const { fingerprint: _, ...tls } = tlsOf(new Map([...options, ...(pin ? [['pcs', pin] as const] : [])]), host);
  const ports = options.get('mport');
  const finalmask = {
    ...(password === undefined ? {} : { udp: [{ type: 'salamander', settings: { password } }] }),
    ...(ports === undefined ? {} : { quicParams: { udpHop: { ports } } }),
  };
  return {
    protocol: 'hysteria',
    settings: { version: 2, address: host, port },
    streamSettings: {
      network: 'hysteria',
      security: 'tls',
      tlsSettings: { alpn: ['h3'], ...tls },
      hysteriaSettings: { version: 2, auth: user },
      ...(Object.keys(finalmask).length === 0 ? {} : { finalmask }),
    },
  };
}

function wireguard({ user, host, port, options }: Link): Part | null {
  const publicKey = options.get('publickey') ?? options.get('publicKey');
  if (user === '' || publicKey === undefined) return null;
  const list = (name: string): readonly string[] => options.get(name)?.split(',') ?? [];
  const preSharedKey = options.get('presharedkey') ?? options.get('preSharedKey');
  const peer = {
    publicKey,
    endpoint: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(preSharedKey === undefined ? {} : { preSharedKey }),
  };
  const settings = {
    secretKey: user,
    address: list('address'),
    ...(options.has('mtu') ? { mtu: Number(options.get('mtu')) } : {}),
    ...(options.has('reserved') ? { reserved: list('reserved').map(Number) } : {}),
    peers: [peer],
  };
  return { protocol: 'wireguard', settings };
}

/** The form of v2rayN: base64 of JSON, whose members mean something else for every transport. */
function vmessOfJson(link: string): SharedOutbound | null {
  const json = parse(decoded(link.slice('vmess://'.length)));
  if (!isObject(json)) return null;
  const text = (name: string): string => {
    const value = json[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const network = text('net') || 'tcp';
  const isGrpc = network === 'grpc';
  const header = isGrpc || network === 'xhttp' ? 'mode' : 'headerType';
  const entries: readonly (readonly [string, string])[] = [
    ['type', network],
    ['security', text('tls') || 'none'],
    [header, text('type') === 'none' ? '' : text('type')],
    [isGrpc ? 'authority' : 'host', text('host')],
    [isGrpc ? 'serviceName' : network === 'kcp' ? 'seed' : 'path', text('path')],
    ...['sni', 'alpn', 'fp', 'pcs', 'ech'].map((name) => [name, text(name)] as const),
    ['encryption', text('scy')],
  ];
  const options = new Map(entries.filter(([, value]) => value !== ''));
  const [host, port, name] = [text('add'), Number(text('port')), text('ps')];
  const outbound = host === '' || !(port > 0) ? null : vmess({ user: text('id'), host, port, options, name });
  return outbound && { name, outbound };
}

/** The old form `ss://BASE64(method:password@host:port)#name` as the usual one. */
function unpacked(link: string): string {
  const [body = '', name = ''] = link.slice('ss://'.length).split('#');
  const plain = decoded(body);
  const at = plain.lastIndexOf('@');
  return `ss://${encodeURIComponent(plain.slice(0, Math.max(0, at)))}@${plain.slice(at + 1)}#${name}`;
}

/** Base64 of either alphabet, as text. */
function decoded(base64: string): string {
  const bytes = atob(base64.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/[\s=]/g, ''));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
