import { Readable } from 'node:stream';
import type { buildConnector } from 'undici';
import type { WebRequest } from '../../commands/ports/web.js';
import { unlessAborted } from '../../lib/abort.js';
import { type Hop, type Reply, redirectOf, type Sink, sendRequest } from './ask.js';
import { dial } from './dial.js';
import { dialThrough, parseProxy } from './socks.js';
import { check, checkName, hostOf, parseUrl, type Resolve, unreached } from './target.js';
import type { TlsSessions } from './tls-sessions.js';
import { undici } from './undici.js';

interface ExchangeOptions {
  readonly resolve: Resolve;
  readonly sessions: TlsSessions;
  /** Allows private addresses for every target; a request may allow them for its own. */
  readonly allowPrivate: boolean;
  /** Timeout without a byte of the body, in ms. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
/** Headers that are sent to another origin after a redirect. All others may contain credentials. */
const PORTABLE: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'user-agent', 'if-modified-since']);
/** Headers that callers cannot set. */
const OWN: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/**
 * One request and its redirects. Every hop has its own connection, so that none is reused under another policy. `sink`
 * receives the last answer. Rejects with `WebError`, or with the error of the sink.
 */
export async function exchange(
  address: string,
  request: WebRequest,
  { resolve, sessions, allowPrivate, idleMs, signal }: ExchangeOptions,
  sink: Sink,
): Promise<Reply> {
  const { method = 'GET', headers = {} } = request;
  const url = parseUrl(address);
  const proxy = request.proxy === undefined ? null : parseProxy(request.proxy);
  const allowsPrivate = (to: URL): boolean =>
    allowPrivate || (request.allowPrivate === true && to.hostname === url.hostname);
  const connector = async (to: URL): Promise<buildConnector.connector> => {
    const timedOut = () => unreached('timeout', hostOf(to), signal.reason);
    if (proxy === null)
      return dial(await unlessAborted(check(to, resolve, allowsPrivate(to)), signal, timedOut), sessions);
    checkName(to, allowsPrivate(to));
    return dialThrough(proxy, to);
  };
  let hop: Hop = { url, method, headers: only(headers, (name) => !OWN.has(name)), body: bodyOf(request) };
  for (let hops = 0; ; hops += 1) {
    const connect = await connector(hop.url);
    // The signal limits the whole exchange; the body has its own idle timeout.
    const client = new (undici().Client)(hop.url.origin, {
      connect,
      pipelining: 0,
      headersTimeout: 0,
      bodyTimeout: idleMs,
    });
    try {
      const reply = await sendRequest(client, hop, signal, sink);
      const location = redirectOf(reply);
      if (location === null || request.redirects === false) return reply;
      if (hops === MAX_REDIRECTS) throw unreached('refused', reply.host, new Error('too many redirects'));
      hop = redirected(hop, reply, location);
    } finally {
      await client.destroy();
    }
  }
}

/** The next hop: never from https to http, and without confidential headers to another origin. */
function redirected(from: Hop, { host, status }: Reply, location: string): Hop {
  if (!URL.canParse(location, from.url.href)) throw unreached('refused', host, new Error('redirected to no address'));
  const url = parseUrl(new URL(location, from.url.href).href);
  if (from.url.protocol === 'https:' && url.protocol === 'http:')
    throw unreached('refused', host, new Error('redirected to a connection without TLS'));
  const keeps = status === 307 || status === 308 || from.method === 'GET';
  const elsewhere = url.origin !== from.url.origin;
  if (elsewhere && keeps && from.body !== null)
    throw unreached('refused', host, new Error('redirected to another host with what was sent'));
  if (keeps && from.body instanceof Readable)
    throw unreached('refused', host, new Error('redirected with what can be sent only once'));
  return {
    url,
    method: keeps ? from.method : 'GET',
    headers: elsewhere ? only(from.headers, (name) => PORTABLE.has(name)) : from.headers,
    body: keeps ? from.body : null,
  };
}

function bodyOf({ body }: WebRequest): Hop['body'] {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : Readable.from(body);
}

function only(headers: Readonly<Record<string, string>>, keep: (name: string) => boolean): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => keep(name)));
}
