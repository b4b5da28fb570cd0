import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { network, type Peers, plain } from '../panel/auth/peer.js';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limiter.js';
import { FairTurns } from './fair-turns.js';

export interface AdmissionRules extends ConnectionLimits {
  /** Time of each turn of the loop that the server may take, in ms. */
  readonly budgetMs: number;
  /** What a request counts at least, in ms: for work that goes on after its handler has returned. */
  readonly requestMs: number;
}

/** What a new connection counts, in ms: it is read, and over TLS a signature is made, after it was let in. */
const ENTERING_MS = 0.5;
const HANDSHAKE_MS = 1.5;

/**
 * Stands before a server: bounds its connections, and lets connections in and requests be answered in fair turns, so that
 * no flood of one server or client can be felt by the others, which live on the same loop.
 */
export class Admission {
  readonly #peers: Peers;
  readonly #connections: ConnectionLimiter;
  readonly #turns: FairTurns;
  readonly #requestMs: number;

  constructor(peers: Peers, rules: AdmissionRules) {
    this.#peers = peers;
    this.#connections = new ConnectionLimiter(rules);
    this.#turns = new FairTurns(rules.budgetMs);
    this.#requestMs = rules.requestMs;
  }

  /** Lets a connection in when its turn has come. Those of trusted proxies are many callers, and are not counted. */
  readonly admit = (socket: Socket, enter: () => void, secured: boolean): void => {
    const address = plain(socket.remoteAddress ?? '');
    if (address === '') return void socket.destroy();
    const from = network(address);
    if (!this.#peers.trusts(address)) this.#connections.enter(socket, from);
    this.#turns.run(() => from, enter, secured ? HANDSHAKE_MS : ENTERING_MS);
  };

  /** A connection that another limit counts from now on, such as that of WebSockets. */
  exempt(socket: Duplex): void {
    const { remoteAddress = '', remotePort } = socket as Socket;
    this.#connections.exempt(network(plain(remoteAddress)), remotePort);
  }

  /** Answers a request when its turn has come. `who` names the line that it waits in; by itself it is the network. */
  take(req: IncomingMessage, answer: () => void, who?: () => string | null): void {
    const { socket } = req;
    this.#turns.run(
      () => who?.() ?? network(this.#peers.of(req).ip),
      () => {
        if (!socket.destroyed) answer();
      },
      this.#requestMs,
    );
  }
}
