import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A loopback server that counts connections. */
export async function startServer(answer: RequestListener, host = '127.0.0.1') {
  const seen: IncomingMessage[] = [];
  let knocks = 0;
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.on('connection', () => (knocks += 1));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${host}:${port}`, seen, knocks: () => knocks };
}
