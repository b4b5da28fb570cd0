import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** After so long, in ms, a connection or a transfer counts as hanging. A busy machine is faster. */
export const HANG_MS = 120_000;

/** How a connection reaches the target: through a SOCKS5 port, an HTTP proxy (CONNECT), or straight. */
export interface TunnelOptions {
  user?: string;
  pass?: string;
  /** Local address to connect from; 127.0.0.2 makes the core count the connection as an online IP. */
  from?: string;
  /** Sends CONNECT alone and waits for its reply: sing-box drops bytes that arrive before. See `openSocks`. */
  awaitReply?: boolean;
  /** For connecting, and for each answer of the proxy. Default 120 s. */
  timeoutMs?: number;
}

/** A plain TCP connection to 127.0.0.1:`port`. */
export function openTcp(port: number, { from, timeoutMs = HANG_MS }: TunnelOptions = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      ...(from === undefined ? {} : { localAddress: from }),
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection to port ${port} in ${timeoutMs} ms`)),
      timeoutMs,
    );
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/**
 * A stream to `host:targetPort` through the SOCKS5 proxy on 127.0.0.1:`port` (RFC 1928, 1929). CONNECT is sent together with
 * the first bytes that are written: a client core (Xray 26.7.28, `TimeoutWrapperReader`) ends a VMess or Shadowsocks request whose
 * first byte arrives more than 100 ms after CONNECT, which happens on a busy machine. So a refused CONNECT destroys the stream
 * with an error.
 */
export async function openSocks(
  port: number,
  host: string,
  targetPort: number,
  options: TunnelOptions = {},
): Promise<Duplex> {
  const socket = await openTcp(port, options);
  const withPassword = options.user !== undefined;
  try {
    socket.write(Uint8Array.of(5, 1, withPassword ? 2 : 0));
    const greeting = await readExactly(socket, 2, options.timeoutMs);
    if (greeting[0] !== 5 || greeting[1] === 0xff) throw new Error('SOCKS: the proxy accepts no method of ours');
    if (greeting[1] === 2) await authenticate(socket, options);
    const request = Buffer.concat([Uint8Array.of(5, 1, 0), socksAddress(host), portBytes(targetPort)]);
    if (!options.awaitReply) return new SocksStream(socket, request);
    socket.write(request);
    await readReply(socket, options.timeoutMs);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function readReply(socket: Socket, timeoutMs?: number): Promise<void> {
  const [, code, , kind] = await readExactly(socket, 4, timeoutMs);
  if (code !== 0) throw new Error(`SOCKS: connect refused, reply ${code}`);
  const first = kind === 3 ? ((await readExactly(socket, 1, timeoutMs))[0] ?? 0) : kind === 4 ? 16 : 4;
  await readExactly(socket, first + 2, timeoutMs);
}

/** Adds CONNECT to the first bytes that are written, and removes its reply from those that are read. */
class SocksStream extends Duplex {
  readonly #socket: Socket;
  /** Null once it is sent. */
  #connect: Buffer | null;
  /** The part of the reply that has arrived; null once it is complete. */
  #reply: Buffer | null = Buffer.alloc(0);

  constructor(socket: Socket, connectRequest: Buffer) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#connect = connectRequest;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const bytes = this.#connect === null ? chunk : Buffer.concat([this.#connect, chunk]);
    this.#connect = null;
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(chunk: Buffer): void {
    if (this.#reply === null) return this.#pass(chunk);
    this.#reply = Buffer.concat([this.#reply, chunk]);
    const [, code, , kind, nameLength = 0] = this.#reply;
    if (code !== undefined && code !== 0) return void this.destroy(new Error(`SOCKS: connect refused, reply ${code}`));
    const size = 6 + (kind === 3 ? 1 + nameLength : kind === 4 ? 16 : 4);
    if (this.#reply.length < Math.max(5, size)) return;
    const rest = this.#reply.subarray(size);
    this.#reply = null;
    if (rest.length > 0) this.#pass(rest);
  }

  #pass(chunk: Buffer): void {
    if (!this.push(chunk)) this.#socket.pause();
  }
}

/** Opens `host:targetPort` with CONNECT through the HTTP proxy on 127.0.0.1:`port`. */
export async function openConnect(
  port: number,
  host: string,
  targetPort: number,
  options: TunnelOptions = {},
): Promise<Socket> {
  const socket = await openTcp(port, options);
  try {
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${targetPort}`;
    const auth = basicAuth(options);
    socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth === undefined ? '' : `Proxy-Authorization: ${auth}\r\n`}\r\n`,
    );
    const head = await readHead(socket, options.timeoutMs);
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? '?';
    if (status !== '200') throw new Error(`HTTP proxy: CONNECT answered ${status}`);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** `Basic …`, or nothing without a user. */
export function basicAuth({ user, pass = '' }: TunnelOptions): string | undefined {
  return user === undefined ? undefined : `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`;
}

async function authenticate(socket: Socket, { user = '', pass = '', timeoutMs }: TunnelOptions): Promise<void> {
  const [name, word] = [Buffer.from(user), Buffer.from(pass)];
  socket.write(Buffer.concat([Uint8Array.of(1, name.length), name, Uint8Array.of(word.length), word]));
  const answer = await readExactly(socket, 2, timeoutMs);
  if (answer[1] !== 0) throw new Error('SOCKS: user or password refused');
}

function socksAddress(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  const name = Buffer.from(host);
  return Buffer.concat([Uint8Array.of(3, name.length), name]);
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 0xff]);
}

async function readHead(socket: Socket, timeoutMs?: number): Promise<string> {
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    if (head.length > 16_384) throw new Error('HTTP proxy: endless header');
    head += (await readExactly(socket, 1, timeoutMs)).toString('latin1');
  }
  return head;
}

/** Takes `count` bytes off a paused socket and leaves the rest in it. */
function readExactly(socket: Socket, count: number, timeoutMs = HANG_MS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const finish = (done: () => void) => {
      clearTimeout(timer);
      socket.off('readable', attempt);
      socket.off('end', onEnd);
      socket.off('close', onEnd);
      socket.off('error', onEnd);
      done();
    };
    const attempt = () => {
      const data = socket.read(count) as Buffer | null;
      if (data === null) return;
      finish(() => (data.length === count ? resolve(data) : reject(new Error('the proxy closed the connection'))));
    };
    const onEnd = () => finish(() => reject(new Error('the proxy closed the connection')));
    const timer = setTimeout(
      () => finish(() => reject(new Error(`no answer from the proxy in ${timeoutMs} ms`))),
      timeoutMs,
    );
    socket.on('readable', attempt);
    socket.once('end', onEnd);
    socket.once('close', onEnd);
    socket.once('error', onEnd);
    attempt();
  });
}
