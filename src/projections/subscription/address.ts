import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { Networks } from '../../lib/net/networks.js';
import { privateNetworks } from '../../lib/net/private-networks.js';

const HOST_NAME = /^\w(?:[\w.-]*\w)?\.?$/;
const INTERNATIONAL = /^[\w.\-\u0080-\u{10ffff}]+$/u;
const MAX_NAME_CHARS = 253;

/** A host for a link: punycode, IPv6 without brackets. Empty if clients cannot connect to it. */
export function hostOf(text: string): string {
  const host = text.trim();
  if (host.includes(':')) return ipv6Of(host);
  if (host.length > MAX_NAME_CHARS) return '';
  if (HOST_NAME.test(host)) return host;
  if (!INTERNATIONAL.test(host)) return '';
  const ascii = domainToASCII(host);
  return ascii.length <= MAX_NAME_CHARS && HOST_NAME.test(ascii) ? ascii : '';
}

function ipv6Of(text: string): string {
  const address = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`) ? address : '';
}

const PRIVATE = new Networks(privateNetworks);

/** Wildcard, loopback, link-local and multicast addresses. */
const LOCAL_IPV4 = /^(?:0|127|169\.254|22[4-9]|23\d|24\d|25\d)\./;
const LOCAL_IPV6 = /^\[(?:::1?\]|::ffff:(?:0|7f[\da-f]{2}|a9fe):|fe[89ab][\da-f]:|ff[\da-f]{2}:)/;
const LOCAL_NAME = /^(?:.*\.)?localhost\.?$/i;

/** Whether an inbound that listens on this address can be reached at it from another machine. */
export function isReachable(listen: string): boolean {
  const host = hostOf(listen);
  if (host === '') return false;
  if (host.includes(':')) return !LOCAL_IPV6.test(new URL(`http://[${host}]/`).hostname);
  return !LOCAL_IPV4.test(host) && !LOCAL_NAME.test(host);
}

/**
 * Whether a reachable host is public: a name, or an address outside of private networks. A private address could be another
 * machine in the network of the client.
 */
export function isPublic(host: string): boolean {
  return isReachable(host) && (isIP(host) === 0 || !PRIVATE.holds(host));
}

/** Whether an inbound listens on a unix socket, abstract or not. */
export function isSocketPath(listen: string): boolean {
  return listen.startsWith('@') || listen.startsWith('/');
}

/** A port from settings: a number or a numeric string; 0 if it is invalid. */
export function portOf(value: unknown): number {
  const port = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0;
}
