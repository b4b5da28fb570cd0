import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A TCP port of loopback that is free at the moment. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
