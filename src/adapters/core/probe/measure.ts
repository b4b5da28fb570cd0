import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MessageError } from '../../../messages/error.js';
import { message } from '../../../messages/message.js';
import { openTunnel } from '../../web/socks.js';
import type { ProbeProxy } from './config.js';

/** One request through the proxy, on a new connection. Whole ms since the start, except `tlsMs`, which is a duration. */
interface Measured {
  readonly statusCode: number;
  /** Up to the end of the headers; the body is not read. */
  readonly delay: number;
  readonly connectMs: number;
  /** 0 without TLS. */
  readonly tlsMs: number;
  readonly ttfbMs: number;
}

/** Longest headers that are read, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Sends a GET; any status counts as an answer. Rejects with an error for people, also when `signal` aborts. */
export async function measuredGet(url: URL, proxy: ProbeProxy, signal: AbortSignal, ca?: string): Promise<Measured> {
  const start = performance.now();
  const since = (from: number): number => Math.max(1, Math.round(performance.now() - from));
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const tunnel = await openTunnel(
    { host: '127.0.0.1', ...proxy },
    host,
    Number(url.port || (secure ? 443 : 80)),
    signal,
  );
  try {
    const connectMs = since(start);
    const begun = performance.now();
    const socket = secure ? await withTls(tunnel, host, ca) : tunnel;
    const tlsMs = secure ? since(begun) : 0;
    let ttfbMs = 0;
    const statusCode = await ask(url, socket, () => (ttfbMs ||= since(start)));
    return { statusCode, delay: since(start), connectMs, tlsMs, ttfbMs };
  } catch (error) {
    throw signal.aborted ? new MessageError(message('core.requestTimedOut')) : (tunnel.errored ?? error);
  } finally {
    tunnel.destroy();
  }
}

function withTls(tunnel: Socket, host: string, ca: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const trust = ca === undefined ? {} : { ca };
    const socket = connectTls({ socket: tunnel, host, ALPNProtocols: ['http/1.1'], ...name, ...trust });
    socket.on('error', reject).once('secureConnect', () => resolve(socket));
    tunnel.once('close', () => reject(new MessageError(message('core.tlsClosed'))));
  });
}

/** Resolves to the status of the answer. `onData` is called for every chunk. */
function ask(url: URL, socket: Socket, onData: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.once('close', () => reject(new MessageError(message('core.closedWithoutAnswer'))));
    socket.on('data', (chunk: Buffer) => {
      onData();
      text += chunk.toString('latin1');
      const status = statusOf(text);
      if (status !== null) resolve(status);
      else if (text.length > MAX_HEADER_BYTES || !'HTTP/1.'.startsWith(text.slice(0, 7)))
        reject(new MessageError(message('core.answerNotHttp')));
    });
    const headers = ['user-agent: portolan', 'accept: */*', 'connection: close'];
    socket.write([`GET ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`, ...headers, '', ''].join('\r\n'));
  });
}

/** The status once all headers have arrived; 1xx responses are skipped. */
function statusOf(text: string): number | null {
  const end = text.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? Number.NaN);
  if (end < 0 || Number.isNaN(status)) return null;
  return status < 200 ? statusOf(text.slice(end + 4)) : status;
}
