import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatch, Done } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import type { TwoFactorProof } from '../../../commands/ports/two-factor.js';
import type { Rejection } from '../../../commands/rejection.js';
import type { UserId } from '../../../events/ids.js';
import type { UserRow } from '../../../projections/users.js';
import type { HttpRequest } from '../context.js';
import { holdsToken } from './bearer.js';
import { type CookieHeader, readSessionCookie, writeSessionCookie } from './cookie.js';
import { rightToken } from './csrf.js';
import type { FailureReason, FailureRecords, Failures } from './failure-records.js';
import type { LoginLimiter } from './limiter.js';
import type { Peer } from './peer.js';
import { anonymousToken, hashOf, type LiveSession, newSessionId, type Sessions } from './session.js';
import type { UnsavedSessions } from './unsaved.js';

/** The command by which a session begins. */
type Entering = (
  data: Extract<AnyCommand, { type: 'RenewSession' }>['data'],
) => Extract<AnyCommand, { type: 'RecordLogin' | 'RenewSession' }>;

/** What a visit needs of the server it comes to. */
export interface VisitParts {
  readonly sessions: Sessions;
  readonly unsaved: UnsavedSessions;
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly basePath: () => string;
  readonly dispatch: Dispatch;
  readonly apiToken: () => string | null;
}

/** A request for the handlers that begin and end sessions. */
export interface AuthRequest extends HttpRequest {
  readonly visit: Visit;
}

/** One request as a visit of a browser: who it is from, its session, and how to begin and end one. */
export class Visit {
  readonly peer: Peer;
  readonly correlationId: string;
  readonly session: LiveSession | null;
  /** Path and query as they came, with the base path. */
  readonly url: string;
  readonly limiter: LoginLimiter;
  /** The guard let it in by the API token, whatever cookie came along. */
  byToken = false;
  /** The body as it came, for the fingerprint of the request. */
  body: Buffer | null = null;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parts: VisitParts;
  readonly #cookie: CookieHeader;

  constructor(req: IncomingMessage, res: ServerResponse, peer: Peer, correlationId: string, parts: VisitParts) {
    this.peer = peer;
    this.correlationId = correlationId;
    this.limiter = parts.limiter;
    this.url = req.url ?? '';
    this.#req = req;
    this.#res = res;
    this.#parts = parts;
    this.#cookie = readSessionCookie(req.headers.cookie);
    this.session = parts.sessions.find(this.#cookie.id);
  }

  /** The CSRF token that this browser must send; null when it holds no id to bind one to. */
  get expectedToken(): string | null {
    if (this.session) return this.session.csrfToken;
    return this.#cookie.id === null ? null : anonymousToken(this.#cookie.id);
  }

  /** Whether who was let in would still be: a request that lasts asks again. */
  get lives(): boolean {
    const { sessions, apiToken } = this.#parts;
    if (this.byToken) return holdsToken(this.#req, apiToken());
    return this.session !== null && sessions.byHash(this.session.idHash) !== null;
  }

  /** The browser's CSRF token. The cookie is set each time: a client that sees no cookie skips the token. */
  csrfToken(): string {
    const id = this.#cookie.id ?? newSessionId();
    const expiresAt = this.session?.expiresAt ?? this.#parts.sessions.expiry();
    this.#setCookie(id, expiresAt);
    return this.expectedToken ?? anonymousToken(id);
  }

  /**
   * Logs in: a session under a new id, and the end of the one before. `proof` is the right code that came with it.
   * `LOGIN_WRONG` when a code is needed and this is none, or one that was used.
   */
  begin(user: Pick<UserRow, 'id' | 'username'>, proof: TwoFactorProof | null): Rejection | null {
    return this.#enter(user, (data) => ({ type: 'RecordLogin', data: proof ? { ...data, proof } : data }));
  }

  /** Goes on under a new id, after a change by this caller that ended its session with all others. */
  renew(user: Pick<UserRow, 'id' | 'username'>): Rejection | null {
    return this.#enter(user, (data) => ({ type: 'RenewSession', data }));
  }

  /**
   * A CSRF token that the request has proved to know goes on being valid, because clients fetch it once, before the
   * login.
   */
  #enter({ id: user, username }: Pick<UserRow, 'id' | 'username'>, command: Entering): Rejection | null {
    const { sessions, unsaved } = this.#parts;
    const id = newSessionId();
    const expected = this.expectedToken;
    const csrfToken = expected !== null && rightToken(this.#req, expected) ? expected : anonymousToken(id);
    const expiresAt = sessions.expiry();
    const session = { idHash: hashOf(id), csrfToken };
    const data = { user: user as UserId, session, expiresAt };
    const refused = unsaved.begin(command(data), this.#context('user', String(user), username));
    if (refused) return refused;
    if (this.session && sessions.byHash(this.session.idHash)) this.end();
    this.#setCookie(id, expiresAt);
    return null;
  }

  /** Ends the session in the log. */
  end(): Rejection | null {
    if (!this.session) return null;
    const { user, idHash, account } = this.session;
    const data = { user: user as UserId, session: { idHash } };
    const context = this.#context('user', String(user), account.username);
    return this.#parts.unsaved.end({ type: 'RecordLogout', data }, context);
  }

  /** Keeps another hash of the same password. When it cannot be kept, the one before goes on being good. */
  upgradeHash({ id, username, passwordHash: from }: UserRow, passwordHash: string): void {
    const data = { user: id as UserId, from, passwordHash };
    this.#dispatch({ type: 'UpgradePasswordHash', data }, 'user', String(id), username);
  }

  /** Keeps a failed login in the log, or counts it. The answer does not depend on whether that worked. */
  failed(username: string, reason: FailureReason): void {
    const failure = { ip: this.peer.ip, username, reason };
    if (this.#parts.failures.mayRecord(failure))
      this.#dispatch(loginFailure({ ...failure, count: 1 }), 'system', 'login', 'login');
  }

  /** Takes the cookie from the browser. */
  forget(): void {
    const path = this.#parts.basePath();
    writeSessionCookie(this.#res, '', { path, secure: this.peer.secure, maxAge: 0 }, true);
  }

  /** Outside the request's `Idempotency-Key`: a session cannot be given out twice. */
  #dispatch(command: AnyCommand, kind: 'user' | 'system', id: string, name: string): Done | Rejection {
    return this.#parts.dispatch(command, this.#context(kind, id, name));
  }

  #context(kind: 'user' | 'system', id: string, name: string) {
    return { actor: { kind, id, name, ip: this.peer.ip }, correlationId: this.correlationId };
  }

  #setCookie(id: string, expiresAt: number): void {
    const attributes = {
      path: this.#parts.basePath(),
      secure: this.peer.secure,
      maxAge: this.#parts.sessions.maxAge(expiresAt),
    };
    writeSessionCookie(this.#res, id, attributes, this.#cookie.ambiguous);
  }
}

/** Failed logins as the log keeps them: the name is cut, and never the password. */
export function loginFailure({ ip, username, reason, count }: Failures): AnyCommand {
  const shown = username.replace(/\p{Cc}/gu, '\ufffd').slice(0, 64);
  return { type: 'RecordLoginFailures', data: { attempt: { username: shown, ip }, reason, count } };
}
