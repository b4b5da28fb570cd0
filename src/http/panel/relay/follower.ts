import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { Access } from '../../../events/access/access-of.js';
import type { OpaqueNumbers } from '../../../lib/opaque-numbers.js';
import { BodyError } from '../../server/json-body.js';
import type { AuthContext } from '../auth/auth-context.js';
import type { Route } from '../contract/route.js';
import { sendMessage } from '../mount.js';
import type { ClusterServices } from './cluster-services.js';
import { HEAD_HEADER, NOT_LEADER_HEADER } from './exchange.js';
import { Forwarding } from './forwarding.js';
import { type Asked, askedPosition, positionCookie, WAIT_MS } from './position.js';
import { relayedCaller } from './relayed.js';

/** Characters of an invalid value in an answer. */
const MAX_VALUE = 40;
const RETRY_SECONDS = '1';

interface Parts {
  readonly cluster: ClusterServices;
  readonly basePath: () => string;
  /** Reads the body of a request within the limits of its route. */
  readonly bodyOf: (req: Request, res: Response, route: Route) => Promise<Buffer>;
  /** Whether this member knows the session or the token of a request. */
  readonly isKnown: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** Called before a request that may change something is passed on. */
  readonly passing: (req: IncomingMessage, auth: AuthContext) => void;
  /** What the caller of a request may do; null = this member does not know the caller. Remembers nothing. */
  readonly accessOf: (req: IncomingMessage) => Access | null;
  /** The positions that callers with a limited role get. */
  readonly positions: OpaqueNumbers;
}

/** Positions that this member does not have, though their callers have waited for them. */
const BEHIND = Symbol('behind');
/** A body that was read to be passed on, when this member answers the request after all. */
const BODY = Symbol('body');
type Marked = IncomingMessage & { [BEHIND]?: Asked | 'invalid'; [BODY]?: Buffer };

export const readBody = (req: Marked): Buffer | undefined => req[BODY];

/** What a member of a cluster answers itself, and what it passes on to the leader. */
export class Follower {
  readonly #parts: Parts;
  readonly #forwarding: Forwarding;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#forwarding = new Forwarding(parts.cluster);
  }

  /** The position that an answer has at least. */
  get position(): number {
    return this.#parts.cluster.position();
  }

  /** Waits for the position that a request asks for; null when there is nothing to wait for. */
  wait(req: Marked): Promise<void> | null {
    const asked = relayedCaller(req) ? null : askedPosition(req, this.#parts.positions);
    if (asked === null) return null;
    const { cluster, accessOf } = this.#parts;
    const { position, reached } = cluster;
    const mark = (isReached: boolean): void => void (isReached || (req[BEHIND] = asked));
    if (this.#isCountable(req)) {
      const access = accessOf(req);
      // It always waits as long, so that it does not learn the position. Meanwhile its session may arrive.
      if (!access)
        return Promise.all([asked === 'invalid' || reached(asked.position, WAIT_MS), sleep(WAIT_MS)]).then(
          ([isReached]) => mark(asked !== 'invalid' && isReached),
        );
      if (access.isLimited) {
        req[BEHIND] = 'invalid';
        return null;
      }
    }
    if (asked !== 'invalid' && asked.position <= position()) return null;
    return asked === 'invalid' ? Promise.resolve(mark(false)) : reached(asked.position, WAIT_MS).then(mark);
  }

  /** Whether this member answers a request itself. */
  answersItself(route: Route, req: Marked): boolean {
    if (req[BEHIND] !== undefined) return false;
    return this.#parts.cluster.isLeader || relayedCaller(req) !== undefined || !(route.acts || route.leader);
  }

  /** Answers a request, or has the leader answer it. Resolves to false if this member is to answer it. */
  async answer(route: Route, req: Request & Marked, res: Response, auth: AuthContext): Promise<boolean> {
    const access =
      req.headers['x-portolan-at-least'] === undefined || relayedCaller(req) ? null : this.#parts.accessOf(req);
    const behind = access?.isLimited && this.#isCountable(req) ? 'invalid' : req[BEHIND];
    if (access && (behind === 'invalid' || behind?.isHeader)) {
      this.#refuse(req, res, behind);
      return true;
    }
    if (this.answersItself(route, req)) return !this.#begins(route, req, res);
    const { cluster, bodyOf, isKnown, passing } = this.#parts;
    // The leader has every position. A leader without one is of another log than the browser.
    if (cluster.isLeader || (route.upload !== null && !isKnown(req, res))) return !this.#begins(route, req, res);
    if (route.acts) passing(req, auth);
    try {
      const body = route.upload === null ? await bodyOf(req, res, route) : null;
      const { url } = auth.received;
      const given = { req, res, url, body, acts: route.acts, correlationId: auth.correlationId };
      const result = await this.#forwarding.forward(given);
      if (result === 'own' && body) req[BODY] = body;
      if (result === 'own') return !this.#begins(route, req, res);
      // An old answer is better than none.
      if (result instanceof Rejection && !route.acts && !route.leader) return false;
      if (result instanceof Rejection && !res.destroyed)
        sendMessage(res.status(route.media === null ? 200 : 503), false, result);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      sendMessage(res.status(error.status), false, error.text);
    }
    return true;
  }

  /** Whether the request names a position that was not hidden. */
  #isCountable({ headers }: IncomingMessage): boolean {
    const asked = headers['x-portolan-at-least'];
    return asked !== undefined && this.#parts.positions.reveal(Number(asked)) === null;
  }

  /** Whether this member can carry a request out: a change at a former leader is for the next one. */
  #begins(route: Route, req: Marked, res: Response): boolean {
    if (!route.acts) return true;
    const { cluster } = this.#parts;
    if (!cluster.isLeader && relayedCaller(req)) {
      res.status(503).setHeader(NOT_LEADER_HEADER, '1').end();
      return false;
    }
    res.once('close', cluster.begins());
    return true;
  }

  /** Sends the position of a change to its caller, or to the member that passed the request on. */
  changed(res: ServerResponse, auth: AuthContext): void {
    if (res.headersSent) return;
    // Without a wait for the cluster (`PORTOLAN_CLUSTER_ACK=local`), the change may be after what is confirmed.
    const receipt = Number(res.getHeader('X-Portolan-Position') ?? 0);
    const { positions } = this.#parts;
    const own = positions.reveal(receipt) ?? receipt;
    const position = Math.max(own, this.#parts.cluster.position());
    if (relayedCaller(res.req)) res.setHeader(HEAD_HEADER, String(position));
    if (auth.bearer === null)
      res.appendHeader(
        'Set-Cookie',
        positionCookie(positions.hide(position), this.#parts.basePath(), auth.peer.secure),
      );
  }

  #refuse({ headers }: IncomingMessage, res: Response, behind: Asked | 'invalid'): void {
    if (behind === 'invalid') {
      const value = String(headers['x-portolan-at-least']).slice(0, MAX_VALUE);
      sendMessage(res.status(400), false, reject('AT_LEAST_INVALID', { value }));
      return;
    }
    res.setHeader('Retry-After', RETRY_SECONDS);
    const wanted = String(headers['x-portolan-at-least']).slice(0, MAX_VALUE);
    sendMessage(res.status(503), false, reject('CLUSTER_BEHIND', { wanted }));
  }
}
