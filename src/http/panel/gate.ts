import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Refusals } from '../../commands/access/refusals.js';
import type { Change, Dispatch } from '../../commands/bus.js';
import { Rejection, reject } from '../../commands/rejection.js';
import type { Access } from '../../events/access/access-of.js';
import { lruOf } from '../../lib/lru.js';
import { message } from '../../messages/message.js';
import { BodyRoom, bodyOf, bytesOf } from '../server/body.js';
import { correlationId } from '../server/correlation-id.js';
import { BodyError } from '../server/json-body.js';
import { receiveUpload } from '../server/multipart.js';
import { notFound } from '../server/not-found.js';
import { AuthContext, type AuthContextParts, type AuthRequest } from './auth/auth-context.js';
import { authorOf, tabOf } from './auth/author.js';
import type { Bearer, Bearers } from './auth/bearer.js';
import { Challenges } from './auth/challenges.js';
import { readSessionCookie } from './auth/cookie.js';
import { isCrossSite, tokenMatches, tokenOf } from './auth/csrf.js';
import type { FailureRecords } from './auth/failure-records.js';
import type { LoginLimiter } from './auth/limiter.js';
import { nameOf, type Peer, type Peers } from './auth/peer.js';
import type { Sessions } from './auth/session.js';
import type { UnsavedSessions } from './auth/unsaved.js';
import type { PanelServices } from './context.js';
import { mayChange } from './contract/dry-run.js';
import { answersAt } from './contract/moments.js';
import { type Route, Upload } from './contract/route.js';
import { HotReads } from './hot-reads.js';
import { type Gate, type Handler, sendMessage, type Verdict } from './mount.js';
import { refusalOf } from './refusal-of.js';
import { Follower, readBody } from './relay/follower.js';
import { relayedCaller } from './relay/relayed.js';
import { type MakeRequest, requestMaker } from './request-context.js';

/** Largest body of a caller that is not logged in, in bytes. */
const ANONYMOUS_BODY_BYTES = 8 * 1024;
/** Requests whose author is remembered for the WebSocket, which sends a change to all others. */
const MAX_REMEMBERED = 2000;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);
/** More headers than a browser behind several proxies sends. */
const MAX_HEADERS = 200;

/** Statuses of requests that are rejected before routing. */
type RejectedStatus = 400 | 403 | 404 | 431;

interface GateParts {
  readonly services: Pick<PanelServices, 'read' | 'now' | 'backup' | 'history' | 'server'>;
  readonly dispatch: Dispatch;
  readonly change: Change;
  readonly peers: Peers;
  readonly sessions: Sessions;
  readonly unsaved: UnsavedSessions;
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly refusals: Refusals;
  readonly bearers: Bearers;
  readonly basePath: () => string;
  readonly webDomain: () => string;
}

/** Stored on the request: a weak map with short-lived keys is expensive for the garbage collector. */
const AUTH = Symbol('auth');
type WithAuth = IncomingMessage & { [AUTH]?: AuthContext };

/** Guards every route. The policy is that of the matched route, never of a path prefix. */
export class PanelGate implements Gate<AuthRequest> {
  readonly #parts: GateParts;
  readonly #authors = lruOf<string, string>(MAX_REMEMBERED);
  readonly #bodies = new BodyRoom();
  readonly #request: MakeRequest;
  readonly #authParts: AuthContextParts;
  /** The routes that bypass the router, guarded by the same rules. */
  readonly hot: HotReads<AuthRequest>;
  /** What this panel does as a member of a cluster; null = it is alone. */
  readonly #follower: Follower | null;

