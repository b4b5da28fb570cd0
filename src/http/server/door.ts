import { constants } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Outbox } from '../live/outbox.js';
import { HEADERS_TIMEOUT_MS, hardenedServer, listen, type ServerRules } from './listen.js';
import { signpost } from './signpost.js';

/** A certificate chain and its key, as PEM. */
export interface DoorKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface DoorRules extends ServerRules {
  /**
   * Stands before each connection, of which nothing has been read: lets it in by `enter`, now or later, or destroys it.
   * `secured`: a handshake comes first.
   */
  readonly admit?: (socket: Socket, enter: () => void, secured: boolean) => void;
  /** The name to which a caller who speaks plain HTTP to a door with TLS may be sent; empty = none. */
  readonly domain?: () => string;
}

/** How long running requests may go on once the door closes, in ms. */
const GRACE_MS = 10_000;
const SWEEP_MS = 100;
/** The first byte of every TLS connection. */
const HANDSHAKE = 0x16;

/** TLS 1.3, and of TLS 1.2 what keeps the past secret when the key is lost, and cannot be tampered with. */
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
    ...['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ].join(':'),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/**
 * One address at which a server can be reached, with TLS or without. TLS comes and goes without giving up the port,
 * because the port belongs to a plain server of sockets and HTTP is handed its connections. With TLS a caller who speaks
 * plain HTTP is told the right address, and nothing else.
 */
export class Door {
  readonly #front: NetServer;
  readonly #http: Server;
  readonly #signpost: Server;
  readonly #timeoutMs: number;
  readonly #admit: DoorRules['admit'];
  readonly #sockets = new Set<Socket>();
  #tls: TlsServer | null = null;

  constructor(listener: RequestListener, rules: DoorRules) {
    const { timeoutMs: patience = HEADERS_TIMEOUT_MS, admit, domain = () => '' } = rules;
    this.#timeoutMs = patience;
    this.#admit = admit;
    this.#http = hardenedServer(listener, rules);
    this.#signpost = hardenedServer(signpost(domain), { timeoutMs: patience });
    // Neither listens by itself, but with this their clocks for slow headers and bodies begin.
    for (const server of [this.#http, this.#signpost]) server.emit('listening');
    this.#front = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: admit !== undefined }, (socket) =>
      this.#knock(socket),
    );
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
    const context = { ...TLS, cert: key.cert, key: key.key };
    if (this.#tls) return this.#tls.setSecureContext(context);
    this.#tls = createTlsServer(
      { ...context, ALPNProtocols: ['http/1.1'], handshakeTimeout: this.#timeoutMs },
      (socket) => void this.#http.emit('connection', socket),
    );
    this.#tls.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Releases the port at once, so that it can be bound again. Open connections stay until `close`. */
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

  #knock(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (!this.#admit) return this.#enter(socket);
    socket.on('error', ignored);
    this.#admit(
      socket,
      () => {
        if (!socket.destroyed) this.#enter(socket);
      },
      this.secured,
    );
  }

  #enter(socket: Socket): void {
    const tls = this.#tls;
    if (tls === null) {
      this.#http.emit('connection', socket);
      if (this.#admit) socket.resume();
      return;
    }
    // What ends before the handshake does would stay for ever otherwise.
    socket.allowHalfOpen = false;
    const giveUp = (): void => void socket.destroy();
    socket.on('error', giveUp);
    socket.setTimeout(this.#timeoutMs, giveUp);
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
  readonly #rules: DoorRules;
  readonly #open = new Set<Door>();

  constructor(listener: RequestListener, rules: DoorRules = {}) {
    this.#listener = listener;
    this.#rules = { outbox: new Outbox(), ...rules };
  }

  /** Rejects with what the system said when the address cannot be had. */
  async open(port: number, host: string, key: DoorKey | null = null): Promise<Door> {
    const door = new Door(this.#listener, this.#rules);
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

/** Ignores errors of a connection that no server handles yet. */
const ignored = (): void => undefined;
