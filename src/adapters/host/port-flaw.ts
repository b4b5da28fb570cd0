import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Why a port cannot be bound. */
export type PortFlaw = 'taken' | 'forbidden' | 'no such address';

/** Whether a port can be bound, by binding it for a moment; null when it can. */
export async function portFlaw(listen: string, port: number, udp: boolean): Promise<PortFlaw | null> {
  const address = listen === '' || listen === '0.0.0.0' || listen === '::' || listen === '::0' ? '0.0.0.0' : listen;
  const code = await (udp ? udpFlaw(address, port) : tcpFlaw(address, port));
  if (code === 'EADDRINUSE') return 'taken';
  if (code === 'EACCES') return 'forbidden';
  if (code === 'EADDRNOTAVAIL') return 'no such address';
  return null;
}

function tcpFlaw(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function udpFlaw(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}
