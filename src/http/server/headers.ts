import { type IncomingMessage, type OutgoingHttpHeader, STATUS_CODES } from 'node:http';
import type { Peer } from '../panel/auth/peer.js';

/** Names and values in turn, which Node writes unchanged. */
export type HeaderList = readonly string[];

/** The Content-Security-Policy of a page whose inline script has this nonce; without a page nothing may run. */
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

/** Default headers of every answer of every server. None allows CORS: other sites may read nothing. */
export const baseHeaders: HeaderList = [
  ...['Content-Security-Policy', contentSecurityPolicy()],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ...['Cache-Control', 'no-store'],
];
const overTls: HeaderList = [...baseHeaders, 'Strict-Transport-Security', 'max-age=31536000'];

/**
 * The same for the panel, plus HSTS over TLS. Not behind a proxy, because only the proxy knows whether the name is always
 * served over TLS.
 */
export function panelHeaders({ secure, proxied }: Peer): HeaderList {
  return secure && !proxied ? overTls : baseHeaders;
}

/** Base headers of a server, for the answer to one request. */
export type HeadersFor = (req: IncomingMessage) => HeaderList;

/** Adds the base headers that a list of names and values does not contain. */
export function withBase(base: HeaderList, own: readonly OutgoingHttpHeader[]): OutgoingHttpHeader[] {
  const all = [...own];
  for (let at = 0; at < base.length; at += 2) {
    const [name = '', value = ''] = [base[at], base[at + 1]];
    if (!names(own, name)) all.push(name, value);
  }
  return all;
}

function names(list: readonly OutgoingHttpHeader[], name: string): boolean {
  for (let at = 0; at < list.length; at += 2) {
    const one = String(list[at]);
    if (one.length === name.length && (one === name || one.toLowerCase() === name.toLowerCase())) return true;
  }
  return false;
}

/** The base headers as lines of a head. */
export const baseLines: readonly string[] = linesOf(baseHeaders);

/** A complete answer without a body that closes the connection, where there is no `ServerResponse`. */
export function bareAnswer(status: number): string {
  const lines = [...linesOf(['Connection', 'close', 'Content-Length', '0']), ...baseLines];
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function linesOf(list: HeaderList): readonly string[] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${list[at + 1]}`] : []));
}
