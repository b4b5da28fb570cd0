import type { IncomingMessage, RequestListener } from 'node:http';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf, nameOf, plain } from '../../panel/auth/peer.js';

/** The default port of a Host header, and the port that an https URL omits. */
const [HTTP_PORT, HTTPS_PORT] = [80, 443];

/**
 * Answers plain HTTP on a TLS port: with a redirect to the same target over TLS, or with 400. It redirects only to the
 * domain of the server or the address of the connection, because a Host header can name any machine and a cache could serve
 * the redirect to others. `domain`: as in the settings; empty = none.
 */
export function redirectToTls(domain: () => string): RequestListener {
  return (req, res) => {
    const target = req.url ?? '';
    const host = hostOverTls(req, nameOf(domain()));
    res.shouldKeepAlive = false;
    if (host === null || !/^\/[\x21-\x7e]*$/.test(target)) res.writeHead(400, { 'Content-Length': '0' });
    else res.writeHead(307, { Location: `https://${host}${target}`, 'Content-Length': '0' });
    res.end();
  };
}

/** Our own host and port that the request is for; null when it is for another host or invalid. */
function hostOverTls({ headers, headersDistinct, socket }: IncomingMessage, domain: string): string | null {
  const { host, hostname } = hostOf(headers.host);
  if (host === '' || headersDistinct['host']?.length !== 1) return null;
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? HTTP_PORT);
  // A router may forward another port of the domain to ours.
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
