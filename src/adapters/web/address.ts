import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Global unicast, but the metadata service of some clouds, which returns secrets of this machine. */
const INTERNAL: ReadonlySet<string> = new Set(['168.63.129.16']);
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/**
 * How long the list of our own addresses is cached, in ms. A connection may be made seconds after its address was checked,
 * so an address that this machine gets meanwhile can be missed in any case. A heartbeat of many nodes reads the list once.
 */
const CACHED_MS = 1000;

/** The addresses of this machine, in the form of `canonical`. */
export class OwnAddresses {
  readonly #read: typeof networkInterfaces;
  readonly #now: () => number;
  #known: { readonly all: ReadonlySet<string>; readonly at: number } | null = null;

  constructor(read = networkInterfaces, now = (): number => performance.now()) {
    this.#read = read;
    this.#now = now;
  }

  get all(): ReadonlySet<string> {
    const at = this.#now();
    if (this.#known === null || at - this.#known.at >= CACHED_MS) this.#known = { all: this.#look(), at };
    return this.#known.all;
  }

  #look(): ReadonlySet<string> {
    const all = Object.values(this.#read()).flatMap((list) => list ?? []);
    return new Set(all.map(({ address }) => canonical(address)));
  }
}

const ours = new OwnAddresses();

/**
 * Whether an address is public: global unicast, and not one of this machine. An IPv4 address embedded in an IPv6 one is
 * checked itself for the common forms (mapped, NAT64); other forms are rejected.
 */
export function isPublic(address: string, own: ReadonlySet<string> = ours.all): boolean {
  if (isIP(address) === 0) return false;
  const parsed = unwrap(ipaddr.parse(address));
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST, 3)) return false;
  const normalized = parsed.toString();
  return !own.has(normalized) && !INTERNAL.has(normalized);
}

function canonical(address: string): string {
  return unwrap(ipaddr.parse(address.replace(/%.*/, ''))).toString();
}

/** The embedded IPv4 address that packets to this address reach, or the address itself. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped || address.match(NAT64, 96) ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
