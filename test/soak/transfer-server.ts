import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { openSocks } from '../kit/real/tunnel.js';

/** Bytes of one connection, counted at both ends of the tunnel. */
export interface Bytes {
  /** Written by the client. */
  sent: number;
  /** Read by the target. */
  arrived: number;
  /** Written by the target. */
  returned: number;
  /** Read by the client. */
  received: number;
}

/** What a connection transfers. */
export interface Load {
  /** Bytes to the target, including the head. */
  readonly up: number;
  /** Bytes back; the first one confirms that the target was reached. */
  readonly down: number;
  /** ms between two chunks back; 0 = as fast as possible. */
  readonly pace: number;
}

/** Bytes of the head: id, up, down, pace. */
export const HEAD = 14;
const CHUNK = 16_384;

/** A server that reads and then sends the numbers of bytes in the head of a connection. */
export interface TransferServer {
  readonly port: number;
  /**
   * Transfers a load through a SOCKS port. Resolves with true when it is complete at both ends, with false if the connection ends before;
   * never rejects. `bytes` is updated meanwhile; `reached` is called with the first byte back.
   */
  transfer(socks: number, load: Load, bytes: Bytes, reached: () => void, totalMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startTransferServer(): Promise<TransferServer> {
  const transfers = new Map<number, Bytes>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    serve(socket, transfers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let last = 0;
  return {
    port,
    transfer: async (socks, load, bytes, reached, totalMs) => {
      const id = (last += 1);
      transfers.set(id, bytes);
      let socket: Duplex | null = null;
      try {
        socket = await openSocks(socks, '127.0.0.1', port, { timeoutMs: 5000 });
        return await runClient(socket, id, load, bytes, reached, totalMs);
      } catch {
        return false;
      } finally {
        socket?.destroy();
        // The target may see the end of the connection later.
        setTimeout(() => transfers.delete(id), 30_000).unref();
      }
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, transfers: ReadonlyMap<number, Bytes>): void {
  let head: Buffer = Buffer.alloc(0);
  let bytes: Bytes | undefined;
  let load: Load | null = null;
  socket.on('data', (chunk: Buffer) => {
    let fresh = chunk.length;
    if (load === null) {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD) return;
      load = { up: head.readUInt32BE(4), down: head.readUInt32BE(8), pace: head.readUInt16BE(12) };
      bytes = transfers.get(head.readUInt32BE(0));
      if (bytes === undefined) return void socket.destroy();
      fresh = head.length;
      send(socket, bytes, 1);
    }
    if (bytes === undefined) return;
    bytes.arrived += fresh;
    if (bytes.arrived === load.up) void sendBack(socket, bytes, load);
  });
}

async function sendBack(socket: Socket, bytes: Bytes, { down, pace }: Load): Promise<void> {
  while (bytes.returned < down && !socket.destroyed) {
    const free = send(socket, bytes, Math.min(CHUNK, down - bytes.returned));
    if (pace > 0) await sleep(pace);
    else if (!free) await drained(socket);
  }
}

function send(socket: Socket, bytes: Bytes, size: number): boolean {
  bytes.returned += size;
  return socket.write(Buffer.alloc(size, 'down'));
}

function runClient(
  socket: Duplex,
  id: number,
  load: Load,
  bytes: Bytes,
  reached: () => void,
  totalMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), totalMs);
    let started = false;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(bytes.received === load.down && bytes.arrived === load.up);
    });
    socket.on('data', (chunk: Buffer) => {
      bytes.received += chunk.length;
      if (!started) {
        started = true;
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
    const size = Math.min(CHUNK, up - bytes.sent);
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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
