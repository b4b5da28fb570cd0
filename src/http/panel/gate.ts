import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Change, Dispatch } from '../../commands/bus.js';
import { message } from '../../messages/message.js';
import { BodyRoom, bodyOf, bytesOf } from '../server/body.js';
import { correlationId } from '../server/correlation-id.js';
import { BodyError } from '../server/json-body.js';
import { receiveUpload } from '../server/multipart.js';
import { notFound } from '../server/not-found.js';
import { Bearers, holdsToken } from './auth/bearer.js';
import { crossSite, rightToken, tokenOf } from './auth/csrf.js';
import type { FailureRecords } from './auth/failure-records.js';
import type { LoginLimiter } from './auth/limiter.js';
import { nameOf, type Peer, type Peers } from './auth/peer.js';
import type { Sessions } from './auth/session.js';
import type { UnsavedSessions } from './auth/unsaved.js';
import { type AuthRequest, Visit, type VisitParts } from './auth/visit.js';
import type { PanelServices } from './context.js';
import { type Route, Upload } from './contract/route.js';
import { HotReads } from './hot-reads.js';
import { type Gate, type Handler, tell, type Verdict } from './mount.js';
import { type MakeRequest, requestMaker } from './request-context.js';

/** Largest body of a caller that is not logged in, in bytes. */
const ANONYMOUS_BODY = 8 * 1024;
/** Requests whose session is remembered for the WebSocket, which tells a change to everybody but its author. */
const REMEMBERED = 2000;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);
/** More than a browser behind a row of proxies sends. */
const MOST_HEADERS = 200;

/** Statuses of requests that go no further. */
export type TurnedAway = 400 | 403 | 404 | 431;

interface GateParts {
  readonly services: Pick<PanelServices, 'read' | 'now' | 'backup' | 'history'>;
  readonly dispatch: Dispatch;
  readonly change: Change;
  readonly peers: Peers;
  readonly sessions: Sessions;
  readonly unsaved: UnsavedSessions;
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly basePath: () => string;
  readonly webDomain: () => string;
}

/** On the request itself: a weak map of short-lived keys is dear to the garbage collector. */
const VISIT = Symbol('visit');
type Visited = IncomingMessage & { [VISIT]?: Visit };

