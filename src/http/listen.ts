import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as SocketServer } from 'node:net';

/** How long running requests may go on once the server closes, in ms. */
const GRACE_MS = 10_000;

/** How long a caller may take for its greeting and its headers, in ms. */
export const PATIENCE_MS = 10_000;

/** An HTTP server that nobody can hold open: slow headers, slow bodies and idle connections end. */
export function hardenedServer(listener: RequestListener, patience = PATIENCE_MS): Server {
  const server = createServer(
    {
      headersTimeout: patience,
      requestTimeout: 60_000,
      keepAliveTimeout: 120_000,
      // How often the first two are looked at; the default of 30 s makes them mean three times as much.
      connectionsCheckingInterval: 2000,
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
  return server;
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
