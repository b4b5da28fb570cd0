import { constants } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Outbox } from '../../live/outbox.js';
import { Front } from './front.js';
import { HEADERS_TIMEOUT_MS, hardenedServer, type ServerRules } from './listen.js';
import { redirectToTls } from './tls-redirect.js';

/** A certificate chain and its key, as PEM. */
export interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface EndpointRules extends ServerRules {
  /**
   * Receives each connection before any byte was read. Admits it by calling `enter`, now or later, or destroys it.
   * `secured`: a TLS handshake follows.
   */
  readonly admit?: (socket: Socket, enter: () => void, secured: boolean) => void;
  /** The host name for redirects from plain HTTP to TLS; empty = none. */
  readonly domain?: () => string;
  readonly sharing?: Sharing | undefined;
}

/** Other processes that accept the connections of an endpoint as well. */
export interface Sharing {
  /** The endpoint listens. */
  opened(endpoint: Endpoint): void;
  /** Its certificate has changed. */
  secured(endpoint: Endpoint): void;
  /** A connection has arrived in this process. */
  used(): void;
  /** The only host name that the server accepts will be this one. Resolves when the other processes use it. */
  renamed(domain: string): Promise<void>;
  /** This process has released the port. Resolves when no other process uses it. */
  released(endpoint: Endpoint): Promise<void>;
}

/** How long running requests may continue after the server closes, in ms. */
const GRACE_MS = 10_000;
const SWEEP_MS = 100;
/** The first byte of every TLS connection. */
const HANDSHAKE = 0x16;

/** TLS 1.3, and the TLS 1.2 ciphers with forward secrecy and authenticated encryption. */
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
 * A server at one address, with TLS or without. TLS can be enabled and disabled without releasing the port, because a plain
 * TCP server owns the port and hands its connections to HTTP. With TLS, plain HTTP requests are only redirected.
 */
export class Endpoint {
  readonly #front: Front;
  readonly #http: Server;
  readonly #redirect: Server;
  readonly #timeoutMs: number;
  readonly #admit: EndpointRules['admit'];
  readonly #sharing: Sharing | undefined;
  readonly #sockets = new Set<Socket>();
  #tls: TlsServer | null = null;
  #key: CertificateAndKey | null = null;

  constructor(listener: RequestListener, rules: EndpointRules) {
    const { timeoutMs: timeouts = HEADERS_TIMEOUT_MS, admit, domain = () => '' } = rules;
    this.#timeoutMs = timeouts;
    this.#admit = admit;
    this.#sharing = rules.sharing;
    this.#http = hardenedServer(listener, rules);
    this.#redirect = hardenedServer(redirectToTls(domain), { timeoutMs: timeouts });
    // Neither server listens itself, but this starts their timers for slow headers and bodies.
    for (const server of [this.#http, this.#redirect]) server.emit('listening');
    this.#front = new Front({ allowHalfOpen: true, noDelay: true, pauseOnConnect: admit !== undefined }, (socket) =>
      this.#knock(socket),
    );
  }

  /** The address, once it listens. */
  get address(): AddressInfo {
    return this.#front.address;
  }

  get secured(): boolean {
    return this.#tls !== null;
  }

  get key(): CertificateAndKey | null {
    return this.#key;
  }

  /** The listening socket, which other processes may accept connections of. */
  get front(): Front {
    return this.#front;
  }

  async listen(port: number, host: string): Promise<AddressInfo> {
    const address = await this.#front.listen(port, host);
    this.#sharing?.opened(this);
    return address;
  }

  /** New connections need TLS with this certificate, or no TLS with null. Open connections stay. */
  secure(key: CertificateAndKey | null): void {
    this.#key = key;
    this.#encrypt(key);
    this.#sharing?.secured(this);
  }

  #encrypt(key: CertificateAndKey | null): void {
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

  /** Releases the port, so that it can be bound again; in this process at once. Open connections stay until `close`. */
  async release(): Promise<void> {
    this.#front.release();
    await this.#sharing?.released(this);
  }

  /** Stops accepting, lets running requests finish, and then closes the remaining connections. Safe when it never listened. */
  async close(): Promise<void> {
    const released = this.release();
    const idle = (): void => {
      for (const server of [this.#http, this.#redirect]) server.closeIdleConnections();
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
    for (const server of [this.#http, this.#redirect]) server.close();
    await released;
  }

  #empty(): Promise<unknown> {
    return Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  #knock(socket: Socket): void {
    this.#sharing?.used();
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
    // Connections that end before the handshake would otherwise never be removed.
    socket.allowHalfOpen = false;
    const abandon = (): void => void socket.destroy();
    socket.on('error', abandon);
    socket.setTimeout(this.#timeoutMs, abandon);
    socket.once('readable', () => {
      socket.setTimeout(0, abandon);
      socket.off('timeout', abandon);
      const first = socket.read() as Buffer | null;
      if (first === null) return abandon();
      socket.unshift(first);
      (first[0] === HANDSHAKE ? tls : this.#redirect).emit('connection', socket);
    });
  }
}

/** The endpoints of one server: usually one, and two while it moves. */
export class Endpoints {
  readonly #listener: RequestListener;
  readonly #rules: EndpointRules;
  readonly #open = new Set<Endpoint>();

  constructor(listener: RequestListener, rules: EndpointRules = {}) {
    this.#listener = listener;
    this.#rules = { outbox: new Outbox(), ...rules };
  }

  /** Rejects with the error of the system when the address cannot be bound. */
  async open(port: number, host: string, key: CertificateAndKey | null = null): Promise<Endpoint> {
    const endpoint = new Endpoint(this.#listener, this.#rules);
    this.#open.add(endpoint);
    try {
      endpoint.secure(key);
      await endpoint.listen(port, host);
      return endpoint;
    } catch (error) {
      await this.close(endpoint);
      throw error;
    }
  }

  /** Accepts the connections of a socket that another process has opened. */
  adopt(handle: NetServer, key: CertificateAndKey | null): Endpoint {
    const endpoint = new Endpoint(this.#listener, this.#rules);
    this.#open.add(endpoint);
    endpoint.secure(key);
    endpoint.front.adopt(handle);
    return endpoint;
  }

  /** Sets the only host name that the server accepts in the processes that share it. */
  async rename(domain: string): Promise<void> {
    await this.#rules.sharing?.renamed(domain);
  }

  /** Closes one, or all of them. */
  async close(one?: Endpoint): Promise<void> {
    const closing = one ? [one] : [...this.#open];
    await Promise.all(closing.map((endpoint) => endpoint.close()));
    for (const endpoint of closing) this.#open.delete(endpoint);
  }
}

/** Ignores errors of a connection that no server handles yet. */
const ignored = (): void => undefined;
