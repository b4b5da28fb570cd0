import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import type { Caller } from '../../../commands/ports/cluster.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import type { ClusterServices } from './cluster-services.js';
import { exchange, HEAD_HEADER, NOT_LEADER_HEADER, passedOn } from './exchange.js';
import { WAIT_MS } from './position.js';

/** How long a request waits for a leader, in ms: a planned hand-over takes less, and most elections do. */
const LEADER_MS = 6000;
const RETRY_MS = 100;

/** A request to pass on. */
interface Forwarded {
  readonly req: IncomingMessage;
  readonly res: Response;
  /** As the caller sent it. */
  readonly url: string;
  /** Its whole body; null = it is passed on as it arrives. */
  readonly body: Buffer | null;
  /** Whether it may change something. */
  readonly acts: boolean;
  readonly correlationId: string;
}

/** What became of it: answered, not sent because this member leads now, or refused. */
type Result = 'answered' | 'own' | Rejection;

/** Passes requests of a follower on to the leader, and its answers to the callers. */
export class Forwarding {
  readonly #cluster: ClusterServices;

  constructor(cluster: ClusterServices) {
    this.#cluster = cluster;
  }

  /**
   * A request that may change something is sent once, unless its `Idempotency-Key` allows to repeat it. An answer to it
   * waits until this member has the change itself.
   */
  async forward(given: Forwarded): Promise<Result> {
    const { req, acts, body } = given;
    const repeats = (!acts || req.headers['idempotency-key'] !== undefined) && body !== null;
    const end = performance.now() + LEADER_MS;
    for (let attempt = 1; ; attempt += 1) {
      const tunnel = await this.#open(req, given.correlationId, end);
      if (tunnel === 'own') return 'own';
      if (tunnel === null) return this.#noLeader();
      try {
        const answer = await exchange(tunnel, req, given.url, body);
        if (answer.headers[NOT_LEADER_HEADER.toLowerCase()] !== undefined) {
          answer.resume();
          if (body === null || performance.now() > end) return this.#noLeader();
          attempt -= 1;
          await sleep(RETRY_MS);
          continue;
        }
        await this.#pass(answer, given);
        return 'answered';
      } catch {
        if (given.res.headersSent || given.res.destroyed) {
          given.res.destroy();
          return 'answered';
        }
        if (!repeats) return reject('ANSWER_LOST');
        if (attempt === 2) return this.#noLeader();
      }
    }
  }

  #noLeader(): Rejection {
    const why = this.#cluster.refusal();
    // The leader is known, but does not answer.
    return why === null || why.code === 'CLUSTER_FOLLOWER' ? reject('CLUSTER_NO_LEADER') : why;
  }

  /** A connection to the leader; null when there is none in time. */
  async #open({ socket }: IncomingMessage, correlationId: string, end: number) {
    const { remoteAddress = '' } = socket;
    const caller: Caller = { remoteAddress, isEncrypted: 'encrypted' in socket, correlationId };
    do {
      if (this.#cluster.isLeader) return 'own';
      const tunnel = await this.#cluster.callLeader(caller).catch(() => null);
      if (tunnel) return tunnel;
      await sleep(RETRY_MS);
    } while (performance.now() < end && !socket.destroyed);
    return null;
  }

  async #pass(answer: IncomingMessage, { req, res }: Forwarded): Promise<void> {
    const head = Number(answer.headers[HEAD_HEADER.toLowerCase()] ?? 0);
    const headers = passedOn(answer.rawHeaders, [HEAD_HEADER.toLowerCase()]);
    if (head > 0) await this.#cluster.reached(head, WAIT_MS);
    // The rest of a body that the leader did not want.
    if (!req.complete) headers.push('Connection', 'close');
    res.writeHead(answer.statusCode ?? 502, headers);
    if (!req.complete) req.unpipe().resume();
    await pipeline(answer, res as ServerResponse).catch(() => undefined);
  }
}
