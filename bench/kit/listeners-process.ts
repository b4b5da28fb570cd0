import { connect } from 'node:net';
import type { Heard, ListenersPlan } from './listeners.js';

const TEXT = 0x81;
const PING = 0x89;
/** An empty pong, masked with zeros, because clients must mask. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** Ticks are 2 s apart: a longer silence than this starts a new tick. */
const BETWEEN_TICKS_MS = 700;

// Plain sockets with a minimal protocol: a thousand clients of a library would dominate the measurement.
process.once('message', (plan: ListenersPlan) => void listen(plan));
process.once('disconnect', () => process.exit());

/** Times of the first and the last message of each tick, and the number of messages. */
const ticks: { first: number; last: number; count: number }[] = [];

async function listen({ port, path, cookies, count, reads }: ListenersPlan): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await open(port, path, cookies[i % cookies.length] ?? '', reads);
  }
  process.on('message', () => {
    process.send?.({ ticks: ticks.splice(0) } satisfies Heard);
  });
  process.send?.('ready');
}

function open(port: number, path: string, cookie: string, reads: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const fail = (why: string): void => {
      console.error('a listener', why);
      process.exit(1);
    };
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('was cut off'));
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: ${cookie}\r\n\r\n`,
    );
    socket.once('data', (head: Buffer) => {
      if (head.toString('latin1', 9, 12) !== '101') return fail(`was refused: ${head.toString('latin1', 9, 60)}`);
      resolve();
      if (!reads) {
        socket.pause();
        return;
      }
      socket.on('data', (chunk: Buffer) => {
        if (chunk[0] === TEXT) heard();
        if (chunk[0] === PING || (chunk[0] === TEXT && chunk.at(-2) === PING)) socket.write(PONG);
      });
    });
  });
}

function heard(): void {
  const now = performance.now();
  const tick = ticks.at(-1);
  if (tick === undefined || now - tick.last > BETWEEN_TICKS_MS) {
    ticks.push({ first: now, last: now, count: 1 });
    return;
  }
  tick.last = now;
  tick.count += 1;
}
