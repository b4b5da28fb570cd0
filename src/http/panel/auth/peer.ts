import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { Settings } from '../../../events/settings/settings.js';
import { Networks } from '../../../lib/net/networks.js';

/** The origin and the target of a request, as far as they can be trusted. */
export interface Peer {
  /** IP address of the caller. */
  readonly ip: string;
  /** The host as the caller sent it, with its port if any; '' when it is not a valid host. */
  readonly host: string;
  /** The same without port and brackets. */
  readonly hostname: string;
  readonly secure: boolean;
  /** The request came through a trusted proxy, so the port that the caller used is not known for certain. */
  readonly proxied: boolean;
}

const HOST = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?)(?::\d{1,5})?$/i;

/** More cached results than a panel has peers at one time. A full cache is cleared. */
const MAX_REMEMBERED = 4096;
/** Entries of X-Forwarded-For that are examined, from the right. No proxy chain is longer. */
const MAX_HOPS = 32;

/**
 * The only place that reads forwarded headers, for both servers. They count only when the direct peer is in
 * `trustedProxyCIDRs`. The caller is the right-most address of X-Forwarded-For that is not a trusted proxy; X-Real-IP is
 * read only when that header is absent. Of X-Forwarded-Host, only the part written by a trusted proxy counts.
 */
export class Peers {
  readonly #settings: () => Settings;
  #cidrs: readonly string[] | null = null;
  #proxies = new Networks([]);
  readonly #answers = new Map<string, boolean>();

  constructor(settings: () => Settings) {
    this.#settings = settings;
  }

  of(req: IncomingMessage): Peer {
    const direct = plain(req.socket.remoteAddress ?? '');
    const encrypted = 'encrypted' in req.socket;
    const { headers } = req;
    const forwarded =
      headers['x-forwarded-for'] ?? headers['x-forwarded-host'] ?? headers['x-forwarded-proto'] ?? headers['x-real-ip'];
    if (forwarded === undefined || !this.trusts(direct)) {
      return { ip: direct, ...hostOf(headers.host), secure: encrypted, proxied: false };
    }
    const proto = first(headers['x-forwarded-proto'])?.toLowerCase();
    const secure = proto === 'https' || (proto !== 'http' && encrypted);
    const { caller, proxies } = this.#chain(direct, req);
    const named = hostOf(written(headers['x-forwarded-host'], proxies));
    return {
      ip: caller,
      ...(named.host === '' ? hostOf(headers.host) : named),
      secure,
      proxied: true,
    };
  }

  /** Whether this address is a trusted proxy. */
  trusts(address: string): boolean {
    const { trustedProxyCIDRs } = this.#settings();
    if (trustedProxyCIDRs !== this.#cidrs) this.#learn(trustedProxyCIDRs);
    const known = this.#answers.get(address);
    if (known !== undefined) return known;
    const ip = plain(address);
    const answer = ip !== '' && this.#proxies.holds(ip);
    if (this.#answers.size >= MAX_REMEMBERED) this.#answers.clear();
    this.#answers.set(address, answer);
    return answer;
  }

  #learn(cidrs: readonly string[]): void {
    this.#proxies = new Networks(cidrs);
    this.#cidrs = cidrs;
    this.#answers.clear();
  }

  /** The caller, and the number of consecutive trusted proxies between it and this server. */
  #chain(direct: string, { headers }: IncomingMessage): { caller: string; proxies: number } {
    const chain = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops =
      headers['x-forwarded-for'] === undefined
        ? [String(headers['x-real-ip'] ?? '')]
        : chain.slice(-MAX_HOPS).reverse();
    let caller = direct;
    let proxies = 1;
    for (const hop of hops) {
      const ip = plain(hop.trim());
      if (ip === '') break;
      caller = ip;
      if (!this.trusts(ip)) break;
      proxies += 1;
    }
    return { caller, proxies };
  }
}

/** The key that limits count by: an IPv4 address, or the /64 of an IPv6 address, because one customer has the whole /64. */
export function network(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An address without port, zone and IPv4 mapping; '' when it is not an address. */
export function plain(text: string): string {
  if (isIPv4(text)) return text;
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const withoutMapping = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  const address = withoutMapping.split('%')[0] ?? '';
  return isIP(address) === 0 ? '' : address;
}

/** The parts of a Host header; empty when it is not a valid host. */
export function hostOf(value: string | undefined): Pick<Peer, 'host' | 'hostname'> {
  if (value === undefined || !HOST.test(value)) return { host: '', hostname: '' };
  const host = value.toLowerCase();
  return { host, hostname: host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') };
}

/** The domain of a setting in the form of `hostname`. The setting may contain a port. */
export function nameOf(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/^\[|\](:\d+)?$/g, '')
    .replace(/^([^:]+):\d+$/, '$1');
}

/** From a list to which each proxy appends, the entry of the outermost of `hops` proxies. */
function written(value: string | string[] | undefined, proxies: number): string | undefined {
  const entries = String(value ?? '').split(',');
  return entries[Math.max(0, entries.length - proxies)]?.trim();
}

/**
 * The first entry of a list: written by the proxy nearest to the caller, or by the caller, who can then deceive only itself.
 */
function first(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();
}
