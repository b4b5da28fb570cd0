import { connect, isIPv4, isIPv6, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { WebError } from '../../commands/ports/web.js';
import { hostOf } from './target.js';
import { usualContext } from './tls-sessions.js';

/** For the proxy and its connection to the target together, in ms; TLS with the target has as long again. */
const CONNECT_MS = 10_000;
const USUAL_PORT = 1080;

/** A SOCKS5 proxy. User name and password may be empty. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Throws `WebError` 'refused', whose message holds nothing of the text: it carries a password. */
export function parseProxy(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [user, password] = [decoded(url?.username), decoded(url?.password)];
  if (url?.protocol !== 'socks5:' || url.hostname === '' || user === null || password === null)
    throw new WebError('refused', 'The proxy must be written as socks5://user:password@host:port');
  return { host: hostOf(url), port: Number(url.port) || USUAL_PORT, user, password };
}

function decoded(text = ''): string | null {
  try {
    const plain = decodeURIComponent(text);
    return Buffer.byteLength(plain) > 255 ? null : plain;
  } catch {
    return null;
  }
}

/** Connects through the proxy, which looks the name up; TLS, where the address has it, is with the target. RFC 1928, 1929. */
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
    const secured = buildConnector({ timeout: CONNECT_MS, maxCachedSessions: 0, secureContext: usualContext() });
    secured({ ...options, httpSocket: socket }, done);
  };
  return (options, callback) => void open(options, callback);
}

async function openTunnel(proxy: Proxy, host: string, port: number): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port });
  const timer = setTimeout(() => socket.destroy(new Error('the proxy took too long')), CONNECT_MS);
  // Whoever waits hears of it by the closing; nobody else shall die of it.
  socket.on('error', () => undefined);
  try {
    await arrival(socket, 'connect');
    await greet(socket, proxy);
    socket.write(Buffer.from([5, 1, 0, ...addressBytes(host), port >> 8, port & 255]));
    const [, reply, , kind] = await bytes(socket, 4);
    if (reply !== 0) throw new Error(`the proxy answered with SOCKS code ${reply}`);
    const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await bytes(socket, 1))[0] ?? 0);
    await bytes(socket, length + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function greet(socket: Socket, { user, password }: Proxy): Promise<void> {
  const methods = user === '' ? [0] : [0, 2];
  socket.write(Buffer.from([5, methods.length, ...methods]));
  const [version, method] = await bytes(socket, 2);
  if (version !== 5 || method === undefined || !methods.includes(method))
    throw new Error('the proxy does not let us in this way');
  if (method === 0) return;
  socket.write(Buffer.from([1, ...withLength(user), ...withLength(password)]));
  const [, refused] = await bytes(socket, 2);
  if (refused !== 0) throw new Error('the proxy refuses the user name or the password');
}

function addressBytes(host: string): readonly number[] {
  if (isIPv4(host)) return [1, ...host.split('.').map(Number)];
  if (isIPv6(host)) return [4, ...sixteenBytes(host)];
  return [3, ...withLength(host)];
}

/** The URL parser has spelt it: groups of hex, at most one gap, no dots. */
function sixteenBytes(host: string): readonly number[] {
  const [head = [], tail = []] = host.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].map((group) => parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]);
}

function withLength(text: string): readonly number[] {
  const encoded = Buffer.from(text);
  return [encoded.length, ...encoded];
}

/** Exactly so many bytes; what comes after them stays in the socket. */
async function bytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const piece = socket.read(count) as Buffer | null;
    if (piece?.length === count) return piece;
    if (piece !== null) throw new Error('the proxy closed the connection');
    await arrival(socket, 'readable');
  }
}

function arrival(socket: Socket, event: 'connect' | 'readable'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      socket.off(event, came).off('close', closed).off('end', closed);
      end();
    };
    const came = (): void => settle(resolve);
    const closed = (): void => settle(() => reject(socket.errored ?? new Error('the proxy closed the connection')));
    if (socket.destroyed) return closed();
    socket.once(event, came).once('close', closed).once('end', closed);
  });
}
