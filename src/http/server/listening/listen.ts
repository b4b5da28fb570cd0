import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { Outbox } from '../../live/outbox.js';
import { Answer } from '../answer.js';
import { Connection, type ServerTraffic } from '../connection.js';
import { bareAnswer, baseHeaders } from '../headers.js';

/** How long running requests may continue after the server closes, in ms. */
const GRACE_MS = 10_000;

/** Timeout for the TLS handshake and the headers, in ms. */
export const HEADERS_TIMEOUT_MS = 10_000;

/** Interval of the connection check, in ms. */
const CHECK_MS = 2000;

type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ServerRules extends Partial<ServerTraffic> {
  /** Timeout for the headers, in ms. */
  readonly timeoutMs?: number;
  readonly upgrade?: Upgrade | undefined;
}

/**
 * An HTTP server whose resources no client can exhaust: slow headers, slow bodies, idle connections and clients that do not
 * read their answers time out. Each connection has one request at a time (see `Connection`), and every answer has the base
 * headers.
 */
export function hardenedServer(listener: RequestListener, rules: ServerRules = {}): Server {
  const {
    timeoutMs: timeouts = HEADERS_TIMEOUT_MS,
    upgrade,
    headers = () => baseHeaders,
    outbox = new Outbox(),
  } = rules;
  const server = createServer(
    {
      headersTimeout: timeouts,
      requestTimeout: 60_000,
      keepAliveTimeout: 120_000,
      // The interval at which Node checks both timeouts; with its default of 30 s they would be three times as long.
      connectionsCheckingInterval: CHECK_MS,
      ServerResponse: Answer,
    },
    (req, res) => {
      // An upgrade that is not accepted: the caller may wait for the protocol switch, so the connection is closed.
      if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
      listener(req, res);
    },
  );
  // A socket without progress: its reader has stopped.
  server.setTimeout(120_000);
  // Node would silently drop further headers, including the one that a proxy added last. Their total size is limited.
  server.maxHeadersCount = 0;
  server.on('clientError', refuse);
  watchConnections(server, { headers, outbox });
  if (upgrade)
    server.on('upgrade', (req, socket, head) => upgrade(req, socket, Connection.of(socket)?.release(head) ?? head));
  return server;
}

function watchConnections(server: Server, traffic: ServerTraffic): void {
  const open = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, new Connection(socket, traffic));
    socket.once('close', () => open.delete(socket));
  });
  const check = setInterval(() => {
    const now = performance.now();
    for (const [socket, connection] of open) if (connection.isStuck(now)) socket.destroy();
  }, CHECK_MS).unref();
  server.once('close', () => clearInterval(check));
}

/** Statuses by the error code of the parser; other codes are 400. */
const REFUSALS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Reports why a request could not be parsed, unless an answer is being sent, and closes the connection. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writable && Connection.of(socket)?.answering !== true)
    socket.write(bareAnswer(REFUSALS[error.code ?? ''] ?? 400));
  socket.destroy(error);
}

/** Resolves to the address, or rejects with the error of the system. An empty `host` = all addresses. */
export function listen(server: SocketServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/**
 * Stops accepting, lets running requests finish, and then closes the remaining connections. Safe when the server never
 * listened.
 */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
