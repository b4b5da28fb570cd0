import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { PortProblem } from '../../commands/ports/host.js';

/** Why a port cannot be bound, tested by binding it briefly; null when it can. */
export async function portProblem(listen: string, port: number, udp: boolean): Promise<PortProblem | null> {
  const address = listen === '' || listen === '0.0.0.0' || listen === '::' || listen === '::0' ? '0.0.0.0' : listen;
  const code = await (udp ? tryUdp(address, port) : tryTcp(address, port));
  if (code === 'EADDRINUSE') return 'taken';
  if (code === 'EACCES') return 'forbidden';
  if (code === 'EADDRNOTAVAIL') return 'no such address';
  return null;
}

function tryTcp(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function tryUdp(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}
