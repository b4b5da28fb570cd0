import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Looks public and is not: the machine's own cloud answers there with its secrets. */
const INTERNAL: ReadonlySet<string> = new Set(['168.63.129.16']);
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

/** The addresses of this machine, as `canonical` spells them. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.map(({ address }) => canonical(address)));
}

/**
 * Whether an address belongs to a machine out there: global unicast, not one of our own. An IPv4 address inside of an
 * IPv6 one is judged itself where the form has a plain use (mapped, NAT64); the other forms are refused.
 */
export function isPublic(address: string, own: ReadonlySet<string> = ownAddresses()): boolean {
  if (isIP(address) === 0) return false;
  const parsed = unwrap(ipaddr.parse(address));
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST, 3)) return false;
  const spelt = parsed.toString();
  return !own.has(spelt) && !INTERNAL.has(spelt);
}

function canonical(address: string): string {
  return unwrap(ipaddr.parse(address.replace(/%.*/, ''))).toString();
}

/** The IPv4 address that a packet to this one ends at, or the address itself. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped || address.match(NAT64, 96) ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
