import { connect, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import type { buildConnector } from 'undici';
import { WebError } from '../../commands/ports/web.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { hostOf } from './target.js';
import { usualContext } from './tls-sessions.js';
import { undici } from './undici.js';

/** Timeout for the proxy and its connection to the target together, in ms. TLS with the target has the same timeout again. */
const CONNECT_MS = 10_000;
const DEFAULT_PORT = 1080;

/** A SOCKS5 proxy. User name and password may be empty. */
interface Proxy {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Throws `WebError` 'refused'. The message does not repeat the text, which may contain a password. */
export function parseProxy(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [user, password] = [decoded(url?.username), decoded(url?.password)];
  if (url?.protocol !== 'socks5:' || url.hostname === '' || user === null || password === null)
    throw new WebError('refused', message('network.proxyInvalid'));
  return { host: hostOf(url), port: Number(url.port) || DEFAULT_PORT, user, password };
}

function decoded(text = ''): string | null {
  try {
    const plain = decodeURIComponent(text);
    return Buffer.byteLength(plain) > 255 ? null : plain;
  } catch {
    return null;
  }
}

/** Connects through the proxy, which resolves the name. For an https URL, TLS is established with the target. */
export function dialThrough(proxy: Proxy, url: URL): buildConnector.connector {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const open = async (...[options, done]: Parameters<buildConnector.connector>): Promise<void> => {
    let socket: Socket;
    try {
      socket = await openTunnel(proxy, hostOf(url), port);
    } catch (error) {
      return done(error as Error, null);
    }
    if (url.protocol !== 'https:') return done(null, socket);
    const secured = undici().buildConnector({
      timeout: CONNECT_MS,
      maxCachedSessions: 0,
      secureContext: usualContext(),
    });
    secured({ ...options, httpSocket: socket }, done);
  };
  return (options, callback) => void open(options, callback);
}

/** A connection to `host:port` through a SOCKS5 proxy. Rejects after 10 s, and when `signal` aborts. */
export async function openTunnel(proxy: Proxy, host: string, port: number, signal?: AbortSignal): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port, ...(signal && { signal }) });
  // The caller sees the error when it reads or writes; without a listener it would terminate the process.
  socket.on('error', () => undefined);
  const login = proxy.user === '' ? {} : { userId: proxy.user, password: proxy.password };
  try {
    await SocksClient.createConnection({
      command: 'connect',
      proxy: { host: proxy.host, port: proxy.port, type: 5, ...login },
      destination: { host, port },
      timeout: CONNECT_MS,
      existing_socket: socket,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal?.aborted) throw new MessageError(message('core.requestTimedOut'));
    // The library's error carries the password among its options.
    throw new Error(error instanceof Error ? error.message : String(error));
  }
}
