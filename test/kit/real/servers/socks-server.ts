import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A SOCKS5 proxy on a local port (RFC 1928, 1929) that connects everywhere on this machine, whatever name it is asked for. */
export interface SocksServer {
  readonly port: number;
  /** What it was asked to connect to, `host:port`. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

interface Options {
  /** Empty = no password is required. */
  readonly user?: string;
  readonly password?: string;
  /** The reply code to a connection request; 0 = success. */
  readonly code?: number;
}

export async function startSocksServer({ user = '', password = '', code = 0 }: Options = {}): Promise<SocksServer> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    let step = user === '' ? 'greeting' : 'greeting with password';
    socket.on('data', function talk(piece: Buffer) {
      if (step.startsWith('greeting')) {
        const method = user === '' ? 0 : 2;
        socket.write(Buffer.from([5, piece.subarray(2).includes(method) ? method : 255]));
        step = user === '' ? 'request' : 'password';
      } else if (step === 'password') {
        const length = piece[1] ?? 0;
        const isRight =
          piece.subarray(2, 2 + length).toString() === user && piece.subarray(3 + length).toString() === password;
        socket.write(Buffer.from([1, isRight ? 0 : 1]));
        step = 'request';
      } else {
        socket.off('data', talk);
        const { host, port } = targetOf(piece);
        asked.push(`${host}:${port}`);
        if (code !== 0) return void socket.end(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
        const target = keep(connect({ host: '127.0.0.1', port }));
        target.once('connect', () => {
          // With a name as its own address: of any length.
          socket.write(Buffer.from([5, 0, 0, 3, 4, ...Buffer.from('here'), 0, 0]));
          socket.pipe(target).pipe(socket);
        });
        target.once('close', () => socket.destroy());
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function targetOf(piece: Buffer): { readonly host: string; readonly port: number } {
  const kind = piece[3];
  const port = piece.readUInt16BE(piece.length - 2);
  const rest = piece.subarray(4, -2);
  if (kind === 1) return { host: [...rest].join('.'), port };
  if (kind === 4) return { host: `[${rest.toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:')}]`, port };
  return { host: rest.subarray(1).toString(), port };
}
