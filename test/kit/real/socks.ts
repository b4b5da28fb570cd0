import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import { basicAuth, HANG_MS, openConnect, openSocks, openTcp, type TunnelOptions } from './tunnel.js';

/** What a download or upload came to; a failure before the first byte of the reply is status 0, `cut`, with the reason. */
export interface TransferResult {
  status: number;
  /** Bytes of the reply's body. */
  bytes: number;
  /** Bytes of the request's body that were handed to the connection. */
  sent: number;
  /** The first 64 KiB of the reply, as text. */
  text: string;
  /** `complete`: the whole reply as its Content-Length promised; `cut`: anything less. */
  ended: 'complete' | 'cut';
  error?: string;
}

export interface TransferOptions extends TunnelOptions {
  /**
   * `socks` (default): SOCKS5 port · `http`: HTTP proxy, absolute GET (CONNECT for https) · `connect`: HTTP proxy,
   * always CONNECT · `direct`: the port itself speaks to the target (dokodemo, tunnel).
   */
  via?: 'socks' | 'http' | 'connect' | 'direct';
  /** A POST with this body, or with so many bytes made on the way. */
  body?: Buffer | number;
  /** Upload speed in bytes a second; as fast as possible without it. */
  rate?: number;
  onData?: (chunk: Buffer, total: number) => void;
  /** The whole transfer may take this long; then it is cut by us. Default 120 s, and 10 minutes for `startTransfer`. */
  totalMs?: number;
  headers?: Record<string, string>;
}

/** A transfer in the background lives as long as its test, unless what the test checks ends it. */
const STREAM_MS = 600_000;

/** A transfer under way. */
export interface Transfer {
  bytes(): number;
  sent(): number;
  readonly done: Promise<TransferResult>;
  /** Whether it has settled. */
  ended(): boolean;
  /**
   * Whether it has ended, or has moved nothing for 10 s: the kernel sends one reset for a destroyed socket, and a client core on a
   * busy machine may miss it and keep its end open. For a wait; asked repeatedly.
   */
  isCut(): boolean;
  /** Goes away, as a client app does. */
  stop(): void;
}

/** `/slow` sends something every 50 ms. */
const SILENCE_MS = 10_000;

/** Starts a GET (or a POST when there is a body) through 127.0.0.1:`port` and comes back at once. Never throws. */
export function startTransfer(port: number, url: string, options: TransferOptions = {}): Transfer {
  const result: TransferResult = { status: 0, bytes: 0, sent: 0, text: '', ended: 'cut' };
  const abort = new AbortController();
  const state = { ended: false };
  const totalMs = options.totalMs ?? STREAM_MS;
  const last = { bytes: -1, at: 0 };
  const isSilent = (): boolean => {
    const bytes = result.bytes + result.sent;
    if (bytes !== last.bytes) Object.assign(last, { bytes, at: Date.now() });
    return Date.now() - last.at >= SILENCE_MS;
  };
  const timer = setTimeout(() => abort.abort(new Error(`not done in ${totalMs} ms`)), totalMs);
  const done = run(port, new URL(url), options, result, abort.signal)
    .catch((error: unknown) => {
      const reason: unknown = abort.signal.aborted ? abort.signal.reason : error;
      result.error = reason instanceof Error ? reason.message || reason.name : String(reason);
    })
    .then(() => {
      clearTimeout(timer);
      state.ended = true;
      return result;
    });
  return {
    bytes: () => result.bytes,
    sent: () => result.sent,
    done,
    ended: () => state.ended,
    isCut: () => state.ended || isSilent(),
    stop: () => abort.abort(new Error('stopped by the caller')),
  };
}

/** A GET through a proxy port, to its end. */
export function download(port: number, url: string, options: TransferOptions = {}): Promise<TransferResult> {
  return startTransfer(port, url, { totalMs: HANG_MS, ...options }).done;
}

/** A POST of `body` (bytes, or how many of them) through a proxy port, to its end. */
export function upload(
  port: number,
  url: string,
  body: Buffer | number,
  options: TransferOptions = {},
): Promise<TransferResult> {
  return startTransfer(port, url, { totalMs: HANG_MS, ...options, body }).done;
}

