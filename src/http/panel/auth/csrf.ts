import type { IncomingMessage } from 'node:http';
import { sameSecret } from './equal.js';
import type { Peer } from './peer.js';

/** The CSRF token in the header of the request, if any. Body and query are ignored. */
export function tokenOf(req: IncomingMessage): string | undefined {
  const value = req.headers['x-csrf-token'];
  return Array.isArray(value) ? value[0] : value;
}

export function tokenMatches(req: IncomingMessage, expected: string): boolean {
  const token = tokenOf(req);
  return token !== undefined && token !== '' && sameSecret(token, expected);
}

/**
 * Whether the browser reports that a page of another origin made the request. A request without these headers is not from a
 * browser. Behind a trusted proxy the original port and scheme may be unknown, so there only the host name must match.
 */
export function isCrossSite(req: IncomingMessage, peer: Peer): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site === 'same-origin') return false;
  if (site !== undefined && site !== 'none') return true;
  const { origin } = req.headers;
  if (origin === undefined) return false;
  const from = parse(origin);
  if (!from || peer.host === '') return true;
  const here = parse(`${from.protocol}//${peer.host}`);
  if (peer.proxied) return from.hostname !== here?.hostname;
  return from.host !== here?.host || (from.protocol === 'https:') !== peer.secure;
}

function parse(url: string): URL | null {
  return URL.canParse(url) && /^https?:\/\//i.test(url) ? new URL(url) : null;
}
