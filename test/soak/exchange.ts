import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { openSocks } from '../kit/real/tunnel.js';

/** Bytes of one connection, each as its own end of the tunnel has seen it. */
export interface Bytes {
  /** Handed to the connection by the client. */
  sent: number;
  /** Arrived at the target. */
  arrived: number;
  /** Handed to the connection by the target. */
  returned: number;
  /** Arrived at the client. */
  received: number;
}

/** What a connection is to carry. */
export interface Load {
  /** Bytes to the target, its head among them. */
  readonly up: number;
  /** Bytes back, the first of which says that the target was reached. */
  readonly down: number;
  /** ms between two pieces back; 0 = as fast as it goes. */
  readonly pace: number;
}

/** Bytes of the head: id, up, down, pace. */
export const HEAD = 14;
const PIECE = 16_384;

/** A server that takes as many bytes as the head of a connection says, and then gives as many back. */
export interface Exchange {
  readonly port: number;
  /**
   * Carries a load through a SOCKS port. Resolves when all of it has come to both ends, or the connection has ended before;
   * never rejects. `bytes` is kept up to date meanwhile; `reached` is called when the first byte comes back.
   */
  carry(socks: number, load: Load, bytes: Bytes, reached: () => void, totalMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startExchange(): Promise<Exchange> {
  const carried = new Map<number, Bytes>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    serve(socket, carried);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let last = 0;
  return {
    port,
    carry: async (socks, load, bytes, reached, totalMs) => {
      const id = (last += 1);
      carried.set(id, bytes);
      let socket: Duplex | null = null;
      try {
        socket = await openSocks(socks, '127.0.0.1', port, { timeoutMs: 5000 });
        return await call(socket, id, load, bytes, reached, totalMs);
      } catch {
        return false;
      } finally {
        socket?.destroy();
        // The target may learn a little later that it is over.
        setTimeout(() => carried.delete(id), 30_000).unref();
      }
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, carried: ReadonlyMap<number, Bytes>): void {
  let head: Buffer = Buffer.alloc(0);
  let bytes: Bytes | undefined;
  let load: Load | null = null;
  socket.on('data', (chunk: Buffer) => {
    let fresh = chunk.length;
    if (load === null) {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD) return;
      load = { up: head.readUInt32BE(4), down: head.readUInt32BE(8), pace: head.readUInt16BE(12) };
      bytes = carried.get(head.readUInt32BE(0));
      if (bytes === undefined) return void socket.destroy();
      fresh = head.length;
      give(socket, bytes, 1);
    }
    if (bytes === undefined) return;
    bytes.arrived += fresh;
    if (bytes.arrived === load.up) void giveAll(socket, bytes, load);
  });
}

async function giveAll(socket: Socket, bytes: Bytes, { down, pace }: Load): Promise<void> {
  while (bytes.returned < down && !socket.destroyed) {
    const free = give(socket, bytes, Math.min(PIECE, down - bytes.returned));
    if (pace > 0) await pause(pace);
    else if (!free) await drained(socket);
  }
}

function give(socket: Socket, bytes: Bytes, size: number): boolean {
  bytes.returned += size;
  return socket.write(Buffer.alloc(size, 'down'));
}

function call(
  socket: Duplex,
  id: number,
  load: Load,
  bytes: Bytes,
  reached: () => void,
  totalMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), totalMs);
    let begun = false;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(bytes.received === load.down && bytes.arrived === load.up);
    });
    socket.on('data', (chunk: Buffer) => {
      bytes.received += chunk.length;
      if (!begun) {
        begun = true;
        reached();
        void sendRest(socket, load.up, bytes);
      }
      if (bytes.received >= load.down) socket.destroy();
    });
    const head = Buffer.alloc(HEAD);
    head.writeUInt32BE(id, 0);
    head.writeUInt32BE(load.up, 4);
    head.writeUInt32BE(load.down, 8);
    head.writeUInt16BE(load.pace, 12);
    bytes.sent += HEAD;
    socket.write(head);
  });
}

async function sendRest(socket: Duplex, up: number, bytes: Bytes): Promise<void> {
  while (bytes.sent < up && !socket.destroyed) {
    const size = Math.min(PIECE, up - bytes.sent);
    bytes.sent += size;
    if (!socket.write(Buffer.alloc(size, 'up'))) await drained(socket);
  }
}

function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', () => resolve());
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