/** What every route stands behind. The policy is that of the matched route, never of a prefix of the path. */
export class PanelGate implements Gate<AuthRequest> {
  readonly #parts: GateParts;
  readonly #authors = new LRUCache<string, string>({ max: REMEMBERED });
  readonly #bearers: Bearers;
  readonly #bodies = new BodyRoom();
  readonly #request: MakeRequest;
  readonly #visitParts: VisitParts;
  /** The routes that are answered without the router, behind the same rules. */
  readonly hot: HotReads<AuthRequest>;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#bearers = new Bearers(parts.services.now);
    const { services, dispatch, change, sessions, unsaved, limiter, failures, basePath } = parts;
    const apiToken = (): string | null => services.read.users().apiToken;
    this.#visitParts = { sessions, unsaved, limiter, failures, basePath, dispatch, apiToken };
    const { read, history } = services;
    const authored = (id: string, idHash: string): unknown => this.#authors.set(id, idHash);
    this.#request = requestMaker({ read, logged: history.logged, dispatch, change, authored });
    this.hot = new HotReads(this, (req, peer) => this.turnedAway(req, peer));
  }

  shortcut(route: Route, path: string, handle: Handler<AuthRequest>): void {
    this.hot.add(route, path, handle);
  }

  /** The same for all who ask about a request. */
  visitOf(req: IncomingMessage, res: ServerResponse): Visit {
    const visited: Visited = req;
    visited[VISIT] ??= new Visit(req, res, this.#parts.peers.of(req), correlationId(), this.#visitParts);
    return visited[VISIT];
  }

  /** What is asked of every request before a route is looked for; the status for one that goes no further, or null. */
  turnedAway(req: IncomingMessage, peer: Peer): TurnedAway | null {
    const { basePath } = this.#parts;
    if (req.rawHeaders.length > MOST_HEADERS * 2) return 431;
    if ((req.headers.host !== undefined && peer.host === '') || isAmbiguous(req)) return 400;
    const domain = this.#parts.webDomain();
    if (domain !== '' && peer.hostname !== nameOf(domain)) return 403;
    // The router answers OPTIONS by itself, with a list of what is here.
    return req.url?.startsWith(basePath()) && METHODS.has(req.method ?? '') ? null : 404;
  }

  /** Whether the caller is somebody: a session, or the API token where that counts. `path` is without the base path. */
  isKnown(req: IncomingMessage, res: ServerResponse, path: string): boolean {
    return this.visitOf(req, res).session !== null || (path.startsWith('/panel/api/') && this.#byToken(req));
  }

  /** The line of its own in which a caller waits who is logged in, by session or token; null for everybody else. */
  lineOf(req: IncomingMessage, res: ServerResponse): string | null {
    const { session } = this.visitOf(req, res);
    if (session) return session.idHash;
    return holdsToken(req, this.#parts.services.read.users().apiToken) ? 'token' : null;
  }

  /** Hash of the session id behind a correlation id of an event, or null. */
  authorOf(correlationId: string): string | null {
    return this.#authors.get(correlationId) ?? null;
  }

  /** Whether this caller may ask this route. */
  judge(route: Route, req: IncomingMessage, visit: Visit): Verdict {
    const byToken = route.auth === 'panel' && this.#byToken(req);
    visit.byToken = byToken;
    if (route.auth !== 'none' && !byToken && !visit.session) return 'unauthenticated';
    const acts = route.method === 'POST' || route.acts;
    return acts && !byToken && this.#failsCsrf(req, route, visit) ? 'csrf' : 'pass';
  }

  guard(route: Route): RequestHandler {
    return (req, res, next) => {
      const visit = this.visitOf(req, res);
      const verdict = this.judge(route, req, visit);
      if (verdict === 'unauthenticated') return unauthenticated(req, res);
      if (route.auth !== 'none') res.setHeader('X-Correlation-Id', visit.correlationId);
      if (verdict === 'csrf') {
        tell(res.status(403), false, message('CSRF_TOKEN_INVALID'));
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
        if (!validKey(req.headers['idempotency-key'])) throw new BodyError(message('IDEMPOTENCY_KEY_INVALID'));
        if (route.upload !== null) {
          const place = this.#parts.services.backup.uploads;
          const form = await receiveUpload(req, res, { name: route.upload, limit, place });
          this.visitOf(req, res).body = Buffer.from(identityOf(form));
          req.body = form;
          return next();
        }
        const bytes = await bytesOf(req, res, { limit, room: this.#bodies });
        this.visitOf(req, res).body = bytes;
        req.body = await bodyOf(bytes, req.headers['content-type']);
      } catch (error) {
        if (!(error instanceof BodyError)) throw error;
        tell(res.status(error.status), false, error.text);
        return;
      }
      next();
    };
  }

  requestOf(req: IncomingMessage, res: ServerResponse): AuthRequest {
    return this.#request(req, res, this.visitOf(req, res));
  }

  #byToken(req: IncomingMessage): boolean {
    const { services, peers } = this.#parts;
    return this.#bearers.admits(req, services.read.users().apiToken, () => peers.of(req).ip);
  }

  /**
   * Whether the request may have been made by a page of another site. The way in (`none`) needs no token, because not
   * every client can fetch one, but a token that is there must be right. Nor does a GET that acts: clients send it bare.
   */
  #failsCsrf(req: IncomingMessage, route: Route, visit: Visit): boolean {
    if (crossSite(req, visit.peer)) return true;
    const expected = visit.expectedToken;
    if ((route.auth === 'none' || route.method === 'GET') && !tokenOf(req)) return false;
    return expected === null || !rightToken(req, expected);
  }
}

/**
 * Whether a proxy in front may have read this request in another way than we do: two hosts, or a body whose end depends
 * on a coding that nobody knows (RFC 9112, 3.2 and 6.3).
 */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true;
  const isHost = (name: string, at: number): boolean => at % 2 === 0 && name.length === 4 && /^host$/i.test(name);
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}

/** 401 for scripts that say so, else nothing is here. */
function unauthenticated(req: Request, res: Response): void {
  if (req.headers['x-requested-with'] !== 'XMLHttpRequest') return notFound(res);
  tell(res.status(401), false, message('SESSION_EXPIRED'));
}

/** What makes a form the same as another one: its fields, and of a file the content. */
function identityOf(form: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(form).map(([name, value]) => [name, value instanceof Upload ? value.digest : value]);
  return JSON.stringify(fields);
}

function validKey(key: string | string[] | undefined): boolean {
  return key === undefined || (typeof key === 'string' && /^[\x20-\x7e]{1,200}$/.test(key));
}
