import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { Outbox } from '../live/outbox.js';
import { Answer } from './answer.js';
import { Connection, type ServerTraffic } from './connection.js';
import { bareAnswer, baseHeaders } from './headers.js';

/** How long running requests may go on once the server closes, in ms. */
const GRACE_MS = 10_000;

/** How long a caller may take for its greeting and its headers, in ms. */
export const HEADERS_TIMEOUT_MS = 10_000;

/** How often connections are looked at, in ms. */
const CHECK_MS = 2000;

export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ServerRules extends Partial<ServerTraffic> {
  /** How long a caller may take for its headers, in ms. */
  readonly timeoutMs?: number;
  readonly upgrade?: Upgrade | undefined;
}

/**
 * An HTTP server that no client can hold open or fill: slow headers, slow bodies, idle connections and clients that take
 * no answers end; each connection has one request at a time (see `Connection`), and every answer the base headers.
 */
export function hardenedServer(listener: RequestListener, rules: ServerRules = {}): Server {
  const {
    timeoutMs: patience = HEADERS_TIMEOUT_MS,
    upgrade,
    headers = () => baseHeaders,
    outbox = new Outbox(),
  } = rules;
  const server = createServer(
    {
      headersTimeout: patience,
      requestTimeout: 60_000,
      keepAliveTimeout: 120_000,
      // How often the first two are looked at; the default of 30 s makes them mean three times as much.
      connectionsCheckingInterval: CHECK_MS,
      ServerResponse: Answer,
    },
    (req, res) => {
      // An offer of another protocol that is not taken: the caller may wait for one, so the connection ends.
      if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
      listener(req, res);
    },
  );
  // A socket on which nothing moves: a reader that has stopped.
  server.setTimeout(120_000);
  // Node would drop the rest without a word, the one among them that a proxy has added last. Their size is limited.
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

/** Statuses of what the parser refuses, by the code of its error; the others are 400. */
const REFUSALS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Says why a request could not be read, where no answer is on its way, and ends the connection. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writable && Connection.of(socket)?.answering !== true)
    socket.write(bareAnswer(REFUSALS[error.code ?? ''] ?? 400));
  socket.destroy(error);
}

/** Resolves to the address, or rejects with what the system said. An empty `host` is every address. */
export function listen(server: SocketServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** Takes no more connections, lets running requests end, and then closes what is left. Safe when it never listened. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
