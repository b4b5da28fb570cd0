import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { network, type Peers, plain } from './auth/peer.js';
import { Crowd, type CrowdLimits } from './crowd.js';
import { FairTurns } from './fair-turns.js';

export interface CrowdRules extends CrowdLimits {
  /** Time of each turn of the loop that subscriptions may take, in ms. */
  readonly budgetMs: number;
}

/** Enough for every app of a mobile network behind one address that asks in the same seconds. */
const USUAL: CrowdRules = { most: 2048, mostOfOne: 256, budgetMs: 3 };
/** Unanswered requests of one connection. No app sends the next one before it has the answer. */
const MOST_AHEAD = 16;
/** Stands in the first line of every request. */
const VERSION = ' HTTP/1.';
/** What a new connection counts, in ms: it is read, and over TLS a signature is made, after it was let in. */
const ENTERING_MS = 0.5;
const HANDSHAKE_MS = 1.5;

/** Stands before the subscription server, so that no flood of it can be felt in the panel, which lives on the same loop. */
export class SubscriptionGate {
  readonly #peers: Peers;
  readonly #crowd: Crowd;
  readonly #turns: FairTurns;
  readonly #ahead = new WeakMap<Socket, number>();

  constructor(peers: Peers, rules: CrowdRules = USUAL) {
    this.#peers = peers;
    this.#crowd = new Crowd(rules);
    this.#turns = new FairTurns(rules.budgetMs);
  }

  /** Lets a connection in when its turn has come. Those of trusted proxies are many callers, and are not counted. */
  readonly admit = (socket: Socket, enter: () => void, secured: boolean): void => {
    const address = plain(socket.remoteAddress ?? '');
    if (address === '') return void socket.destroy();
    const from = network(address);
    if (!this.#peers.trusts(address)) this.#crowd.enter(socket, from);
    this.#turns.run(() => from, enter, secured ? HANDSHAKE_MS : ENTERING_MS);
  };

  /**
   * A chunk with a thousand requests would be parsed to its end whatever is answered to the first of them. The parser gets
   * the same bytes after us: of a chunk with too many nothing is left to parse, so that it answers 400 and hangs up.
   */
  readonly watch = (socket: Socket): void => {
    socket.prependListener('data', (chunk: Buffer) => {
      let found = 0;
      for (let at = chunk.indexOf(VERSION); at >= 0; at = chunk.indexOf(VERSION, at + VERSION.length)) {
        found += 1;
        if (found > MOST_AHEAD) return void chunk.fill(0);
      }
    });
  };

  /** Answers a request when its turn has come; ends the connection of one that asks on and on without listening. */
  readonly take = (req: IncomingMessage, answer: () => void): void => {
    const { socket } = req;
    if (socket.destroyed) return;
    const ahead = (this.#ahead.get(socket) ?? 0) + 1;
    if (ahead > MOST_AHEAD) return void socket.destroy();
    this.#ahead.set(socket, ahead);
    this.#turns.run(
      () => network(this.#peers.of(req).ip),
      () => {
        this.#ahead.set(socket, (this.#ahead.get(socket) ?? 1) - 1);
        if (!socket.destroyed) answer();
      },
    );
  };
}
