import type { IncomingMessage, RequestListener } from 'node:http';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf, nameOf, plain } from '../panel/auth/peer.js';

/** What stands for a port that a Host header does not name, and what an https URL need not name. */
const [HTTP_PORT, HTTPS_PORT] = [80, 443];

/**
 * Answers plain HTTP where TLS is spoken: with a redirect to the same target over TLS, or with 400. It redirects only to
 * the domain of the server and to the address that the client is connected to, because a Host header can name any machine:
 * a cache in between would hand the redirect to others. `domain`: as the settings have it; empty = none.
 */
export function signpost(domain: () => string): RequestListener {
  return (req, res) => {
    const target = req.url ?? '';
    const host = hostOverTls(req, nameOf(domain()));
    res.shouldKeepAlive = false;
    if (host === null || !/^\/[\x21-\x7e]*$/.test(target)) res.writeHead(400, { 'Content-Length': '0' });
    else res.writeHead(307, { Location: `https://${host}${target}`, 'Content-Length': '0' });
    res.end();
  };
}

/** Host and port of our own that the request means; null when it means no server of ours, or cannot be understood. */
function hostOverTls({ headers, headersDistinct, socket }: IncomingMessage, domain: string): string | null {
  const { host, hostname } = hostOf(headers.host);
  if (host === '' || headersDistinct['host']?.length !== 1) return null;
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? HTTP_PORT);
  // A port of the domain may be led to ours by a router that we know nothing of.
  if (domain !== '' && hostname === domain) return written(domain, port === HTTP_PORT ? HTTPS_PORT : port);
  const local = plain(socket.localAddress ?? '');
  return isSame(hostname, local) && port === socket.localPort ? written(local, port) : null;
}

function written(name: string, port: number): string {
  const host = isIPv6(name) ? `[${name}]` : name;
  return port === HTTPS_PORT ? host : `${host}:${port}`;
}

/** Whether both are the same IP address, however an IPv6 one is written. */
function isSame(asked: string, local: string): boolean {
  const address = plain(asked);
  return address !== '' && local !== '' && ipaddr.process(address).toString() === ipaddr.process(local).toString();
}
