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

/** What every answer of the panel carries. No CORS: no other site may read anything. */
export function securityHeaders(res: ServerResponse, { secure, proxied }: Peer): void {
  res.setHeader('Content-Security-Policy', contentSecurityPolicy());
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('Cache-Control', 'no-store');
  // Behind a proxy it is the proxy that knows whether the name is always served over TLS.
  if (secure && !proxied) res.setHeader('Strict-Transport-Security', 'max-age=31536000');
}
