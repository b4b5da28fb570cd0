import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandContext } from '../../../commands/bus.js';
import { type Access, FULL_ACCESS } from '../../../events/access/access-of.js';
import type { Token } from '../../../events/access/token-document.js';
import type { Actor } from '../../../events/log/event.js';
import { type Permission, permissionName } from '../../../lib/permissions.js';
import type { HttpRequest } from '../context.js';
import { actorOf, type Bearer, type Bearers } from './bearer.js';
import { BrowserSession, type BrowserSessionParts } from './browser-session.js';
import { LoginAttempts, type LoginAttemptsParts } from './login-attempts.js';
import type { Peer } from './peer.js';
import type { LiveSession } from './session.js';
import type { TokenUse } from './token-uses.js';

/** What `AuthContext` needs of its server. */
export interface AuthContextParts extends BrowserSessionParts, LoginAttemptsParts {
  readonly bearers: Bearers;
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

/** The authentication of one request: its origin, its session or token, and its attempts to log in. */
export class AuthContext {
  readonly peer: Peer;
  readonly correlationId: string;
  readonly browser: BrowserSession;
  readonly attempts: LoginAttempts;
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
    this.received = { url: req.url ?? '', body: null };
    this.#req = req;
    this.#parts = parts;
    const context = this.#context.bind(this);
    this.attempts = new LoginAttempts(parts, peer.ip, context);
    this.browser = new BrowserSession({ req, res, secure: peer.secure, context }, parts);
    if (this.session) parts.sessions.use(this.session.idHash, peer.ip);
  }

  get session(): LiveSession | null {
    return this.browser.current;
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

  #context(kind: 'user' | 'system', id: string, name: string): CommandContext {
    const role = kind === 'user' ? { role: this.#parts.accessOf(Number(id)).role } : {};
    return { actor: { kind, id, name, ip: this.peer.ip, ...role }, correlationId: this.correlationId };
  }
}
