import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The side that receives the bytes. */
export type Direction = 'to-server' | 'to-client';

/** A TCP proxy on loopback that imitates a broken or slow network in front of one server. */
export interface TcpProxy {
  readonly port: number;
  /** Open connections of clients. */
  connections(): number;
  /**
   * Delivers nothing any more, in these directions (default: both), and closes nothing: as a network that loses all packets.
   * New connections are accepted, but remain silent.
   */
  cut(...directions: Direction[]): void;
  /** Ends all cuts. What was held arrives now, also the end of a connection. */
  heal(): void;
  /** Delivers the following bytes this much later, in ms. */
  delay(ms: number, ...directions: Direction[]): void;
  /** Closes all connections at once, as a restarted router does. */
  reset(): void;
  stop(): Promise<void>;
}

interface Way {
  delayMs: number;
  /** Resolves when the bytes may pass. */
  open: Promise<void>;
  /** Opens the way, if it is cut. */
  heal: (() => void) | undefined;
}

const HELD_BYTES = 1024 * 1024;

/** Forwards connections to a port of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const ways: Record<Direction, Way> = { 'to-server': openWay(), 'to-client': openWay() };
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.setNoDelay(true).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(keep(client));
    client.on('close', () => clients.delete(client));
    const target = keep(connect({ host: '127.0.0.1', port: targetPort, allowHalfOpen: true }));
    forward(client, target, ways['to-server']);
    forward(target, client, ways['to-client']);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (directions: Direction[]) =>
    directions.length === 0 ? Object.values(ways) : directions.map((d) => ways[d]);
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const heal = (): void => {
    for (const way of Object.values(ways)) way.heal?.();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => clients.size,
    cut: (...directions) => each(directions).forEach(cut),
    heal,
    delay: (ms, ...directions) => {
      for (const way of each(directions)) way.delayMs = ms;
    },
    reset,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        reset();
        heal();
      }),
  };
}

const openWay = (): Way => ({ delayMs: 0, open: Promise.resolve(), heal: undefined });

function cut(way: Way): void {
  if (way.heal !== undefined) return;
  way.open = new Promise((resolve) => {
    way.heal = () => {
      way.heal = undefined;
      resolve();
    };
  });
}

/** Delivers in order what `from` sends, and then its end. */
function forward(from: Socket, to: Socket, way: Way): void {
  let held = 0;
  let last = Promise.resolve();
  const later = (deliver: () => void): void => {
    const due = performance.now() + way.delayMs;
    last = last.then(async () => {
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      await way.open;
      deliver();
    });
  };
  from.on('data', (piece: Buffer) => {
    held += piece.length;
    if (held > HELD_BYTES) from.pause();
    later(() => {
      to.write(piece, () => {
        held -= piece.length;
        if (held <= HELD_BYTES) from.resume();
      });
    });
  });
  from.on('end', () => later(() => to.end()));
  // After an error the other side would wait for ever.
  from.on('error', () => later(() => to.destroy()));
}
