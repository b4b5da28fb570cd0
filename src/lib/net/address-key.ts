import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key under which an address counts: an IPv4 address, also when written as IPv6, or the /64 of an IPv6 address, which one
 * household or phone has. Accepts the brackets that the core puts around IPv6. Null when it is not an address.
 */
export function addressKey(text: string): string | null {
  // The most common case, checked in every poll.
  if (isIPv4(text)) return text;
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!isIPv6(plain)) return null;
  const address = ipaddr.IPv6.parse(plain);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/** The first bytes of such a key, 4 or 16 of them, and how many bits of them count. */
export function networkOfKey(key: string): { readonly ip: Buffer; readonly prefix: number } {
  const [address = '', bits] = key.split('/');
  const ip = Buffer.from(ipaddr.parse(address).toByteArray());
  return { ip, prefix: bits === undefined ? ip.length * 8 : Number(bits) };
}
