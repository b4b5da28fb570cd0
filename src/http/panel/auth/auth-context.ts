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
import { tokenMatches } from './csrf.js';
import type { FailureReason, FailureRecords, Failures } from './failure-records.js';
import type { LoginLimiter } from './limiter.js';
import type { Peer } from './peer.js';
import { anonymousToken, hashOf, type LiveSession, newSessionId, type Sessions, type SessionUse } from './session.js';
import type { UnsavedSessions } from './unsaved.js';

/** Makes the command that starts a session. */
type SessionCommand = (
  data: Extract<AnyCommand, { type: 'RenewSession' }>['data'],
) => Extract<AnyCommand, { type: 'RecordLogin' | 'RenewSession' }>;

/** What `AuthContext` needs of its server. */
export interface AuthContextParts {
  readonly sessions: Sessions;
  readonly unsaved: UnsavedSessions;
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly basePath: () => string;
  readonly dispatch: Dispatch;
  readonly apiToken: () => string | null;
}

/** A request for handlers that start and end sessions. */
export interface AuthRequest extends HttpRequest {
  readonly auth: AuthContext;
}

/** The authentication of one request: its origin, its session, and how to start and end one. */
export class AuthContext {
  readonly peer: Peer;
  readonly correlationId: string;
  readonly session: LiveSession | null;
  /** The path and query as received, including the base path. */
  readonly url: string;
  readonly limiter: LoginLimiter;
  /** The request was authenticated by the API token; its cookie is ignored. */
  byToken = false;
  /** The body as received, for the fingerprint of the request. */
  body: Buffer | null = null;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #parts: AuthContextParts;
  readonly #cookie: CookieHeader;

  constructor(req: IncomingMessage, res: ServerResponse, peer: Peer, correlationId: string, parts: AuthContextParts) {
    this.peer = peer;
    this.correlationId = correlationId;
    this.limiter = parts.limiter;
    this.url = req.url ?? '';
    this.#req = req;
    this.#res = res;
    this.#parts = parts;
    this.#cookie = readSessionCookie(req.headers.cookie);
    this.session = parts.sessions.find(this.#cookie.id);
    if (this.session) parts.sessions.use(this.session.idHash, peer.ip);
  }

  /** The CSRF token that this browser must send; null when it has no session id. */
  get expectedToken(): string | null {
    if (this.session) return this.session.csrfToken;
    return this.#cookie.id === null ? null : anonymousToken(this.#cookie.id);
  }

  /** Whether the request would still be authenticated now. Long-running requests check this again. */
  get isStillValid(): boolean {
    const { sessions, apiToken } = this.#parts;
    if (this.byToken) return holdsToken(this.#req, apiToken());
    return this.session !== null && sessions.byHash(this.session.idHash) !== null;
  }

  /** The CSRF token for this browser. Sets the cookie each time: clients that see no cookie do not send the token. */
  csrfToken(): string {
    const id = this.#cookie.id ?? newSessionId();
    const expiresAt = this.session?.expiresAt ?? this.#parts.sessions.expiry();
    this.#setCookie(id, expiresAt);
    return this.expectedToken ?? anonymousToken(id);
  }

  /**
   * Starts a session with a new id and ends the previous one. `proof` is the valid code of this login. `LOGIN_WRONG` when a
   * code is required and is missing or was used before.
   */
  startSession(user: Pick<UserRow, 'id' | 'username'>, proof: TwoFactorProof | null): Rejection | null {
    return this.#start(user, (data) => ({ type: 'RecordLogin', data: proof ? { ...data, proof } : data }));
  }

  /** The valid sessions of a user, the newest first, each with its last use since the panel started. */
  sessionsOf(user: number): readonly (LiveSession & { readonly lastUse: SessionUse | null })[] {
    const { sessions } = this.#parts;
    return sessions.ofUser(user).map((session) => ({ ...session, lastUse: sessions.lastUse(session.idHash) }));
  }

  /** Continues under a new id, after the caller made a change that ended all sessions of its user. */
  renewSession(user: Pick<UserRow, 'id' | 'username'>): Rejection | null {
    return this.#start(user, (data) => ({ type: 'RenewSession', data }));
  }

  /** A CSRF token that the request carries stays valid, because clients fetch it once, before the login. */
  #start({ id: user, username }: Pick<UserRow, 'id' | 'username'>, command: SessionCommand): Rejection | null {
    const { sessions, unsaved } = this.#parts;
    const id = newSessionId();
    const expected = this.expectedToken;
    const csrfToken = expected !== null && tokenMatches(this.#req, expected) ? expected : anonymousToken(id);
    const expiresAt = sessions.expiry();
    const session = { idHash: hashOf(id), csrfToken, device: deviceOf(this.#req) };
    const data = { user: user as UserId, session, expiresAt };
    const refused = unsaved.begin(command(data), this.#context('user', String(user), username));
    if (refused) return refused;
    if (this.session && sessions.byHash(this.session.idHash)) this.endSession();
    this.#setCookie(id, expiresAt);
    return null;
  }

  /** Ends a session in the log: by default that of the caller. */
  endSession(ended = this.session): Rejection | null {
    if (!ended) return null;
    const { user, idHash, account } = ended;
    const data = { user: user as UserId, session: { idHash } };
    const context = this.#context('user', String(user), account.username);
    return this.#parts.unsaved.end({ type: 'RecordLogout', data }, context);
  }

  /** Stores another hash of the same password. If that fails, the old hash stays in use. */
  upgradeHash({ id, username, passwordHash: from }: UserRow, passwordHash: string): void {
    const data = { user: id as UserId, from, passwordHash };
    this.#dispatch({ type: 'UpgradePasswordHash', data }, 'user', String(id), username);
  }

  /** Records a failed login, or counts it. The answer does not depend on whether that worked. */
  recordFailure(username: string, reason: FailureReason): void {
    const failure = { ip: this.peer.ip, username, reason };
    if (this.#parts.failures.mayRecord(failure))
      this.#dispatch(loginFailure({ ...failure, count: 1 }), 'system', 'login', 'login');
  }

  /** Removes the cookie from the browser. */
  clearCookie(): void {
    const path = this.#parts.basePath();
    writeSessionCookie(this.#res, '', { path, secure: this.peer.secure, maxAge: 0 }, true);
  }

  /** Without the request's `Idempotency-Key`: a session cannot be issued twice. */
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

const MAX_DEVICE_CHARS = 200;

/** The user agent of the caller, cut and without control characters. */
function deviceOf({ headers }: IncomingMessage): string {
  return (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, '\ufffd').slice(0, MAX_DEVICE_CHARS);
}

/** The command that records failed logins: the name is cut, and the password is never included. */
export function loginFailure({ ip, username, reason, count }: Failures): AnyCommand {
  const shown = username.replace(/\p{Cc}/gu, '\ufffd').slice(0, 64);
  return { type: 'RecordLoginFailures', data: { attempt: { username: shown, ip }, reason, count } };
}
