import { connect, isIP, type Socket } from 'node:net';

/** How a connection reaches the target: through a SOCKS5 port, an HTTP proxy (CONNECT), or straight. */
export interface TunnelOptions {
  user?: string;
  pass?: string;
  /** Local address to connect from; 127.0.0.2 makes the core count the connection as an online IP. */
  from?: string;
  /** For connecting and for the proxy's answer together. */
  timeoutMs?: number;
}

/** A plain TCP connection to 127.0.0.1:`port`. */
export function openTcp(port: number, { from, timeoutMs = 60_000 }: TunnelOptions = {}): Promise<Socket> {
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

/** Opens `host:targetPort` through the SOCKS5 proxy on 127.0.0.1:`port` (RFC 1928, 1929). */
export async function openSocks(
  port: number,
  host: string,
  targetPort: number,
  options: TunnelOptions = {},
): Promise<Socket> {
  const socket = await openTcp(port, options);
  const withPassword = options.user !== undefined;
  try {
    socket.write(Uint8Array.of(5, 1, withPassword ? 2 : 0));
    const greeting = await readExactly(socket, 2, options.timeoutMs);
    if (greeting[0] !== 5 || greeting[1] === 0xff) throw new Error('SOCKS: the proxy accepts no method of ours');
    if (greeting[1] === 2) await authenticate(socket, options);
    socket.write(Buffer.concat([Uint8Array.of(5, 1, 0), socksAddress(host), portBytes(targetPort)]));
    const head = await readExactly(socket, 4, options.timeoutMs);
    if (head[1] !== 0) throw new Error(`SOCKS: connect refused, reply ${head[1]}`);
    const first = head[3] === 3 ? ((await readExactly(socket, 1, options.timeoutMs))[0] ?? 0) : head[3] === 4 ? 16 : 4;
    await readExactly(socket, first + 2, options.timeoutMs);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
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
function readExactly(socket: Socket, count: number, timeoutMs = 10_000): Promise<Buffer> {
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
