import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

export interface Echo {
  readonly port: number;
  close(): void;
}

/** Sends every datagram back. */
export async function udpEcho(): Promise<Echo> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => socket.send(message, from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, close: () => socket.close() };
}

export interface Flow {
  /** Datagrams that came back. */
  received(): number;
  stop(): void;
}

/** A datagram every 50 ms through a socks port. */
export async function udpFlow(socks: number, target: number): Promise<Flow> {
  const control = connect(socks, '127.0.0.1').on('error', () => undefined);
  const answer = (): Promise<Buffer> => new Promise((resolve) => control.once('data', resolve));
  control.write(Buffer.from([5, 1, 0]));
  await answer();
  control.write(Buffer.from([5, 3, 0, 1, 0, 0, 0, 0, 0, 0]));
  const relay = (await answer()).readUInt16BE(8);
  const socket = createSocket('udp4');
  let received = 0;
  socket.on('message', () => (received += 1));
  const packet = Buffer.from([0, 0, 0, 1, 127, 0, 0, 1, target >> 8, target & 255, ...Buffer.alloc(500)]);
  const timer = setInterval(() => socket.send(packet, relay, '127.0.0.1'), 50);
  return {
    received: () => received,
    stop: () => {
      clearInterval(timer);
      socket.close();
      control.destroy();
    },
  };
}
