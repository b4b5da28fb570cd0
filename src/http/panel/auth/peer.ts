import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { Settings } from '../../../events/settings/settings.js';
import { Networks } from '../../../lib/net/networks.js';

/** Where a request comes from and what it asked for, as far as that can be believed. */
export interface Peer {
  /** Address of the caller. */
  readonly ip: string;
  /** Host as the caller wrote it, with its port if it had one; '' when it is not a host. */
  readonly host: string;
  /** The same without its port and without brackets. */
  readonly hostname: string;
  readonly secure: boolean;
  /** A trusted proxy speaks for the caller, so that the port that the caller saw is not known for sure. */
  readonly proxied: boolean;
}

const HOST = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?)(?::\d{1,5})?$/i;

/** More remembered answers than peers that a panel has at one time; when it is full it starts again. */
const REMEMBERED = 4096;
/** Entries of X-Forwarded-For that are looked at, from the right: no chain of proxies is longer. */
const MOST_HOPS = 32;

/**
 * The one place that reads forwarded headers, for both servers. They count only when the direct peer is inside
 * `trustedProxyCIDRs`. Of X-Forwarded-For the right-most address that is not itself a trusted proxy counts; X-Real-IP
 * is read only without it. Of X-Forwarded-Host what a trusted proxy wrote counts, not what a caller wrote before it.
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

  /** Whether this address is a proxy of ours. */
  trusts(address: string): boolean {
    const { trustedProxyCIDRs } = this.#settings();
    if (trustedProxyCIDRs !== this.#cidrs) this.#learn(trustedProxyCIDRs);
    const known = this.#answers.get(address);
    if (known !== undefined) return known;
    const ip = plain(address);
    const answer = ip !== '' && this.#proxies.holds(ip);
    if (this.#answers.size >= REMEMBERED) this.#answers.clear();
    this.#answers.set(address, answer);
    return answer;
  }

  #learn(cidrs: readonly string[]): void {
    this.#proxies = new Networks(cidrs);
    this.#cidrs = cidrs;
    this.#answers.clear();
  }

  /** The caller, and how many trusted proxies in a row stand between it and us. */
  #chain(direct: string, { headers }: IncomingMessage): { caller: string; proxies: number } {
    const chain = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops =
      headers['x-forwarded-for'] === undefined
        ? [String(headers['x-real-ip'] ?? '')]
        : chain.slice(-MOST_HOPS).reverse();
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

/**
 * What a limit counts under: an IPv4 address, or the /64 of an IPv6 address, because one customer has all of that.
 */
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

/** An address without port, zone and IPv4 mapping; '' when it is none. */
export function plain(text: string): string {
  if (isIPv4(text)) return text;
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const unmapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  const address = unmapped.split('%')[0] ?? '';
  return isIP(address) === 0 ? '' : address;
}

/** A Host header taken apart; empty texts when it is not a host. */
export function hostOf(value: string | undefined): Pick<Peer, 'host' | 'hostname'> {
  if (value === undefined || !HOST.test(value)) return { host: '', hostname: '' };
  const host = value.toLowerCase();
  return { host, hostname: host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') };
}

/** The domain of a setting as `hostname` has it: it may be written with a port. */
export function nameOf(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/^\[|\](:\d+)?$/g, '')
    .replace(/^([^:]+):\d+$/, '$1');
}

/** Of a list to which each proxy adds what it was asked, the entry of the outermost of so many. */
function written(value: string | string[] | undefined, proxies: number): string | undefined {
  const entries = String(value ?? '').split(',');
  return entries[Math.max(0, entries.length - proxies)]?.trim();
}

/** The first of a list: what the proxy nearest to the caller wrote, or the caller, who then fools but itself. */
function first(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();
}
