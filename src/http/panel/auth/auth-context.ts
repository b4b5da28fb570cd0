import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandContext, Dispatch, Done } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import type { Rejection } from '../../../commands/rejection.js';
import { type Access, FULL_ACCESS } from '../../../events/access/access-of.js';
import type { Token } from '../../../events/access/token-document.js';
import type { UserId } from '../../../events/ids.js';
import type { Actor } from '../../../events/log/event.js';
import { type Permission, permissionName } from '../../../lib/permissions.js';
import type { UserRow } from '../../../projections/users.js';
import type { HttpRequest } from '../context.js';
import { actorOf, type Bearer, type Bearers } from './bearer.js';
import { BrowserSession, type BrowserSessionParts } from './browser-session.js';
import type { Challenges } from './challenges.js';
import type { FailureReason, FailureRecords, Failures } from './failure-records.js';
import type { LoginLimiter } from './limiter.js';
import type { Peer } from './peer.js';
import type { LiveSession } from './session.js';
import type { TokenUse } from './token-uses.js';

/** What `AuthContext` needs of its server. */
export interface AuthContextParts extends BrowserSessionParts {
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly dispatch: Dispatch;
  readonly bearers: Bearers;
  readonly challenges: Challenges;
  /** What an admin may do. */
  readonly accessOf: (admin: number) => Access;
}

interface Received {
  /** The path and query, including the base path. */
  readonly url: string;
  body: Buffer | null;
}

/** A request for handlers that start and end sessions. */
export interface AuthRequest extends HttpRequest {
  readonly auth: AuthContext;
}

/** The authentication of one request: its origin, its session or token, and the record of a failed login. */
export class AuthContext {
  readonly peer: Peer;
  readonly correlationId: string;
  readonly browser: BrowserSession;
  readonly limiter: LoginLimiter;
  /** Challenges for passkeys. */
  readonly challenges: Challenges;
  /** The token that authenticated the request, whose cookie is then ignored. */
  bearer: Bearer | null = null;
  /** What the matched route needs; null before that, and for routes that every client may call. */
  permission: Permission | null = null;
  /** What was received, for the fingerprint of the request. */
  readonly received: Received;
  readonly #req: IncomingMessage;
  readonly #parts: AuthContextParts;

  constructor(req: IncomingMessage, res: ServerResponse, peer: Peer, correlationId: string, parts: AuthContextParts) {
    this.peer = peer;
    this.correlationId = correlationId;
    this.limiter = parts.limiter;
    this.challenges = parts.challenges;
    this.received = { url: req.url ?? '', body: null };
    this.#req = req;
    this.#parts = parts;
    const context = this.#context.bind(this);
    this.browser = new BrowserSession({ req, res, secure: peer.secure, context }, parts);
    if (this.session) parts.sessions.use(this.session.idHash, peer.ip);
  }

  get session(): LiveSession | null {
    return this.browser.current;
  }

  get byToken(): boolean {
    return this.bearer !== null;
  }

  /** The caller, for the log. */
  get actor(): Actor {
    const { ip } = this.peer;
    if (this.bearer !== null) return actorOf(this.bearer, ip);
    if (!this.session) return { kind: 'system', id: 'anonymous', name: 'anonymous', ip };
    const { id, username } = this.session.account;
    return { kind: 'user', id: String(id), name: username, ip, role: this.#parts.accessOf(id).role };
  }

  /** The last use of an access token; null = none. */
  lastUse(token: Token): TokenUse | null {
    return this.#parts.bearers.uses.last(token);
  }

  /** What the caller may do now. */
  get access(): Access {
    if (this.bearer !== null) return this.#parts.bearers.accessOf(this.bearer);
    return this.session === null ? FULL_ACCESS : this.#parts.accessOf(this.session.account.id);
  }

  /** Whether the request would still be authenticated and permitted now. Long-running requests check this again. */
  get isStillValid(): boolean {
    const { sessions, bearers } = this.#parts;
    if (this.permission !== null && this.access.scopeOf(permissionName(this.permission)) === null) return false;
    if (this.bearer !== null) return bearers.of(this.#req, () => this.peer.ip) !== null;
    return this.session !== null && sessions.byHash(this.session.idHash) !== null;
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

  /** Without the request's `Idempotency-Key`: a session cannot be issued twice. */
  #dispatch(command: AnyCommand, kind: 'user' | 'system', id: string, name: string): Done | Rejection {
    return this.#parts.dispatch(command, this.#context(kind, id, name));
  }

  #context(kind: 'user' | 'system', id: string, name: string): CommandContext {
    const role = kind === 'user' ? { role: this.#parts.accessOf(Number(id)).role } : {};
    return { actor: { kind, id, name, ip: this.peer.ip, ...role }, correlationId: this.correlationId };
  }
}

/** The command that records failed logins: the name is cut, and the password is never included. */
export function loginFailure({ ip, username, reason, count }: Failures): AnyCommand {
  const shown = username.replace(/\p{Cc}/gu, '\ufffd').slice(0, 64);
  return { type: 'RecordLoginFailures', data: { attempt: { username: shown, ip }, reason, count } };
}
