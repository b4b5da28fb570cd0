import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Whether somebody else holds a port, by binding it for a moment: null when it is free, else a few words. A wildcard is
 * asked for IPv4 and IPv6 as the core would take it.
 */
export async function portHolder(listen: string, port: number, udp: boolean): Promise<string | null> {
  const address = listen === '' || listen === '0.0.0.0' || listen === '::' || listen === '::0' ? '0.0.0.0' : listen;
  const code = await (udp ? udpFlaw(address, port) : tcpFlaw(address, port));
  if (code === 'EADDRINUSE') return 'another program';
  if (code === 'EACCES') return 'the system: this account may not use it';
  if (code === 'EADDRNOTAVAIL') return `nobody: ${listen} is not an address of this machine`;
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
