import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long running requests may go on once the server closes, in ms. */
const GRACE_MS = 10_000;

/** An HTTP server that nobody can hold open: slow headers, slow bodies and idle connections end. */
export function hardenedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 120_000,
      // How often the first two are looked at; the default of 30 s makes them mean three times as much.
      connectionsCheckingInterval: 2000,
    },
    listener,
  );
  // A socket on which nothing moves: a reader that has stopped.
  server.setTimeout(120_000);
  server.maxHeadersCount = 200;
  return server;
}

/** Resolves to the address, or rejects with what the system said. An empty `host` is every address. */
export function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
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
