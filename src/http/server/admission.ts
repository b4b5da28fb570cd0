import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { network, type Peers, plain } from '../panel/auth/peer.js';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limiter.js';
import { FairTurns } from './fair-turns.js';

export interface AdmissionRules extends ConnectionLimits {
  /** The time in ms that the server may use in each turn of the event loop. */
  readonly budgetMs: number;
  /** Minimum charge of a request in ms, for work that continues after its handler has returned. */
  readonly requestMs: number;
}

/** Charge of a new connection in ms, for reading and the TLS signature. */
const ENTERING_MS = 0.5;
const HANDSHAKE_MS = 1.5;

/**
 * Admission control of a server: limits its connections, and schedules connections and requests fairly, so that a flood on
 * one server or from one client does not delay others on the same event loop.
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

  /** Admits a connection when its turn has come. Connections of trusted proxies carry many callers and are not counted. */
  readonly admit = (socket: Socket, enter: () => void, secured: boolean): void => {
    const address = plain(socket.remoteAddress ?? '');
    if (address === '') return void socket.destroy();
    const from = network(address);
    if (!this.#peers.trusts(address)) this.#connections.enter(socket, from);
    this.#turns.schedule(() => from, enter, secured ? HANDSHAKE_MS : ENTERING_MS);
  };

  /** Stops counting a connection that another limit counts, such as that of WebSockets. */
  exempt(socket: Duplex): void {
    const { remoteAddress = '', remotePort } = socket as Socket;
    this.#connections.exempt(network(plain(remoteAddress)), remotePort);
  }

  /** Answers a request when its turn has come. `who` is its queue key; by default the network. */
  schedule(req: IncomingMessage, answer: () => void, who?: () => string | null): void {
    const { socket } = req;
    this.#turns.schedule(
      () => who?.() ?? network(this.#peers.of(req).ip),
      () => {
        if (!socket.destroyed) answer();
      },
      this.#requestMs,
    );
  }
}
