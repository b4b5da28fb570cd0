import { connect, isIPv4, isIPv6, type Socket } from 'node:net';
import type { Door } from './config.js';

/**
 * A connection to `host:port` through the SOCKS5 door of a core. The door says yes before anything was dialled; what
 * the target thinks comes later. Rejects with a sentence, and when `signal` aborts.
 */
export async function openThrough(door: Door, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: door.port });
  const abort = (): void => void socket.destroy(new Error('it took too long'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  // Whoever waits hears of it by the closing; nobody else shall die of it.
  socket.on('error', () => undefined);
  try {
    await arrived(socket, 'connect');
    await shakeHands(socket, door, address(host), port);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function shakeHands(socket: Socket, { user, password }: Door, to: Buffer, port: number): Promise<void> {
  socket.write(Buffer.from([5, 1, 2]));
  const [, method] = await take(socket, 2);
  if (method !== 2) throw new Error('the door of the temporary core wants no password');
  socket.write(Buffer.concat([Buffer.from([1]), prefixed(user), prefixed(password)]));
  const [, refused] = await take(socket, 2);
  if (refused !== 0) throw new Error('the temporary core does not take its password');
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), to, Buffer.from([port >> 8, port & 255])]));
  const [, reply, , kind] = await take(socket, 4);
  if (reply !== 0) throw new Error(`the core answered the connection with SOCKS code ${reply}`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await take(socket, 1))[0] ?? 0);
  await take(socket, length + 2);
}

/** Type and address as SOCKS5 has them. */
function address(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), sixteenBytes(host)]);
  return Buffer.concat([Buffer.from([3]), prefixed(host)]);
}

function sixteenBytes(host: string): Buffer {
  // The URL standard has spelt it: groups of hex, at most one gap, no dots.
  const [before = '', after] = host.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...gap, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Exactly so many bytes. */
async function take(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(bytes) as Buffer | null;
    if (chunk?.length === bytes) return chunk;
    if (chunk !== null) throw new Error('the temporary core closed the connection');
    await arrived(socket, 'readable');
  }
}

/** Resolves with the event; rejects when the socket closes before it. */
function arrived(socket: Socket, event: 'connect' | 'readable'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off(event, came).off('close', closed);
    };
    const came = (): void => {
      settle();
      resolve();
    };
    const closed = (): void => {
      settle();
      reject(socket.errored ?? new Error('the connection was closed'));
    };
    if (socket.destroyed) closed();
    else socket.once(event, came).once('close', closed);
  });
}