/** Resolves when the transfer has moved `bytes`, either way; rejects when it ends before that or takes too long. */
export async function moved(transfer: Transfer, bytes: number, timeoutMs = HANG_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Math.max(transfer.bytes(), transfer.sent()) < bytes) {
    if (transfer.ended()) throw new Error(`ended before ${bytes} bytes: ${JSON.stringify(await transfer.done)}`);
    if (Date.now() > deadline) throw new Error(`only ${transfer.bytes()} of ${bytes} bytes in ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function run(port: number, url: URL, options: TransferOptions, result: TransferResult, signal: AbortSignal) {
  const socket = await open(port, url, options);
  const stop = () => socket.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await exchange(socket, url, options, result);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function open(port: number, url: URL, options: TransferOptions): Promise<Duplex> {
  const secure = url.protocol === 'https:';
  const targetPort = Number(url.port || (secure ? 443 : 80));
  const via = options.via ?? 'socks';
  const tunnel =
    via === 'connect' || (via === 'http' && secure) ? openConnect : via === 'socks' ? openSocks : undefined;
  const socket =
    tunnel === undefined ? await openTcp(port, options) : await tunnel(port, url.hostname, targetPort, options);
  if (!secure) return socket;
  return new Promise((resolve, reject) => {
    const wrapped = tlsConnect({ socket, rejectUnauthorized: false }, () => {
      wrapped.removeAllListeners('error');
      wrapped.on('error', () => {});
      resolve(wrapped);
    });
    wrapped.once('error', reject);
    wrapped.once('close', () => reject(new Error('closed in the TLS handshake')));
  });
}

function exchange(socket: Duplex, url: URL, options: TransferOptions, result: TransferResult): Promise<void> {
  const { body, via, headers = {} } = options;
  const absolute = via === 'http' && url.protocol === 'http:';
  const auth = absolute ? basicAuth(options) : undefined;
  const size = typeof body === 'number' ? body : body?.length;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method: body === undefined ? 'GET' : 'POST',
      path: absolute ? url.href : url.pathname + url.search,
      headers: {
        host: url.host,
        connection: 'close',
        ...(size === undefined ? {} : { 'content-length': size }),
        ...(size === undefined || absolute ? {} : { expect: '100-continue' }),
        ...(auth === undefined ? {} : { 'proxy-authorization': auth }),
        ...headers,
      },
      createConnection: () => socket,
    });
    socket.once('close', () => {
      if (result.status === 0) reject(new Error('the connection closed without a reply'));
    });
    request.once('error', reject);
    request.once('response', (response) => receive(response, options, result, resolve, reject));
    if (body === undefined) request.end();
    else sendBody(request, body, { rate: options.rate, absolute }, result).catch(reject);
  });
}

function receive(
  response: IncomingMessage,
  { onData }: TransferOptions,
  result: TransferResult,
  resolve: () => void,
  reject: (reason: Error) => void,
): void {
  result.status = response.statusCode ?? 0;
  response.on('data', (chunk: Buffer) => {
    if (result.bytes < 65_536) result.text += chunk.subarray(0, 65_536 - result.bytes).toString('utf8');
    result.bytes += chunk.length;
    onData?.(chunk, result.bytes);
  });
  response.once('error', reject);
  response.once('close', () => {
    if (!response.complete) return reject(new Error('the reply was cut'));
    result.ended = 'complete';
    resolve();
  });
}

/**
 * The header goes first and alone: some outbounds fail on a big first burst. The body follows once the target has asked for it,
 * or after a moment where an HTTP proxy reads the header itself.
 */
async function sendBody(
  request: ReturnType<typeof httpRequest>,
  body: Buffer | number,
  { rate, absolute }: { readonly rate: number | undefined; readonly absolute: boolean },
  result: TransferResult,
): Promise<void> {
  const total = typeof body === 'number' ? body : body.length;
  const asked = absolute ? new Promise((resolve) => setTimeout(resolve, 30)) : continued(request);
  request.flushHeaders();
  await asked;
  const step = rate === undefined ? 32_768 : Math.max(1, Math.round(rate / 20));
  while (result.sent < total && !request.destroyed) {
    const size = Math.min(step, total - result.sent);
    const chunk = typeof body === 'number' ? Buffer.alloc(size, 'up ') : body.subarray(result.sent, result.sent + size);
    await new Promise<void>((resolve, reject) => {
      request.write(chunk, (error) => (error instanceof Error ? reject(error) : resolve()));
    });
    result.sent += size;
    if (rate !== undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  request.end();
}

/** Resolves when the target asks for the body, or when it never will. */
function continued(request: ReturnType<typeof httpRequest>): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['continue', 'response', 'error', 'close'] as const) request.once(event, () => resolve());
  });
}
