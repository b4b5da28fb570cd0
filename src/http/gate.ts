import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import type { Dispatch } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import type { Actor } from '../events/event.js';
import type { CommandId } from '../events/log.js';
import { holdsToken } from './auth/bearer.js';
import { crossSite, rightToken, tokenOf } from './auth/csrf.js';
import type { LoginLimiter } from './auth/limiter.js';
import type { Peers } from './auth/peer.js';
import type { Sessions } from './auth/session.js';
import { type AuthContext, Visit, type VisitParts } from './auth/visit.js';
import { bodyOf, bytesOf } from './body.js';
import type { HttpParts } from './context.js';
import type { Route } from './contract/route.js';
import { BodyError } from './json-body.js';
import { envelope, type Gate } from './mount.js';
import { notFound } from './not-found.js';

/** Largest body of a caller that is not logged in, in bytes. */
const ANONYMOUS_BODY = 16 * 1024;
/** Requests whose session is remembered for the WebSocket, which tells a change to everybody but its author. */
const REMEMBERED = 2000;

interface GateParts {
  readonly http: HttpParts;
  readonly dispatch: Dispatch;
  readonly peers: Peers;
  readonly sessions: Sessions;
  readonly limiter: LoginLimiter;
  readonly basePath: () => string;
}

/** What every route stands behind. The policy is that of the matched route, never of a prefix of the path. */
export class PanelGate implements Gate<AuthContext> {
  readonly #parts: GateParts;
  readonly #visits = new WeakMap<IncomingMessage, Visit>();
  readonly #authors = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The same for all who ask about a request. */
  visitOf(req: IncomingMessage, res: ServerResponse): Visit {
    const known = this.#visits.get(req);
    if (known) return known;
    const { peers, sessions, limiter, basePath, dispatch } = this.#parts;
    const parts: VisitParts = { sessions, limiter, basePath, dispatch };
    const visit = new Visit(req, res, peers.of(req), v7(), parts);
    this.#visits.set(req, visit);
    return visit;
  }

  /** Whether the caller is somebody: a session, or the API token where that counts. `path` is without the base path. */
  isKnown(req: IncomingMessage, res: ServerResponse, path: string): boolean {
    return this.visitOf(req, res).session !== null || (path.startsWith('/panel/api/') && this.#byToken(req));
  }

  /** Hash of the session id behind a correlation id of an event, or null. */
  authorOf(correlationId: string): string | null {
    return this.#authors.get(correlationId) ?? null;
  }

  guard(route: Route): RequestHandler {
    return (req, res, next) => {
      const visit = this.visitOf(req, res);
      const byToken = route.auth === 'panel' && this.#byToken(req);
      visit.byToken = byToken;
      if (route.auth !== 'none' && !byToken && !visit.session) return unauthenticated(req, res);
      if (route.auth !== 'none') res.setHeader('X-Correlation-Id', visit.correlationId);
      if (route.method === 'POST' && !byToken && this.#forged(req, route, visit)) {
        res
          .status(403)
          .json(envelope(false, 'The CSRF token is missing or wrong, or the request comes from another site'));
        return;
      }
      next();
    };
  }

  parse(route: Route): RequestHandler {
    const limit = route.auth === 'none' ? Math.min(route.limit, ANONYMOUS_BODY) : route.limit;
    return async (req, res, next) => {
      if (req.method !== 'POST') return next();
      try {
        if (!validKey(req.headers['idempotency-key']))
          throw new BodyError('The Idempotency-Key must be 1 to 200 printable characters');
        const bytes = await bytesOf(req, res, limit);
        this.visitOf(req, res).body = bytes;
        req.body = await bodyOf(bytes, req.headers['content-type']);
      } catch (error) {
        if (!(error instanceof BodyError)) throw error;
        res.status(error.status).json(envelope(false, error.message));
        return;
      }
      next();
    };
  }

  contextOf(req: Request, res: Response): AuthContext {
    const { http, dispatch } = this.#parts;
    const visit = this.visitOf(req, res);
    const { peer, correlationId, session, byToken } = visit;
    const { actor, userId } = this.#caller(visit);
    const idempotent = idempotency(req, visit, `${actor.kind} ${actor.id}`);
    if (session && !byToken) this.#authors.set(correlationId, session.idHash);
    return {
      ...http,
      visit,
      actor,
      userId,
      requestHost: peer.hostname,
      secure: peer.secure,
      refusalOf: (command) => {
        const done = dispatch(command, { actor, correlationId, dryRun: true });
        return done instanceof Rejection ? done : null;
      },
      dispatch: (command) => {
        const commandId = idempotent();
        return dispatch(command, { actor, correlationId, ...(commandId ? { commandId } : {}) });
      },
    };
  }

  #byToken(req: IncomingMessage): boolean {
    return holdsToken(req, this.#parts.http.read.users().apiToken);
  }

  #caller({ session, byToken, peer: { ip } }: Visit): { actor: Actor; userId: number } {
    if (byToken) {
      const userId = Math.min(...this.#parts.http.read.users().users.keys());
      return { actor: { kind: 'token', id: 'api', name: 'API token', ip }, userId };
    }
    if (!session) return { actor: { kind: 'system', id: 'anonymous', name: 'anonymous', ip }, userId: 0 };
    const { id, username } = session.account;
    return { actor: { kind: 'user', id: String(id), name: username, ip }, userId: id };
  }

  /**
   * Whether the request may have been made by a page of another site. The way in (`none`) needs no token, because not
   * every client can fetch one, but a token that is there must be right.
   */
  #forged(req: IncomingMessage, route: Route, visit: Visit): boolean {
    if (crossSite(req, visit.peer)) return true;
    const expected = visit.expectedToken;
    if (route.auth === 'none' && !tokenOf(req)) return false;
    return expected === null || !rightToken(req, expected);
  }
}

/** 401 for scripts that say so, else nothing is here. */
function unauthenticated(req: Request, res: Response): void {
  if (req.headers['x-requested-with'] !== 'XMLHttpRequest') return notFound(res);
  res.status(401).json(envelope(false, 'Your session has expired, please log in again'));
}

function validKey(key: string | string[] | undefined): boolean {
  return key === undefined || (typeof key === 'string' && /^[\x20-\x7e]{1,200}$/.test(key));
}

/** The id of each command that a request with an `Idempotency-Key` dispatches, in their order; null without the key. */
function idempotency(req: Request, { body }: Visit, caller: string): () => CommandId | null {
  const header = req.headers['idempotency-key'];
  if (typeof header !== 'string') return () => null;
  const sha256 = (...parts: (string | Buffer)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part).update('\0');
    return hash.digest('hex');
  };
  const fingerprint = sha256(req.method, req.originalUrl, body ?? '');
  let count = 0;
  return () => {
    count += 1;
    return { key: count === 1 ? sha256(caller, header) : sha256(caller, header, String(count)), fingerprint };
  };
}
