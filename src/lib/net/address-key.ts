import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What counts as one address: an IPv4 address, also where it is written as IPv6, and the /64 of an IPv6 address, which is
 * what one household or one phone has. Takes the brackets that the core puts around IPv6. Null for what is no address.
 */
export function addressKey(text: string): string | null {
  // By far the most, and asked for in each poll.
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
