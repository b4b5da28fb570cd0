import type { ServerResponse } from 'node:http';
import type { Peer } from './auth/peer.js';

/** The policy of a page whose one inline script has this nonce; without a page nothing may run. */
export function contentSecurityPolicy(nonce?: string): string {
  const inline = nonce === undefined ? '' : ` 'nonce-${nonce}'`;
  return [
    "default-src 'self'",
    `script-src 'self'${inline}`,
    `style-src 'self'${inline}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

const always: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', contentSecurityPolicy()],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
];
const overTls: typeof always = [...always, ['Strict-Transport-Security', 'max-age=31536000']];
const [alwaysFlat, overTlsFlat] = [always.flat(), overTls.flat()];

/** Behind a proxy it is the proxy that knows whether the name is always served over TLS. */
const isTls = ({ secure, proxied }: Peer): boolean => secure && !proxied;

/** What every answer of the panel carries. No CORS: no other site may read anything. */
export function securityHeaders(res: ServerResponse, peer: Peer): void {
  for (const [name, value] of isTls(peer) ? overTls : always) res.setHeader(name, value);
}

/** The same as names and values in turn. */
export function securityHeaderList(peer: Peer): readonly string[] {
  return isTls(peer) ? overTlsFlat : alwaysFlat;
}
