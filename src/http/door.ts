import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { hostOf } from './auth/peer.js';
import { hardenedServer, listen, PATIENCE_MS } from './listen.js';

/** A certificate chain and its key, as PEM. */
export interface DoorKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** How long running requests may go on once the door closes, in ms. */
const GRACE_MS = 10_000;
const SWEEP_MS = 100;
/** The first byte of every TLS connection. */
const HANDSHAKE = 0x16;

/**
 * One address at which a server can be reached, with TLS or without. TLS comes and goes without giving up the port,
 * because the port belongs to a plain server of sockets and HTTP is handed its connections. With TLS a caller who speaks
 * plain HTTP is told the right address, and nothing else.
 */
export class Door {
  readonly #front: NetServer;
  readonly #http: Server;
  readonly #signpost: Server;
  readonly #patience: number;
  readonly #sockets = new Set<Socket>();
  #tls: TlsServer | null = null;

  /** `patience`: how long a caller may take for its first byte, the handshake and the headers, in ms each. */
  constructor(listener: RequestListener, upgrade: Upgrade | undefined, patience: number) {
    this.#patience = patience;
    this.#http = hardenedServer(listener, patience);
    this.#signpost = hardenedServer(showTheWay, patience);
    if (upgrade) this.#http.on('upgrade', upgrade);
    // Neither listens by itself, but with this their clocks for slow headers and bodies begin.
    for (const server of [this.#http, this.#signpost]) server.emit('listening');
    this.#front = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#enter(socket));
  }

  /** Where it listens, once it does. */
  get address(): AddressInfo {
    return this.#front.address() as AddressInfo;
  }

  get secured(): boolean {
    return this.#tls !== null;
  }

  listen(port: number, host: string): Promise<AddressInfo> {
    return listen(this.#front, port, host);
  }

  /** From now on new connections need TLS with this certificate, or none with null. Those that are there go on. */
  secure(key: DoorKey | null): void {
    if (key === null) {
      this.#tls = null;
      return;
    }
    const context = { cert: key.cert, key: key.key, minVersion: 'TLSv1.2' as const };
    if (this.#tls) return this.#tls.setSecureContext(context);
    this.#tls = createTlsServer(
      { ...context, ALPNProtocols: ['http/1.1'], handshakeTimeout: this.#patience },
      (socket) => void this.#http.emit('connection', socket),
    );
    this.#tls.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Gives up the port at once, so that it can be bound anew. What is connected goes on until `close`. */
  release(): void {
    if (this.#front.listening) this.#front.close();
  }

  /** Takes no more connections, lets running requests end, and then closes what is left. Safe when it never listened. */
  async close(): Promise<void> {
    this.release();
    const idle = (): void => {
      for (const server of [this.#http, this.#signpost]) server.closeIdleConnections();
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    idle();
    const sweep = setInterval(idle, SWEEP_MS);
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GRACE_MS);
    await this.#empty();
    clearInterval(sweep);
    clearTimeout(cut);
    for (const server of [this.#http, this.#signpost]) server.close();
  }

  #empty(): Promise<unknown> {
    return Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  #enter(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const tls = this.#tls;
    if (tls === null) {
      this.#http.emit('connection', socket);
      return;
    }
    // What ends before the handshake does would stay for ever otherwise.
    socket.allowHalfOpen = false;
    const giveUp = (): void => void socket.destroy();
    socket.on('error', giveUp);
    socket.setTimeout(this.#patience, giveUp);
    socket.once('readable', () => {
      socket.setTimeout(0, giveUp);
      socket.off('timeout', giveUp);
      const first = socket.read() as Buffer | null;
      if (first === null) return giveUp();
      socket.unshift(first);
      (first[0] === HANDSHAKE ? tls : this.#signpost).emit('connection', socket);
    });
  }
}

/** The doors of one server: mostly one, two for a moment while it moves. */
export class Doors {
  readonly #listener: RequestListener;
  readonly #upgrade: Upgrade | undefined;
  readonly #patience: number;
  readonly #open = new Set<Door>();

  constructor(listener: RequestListener, upgrade?: Upgrade, patience = PATIENCE_MS) {
    this.#listener = listener;
    this.#upgrade = upgrade;
    this.#patience = patience;
  }

  /** Rejects with what the system said when the address cannot be had. */
  async open(port: number, host: string, key: DoorKey | null = null): Promise<Door> {
    const door = new Door(this.#listener, this.#upgrade, this.#patience);
    this.#open.add(door);
    try {
      door.secure(key);
      await door.listen(port, host);
      return door;
    } catch (error) {
      await this.close(door);
      throw error;
    }
  }

  /** Closes this one, or all of them. */
  async close(one?: Door): Promise<void> {
    const closing = one ? [one] : [...this.#open];
    await Promise.all(closing.map((door) => door.close()));
    for (const door of closing) this.#open.delete(door);
  }
}

/** For who speaks plain HTTP where TLS is spoken. */
const showTheWay: RequestListener = (req, res) => {
  const { host } = hostOf(req.headers.host);
  const target = req.url ?? '';
  res.shouldKeepAlive = false;
  if (host === '' || !/^\/[\x21-\x7e]*$/.test(target)) {
    res.writeHead(400, { 'Content-Length': '0' }).end();
    return;
  }
  res.writeHead(307, { Location: `https://${host}${target}`, 'Content-Length': '0' }).end();
};