  constructor(parts: GateParts) {
    this.#parts = parts;
    const { services, dispatch, change, sessions, unsaved, limiter, failures, basePath, bearers } = parts;
    const { read, history } = services;
    const accessOf = (admin: number) => read.admins.accessOf(admin);
    const challenges = new Challenges(services.now);
    this.#authParts = { challenges, sessions, unsaved, limiter, failures, basePath, dispatch, bearers, accessOf };
    const authored = (id: string, author: string): unknown => this.#authors.set(id, author);
    this.#request = requestMaker({ ...history, read, dispatch, change, onChange: authored });
    const { cluster } = services.server;
    const { positions } = history;
    this.#follower = cluster && new Follower({ ...this.#following, cluster, basePath, positions });
    this.hot = new HotReads(this, (req, peer) => this.rejectedStatus(req, peer), this.#follower);
  }

  readonly #following = {
    bodyOf: (req: Request, res: Response, route: Route): Promise<Buffer> => {
      const isKnown = route.auth !== 'none' && this.queueKeyOf(req, res) !== null;
      const limit = isKnown ? route.limit : Math.min(route.limit, ANONYMOUS_BODY_BYTES);
      return bytesOf(req, res, { limit, room: this.#bodies });
    },
    isKnown: (req: IncomingMessage, res: ServerResponse): boolean => this.queueKeyOf(req, res) !== null,
    accessOf: (req: IncomingMessage): Access | null => {
      const { bearers, peers, sessions, services } = this.#parts;
      const bearer = bearers.of(req, () => peers.of(req).ip);
      if (bearer !== null) return bearers.accessOf(bearer);
      const session = sessions.find(readSessionCookie(req.headers.cookie).id);
      return session && services.read.admins.accessOf(session.user);
    },
    passing: (req: IncomingMessage, { session, correlationId: id }: AuthContext): void => {
      if (session) this.#authors.set(id, authorOf(session.idHash, tabOf(req)));
    },
  };

  addHotRoute(route: Route, path: string, handle: Handler<AuthRequest>): void {
    this.hot.add(route, path, handle);
  }

  /** The same object for every call with the same request. */
  authOf(req: IncomingMessage, res: ServerResponse): AuthContext {
    const request: WithAuth = req;
    const id = relayedCaller(req)?.correlationId ?? correlationId();
    request[AUTH] ??= new AuthContext(req, res, this.#parts.peers.of(req), id, this.#authParts);
    return request[AUTH];
  }

  /** Checks a request before routing. Returns the status of a rejected request, or null. */
  rejectedStatus(req: IncomingMessage, peer: Peer): RejectedStatus | null {
    const { basePath } = this.#parts;
    if (req.rawHeaders.length > MAX_HEADERS * 2) return 431;
    if ((req.headers.host !== undefined && peer.host === '') || isAmbiguous(req)) return 400;
    const domain = this.#parts.webDomain();
    if (domain !== '' && peer.hostname !== nameOf(domain)) return 403;
    // The router would answer OPTIONS with a list of methods.
    return req.url?.startsWith(basePath()) && METHODS.has(req.method ?? '') ? null : 404;
  }

  /**
   * Whether the caller is authenticated: by a session, or by a token where that counts. `path` is without the base
   * path.
   */
  isKnown(req: IncomingMessage, res: ServerResponse, path: string): boolean {
    return this.authOf(req, res).session !== null || (path.startsWith('/panel/api/') && this.#bearerOf(req) !== null);
  }

  /** The queue key of an authenticated caller, by session or token; null for all others. */
  queueKeyOf(req: IncomingMessage, res: ServerResponse): string | null {
    const { session } = this.authOf(req, res);
    if (session) return session.idHash;
    const bearer = this.#parts.bearers.of(req, () => this.#parts.peers.of(req).ip);
    return bearer === null ? null : `token ${bearer === 'api' ? bearer : bearer.id}`;
  }

  /** The author of the request behind a correlation id of an event, or null. */
  authorOfRequest(correlationId: string): string | null {
    return this.#authors.get(correlationId) ?? null;
  }

  /** Whether this caller may call this route. */
  verdictOn(route: Route, req: IncomingMessage, auth: AuthContext): Verdict {
    auth.bearer = route.auth === 'panel' ? this.#bearerOf(req) : null;
    const byToken = auth.bearer !== null;
    if (route.auth !== 'none' && !byToken && !auth.session) return 'unauthenticated';
    auth.permission = route.permission;
    const mayAct = route.acts || route.method === 'POST';
    if (mayAct && !byToken && this.#failsCsrf(req, route, auth)) return 'csrf';
    return refusalOf(route, auth.access) === null ? 'pass' : 'forbidden';
  }

  guard(route: Route): RequestHandler {
    const check = this.#check(route);
    const follower = this.#follower;
    if (follower === null) return check;
    return async (req, res, next) => {
      if (await follower.answer(route, req, res, this.authOf(req, res))) return;
      check(req, res, next);
    };
  }

  #check(route: Route): RequestHandler {
    return (req, res, next) => {
      const auth = this.authOf(req, res);
      const verdict = this.verdictOn(route, req, auth);
      if (verdict === 'unauthenticated') return unauthenticated(req, res);
      if (route.auth !== 'none') res.setHeader('X-Correlation-Id', auth.correlationId);
      if (verdict === 'csrf') {
        sendMessage(res.status(403), false, message('CSRF_TOKEN_INVALID'));
        return;
      }
      const refused = verdict === 'forbidden' ? refusalOf(route, auth.access) : null;
      if (refused) {
        this.#parts.refusals.add(this.requestOf(req, res).actor, refused);
        sendMessage(res.status(403), false, refused);
        return;
      }
      if (route.permission !== null && req.query['at'] !== undefined && !answersAt(route)) {
        sendMessage(res.status(400), false, reject('MOMENT_UNSUPPORTED', { path: route.path }));
        return;
      }
      // A limited caller could see by it when others change something.
      const position = route.auth === 'none' || auth.access.isLimited ? undefined : this.#follower?.position;
      if (position !== undefined) res.setHeader('X-Portolan-Position', String(position));
      next();
    };
  }

  parse(route: Route): RequestHandler {
    const limit = route.auth === 'none' ? Math.min(route.limit, ANONYMOUS_BODY_BYTES) : route.limit;
    return async (req, res, next) => {
      if (req.method !== 'POST') return next();
      try {
        if (!validKey(req.headers['idempotency-key'])) throw new BodyError(message('IDEMPOTENCY_KEY_INVALID'));
        if (route.upload !== null) {
          const place = this.#parts.services.backup.uploads;
          const form = await receiveUpload(req, res, { name: route.upload, limit, place });
          this.authOf(req, res).received.body = Buffer.from(identityOf(form));
          req.body = form;
          return next();
        }
        const bytes = readBody(req) ?? (await bytesOf(req, res, { limit, room: this.#bodies }));
        this.authOf(req, res).received.body = bytes;
        req.body = await bodyOf(bytes, req.headers['content-type']);
      } catch (error) {
        if (!(error instanceof BodyError)) throw error;
        sendMessage(res.status(error.status), false, error.text);
        return;
      }
      next();
    };
  }

  /**
   * Turns the outcome of a request into its answer, once the cluster has confirmed what it relies on. That holds for a change
   * that appends nothing as well: it may repeat one that is not confirmed yet.
   */
  conclusionOf(request: AuthRequest, route: Route, res: ServerResponse): (outcome: unknown) => Promise<unknown> {
    const { server, backup } = this.#parts.services;
    const before = route.acts ? backup.logHead().position : 0;
    return async (outcome) => {
      if (outcome instanceof Rejection) this.#parts.refusals.add(request.actor, outcome);
      // A refusal has changed nothing that the caller relies on.
      if (!route.acts || outcome instanceof Rejection) return outcome;
      const changes = mayChange(route) && !request.handling.isDryRun;
      if (!changes && backup.logHead().position === before) return outcome;
      const refused = await server.confirmed();
      if (refused === null) this.#follower?.changed(res, request.auth);
      return refused ?? outcome;
    };
  }

  requestOf(req: IncomingMessage, res: ServerResponse): AuthRequest {
    return this.#request(req, res, this.authOf(req, res));
  }

  #bearerOf(req: IncomingMessage): Bearer | null {
    const { bearers, peers } = this.#parts;
    return bearers.admit(req, () => peers.of(req).ip);
  }

  /**
   * Whether a page of another site may have made the request. Routes with `none` need no token, because not every client can
   * fetch one, but a token that is present must be valid. The same holds for a GET that acts: clients send it without a
   * token.
   */
  #failsCsrf(req: IncomingMessage, route: Route, auth: AuthContext): boolean {
    if (isCrossSite(req, auth.peer)) return true;
    const expected = auth.browser.expectedToken;
    if ((route.auth === 'none' || route.method === 'GET') && !tokenOf(req)) return false;
    return expected === null || !tokenMatches(req, expected);
  }
}

/**
 * Whether a proxy in front may have parsed this request differently: two hosts, or a body whose length depends on an unknown
 * transfer coding (RFC 9112, 3.2 and 6.3).
 */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true;
  const isHost = (name: string, at: number): boolean => at % 2 === 0 && name.length === 4 && /^host$/i.test(name);
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}

/** 401 for scripts that identify themselves as such, else 404. */
function unauthenticated(req: Request, res: Response): void {
  if (req.headers['x-requested-with'] !== 'XMLHttpRequest') return notFound(res);
  sendMessage(res.status(401), false, message('SESSION_EXPIRED'));
}

/** The identity of a form: its fields, and the content of its file. */
function identityOf(form: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(form).map(([name, value]) => [name, value instanceof Upload ? value.digest : value]);
  return JSON.stringify(fields);
}

function validKey(key: string | string[] | undefined): boolean {
  return key === undefined || (typeof key === 'string' && /^[\x20-\x7e]{1,200}$/.test(key));
}
