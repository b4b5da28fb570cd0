import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandContext } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import type { Rejection } from '../../../commands/rejection.js';
import type { Evidence } from '../../../commands/user/second-factors.js';
import type { UsedPasskey } from '../../../commands/user/user.js';
import type { UserId } from '../../../events/ids.js';
import type { UserRow } from '../../../projections/models/users.js';
import { type CookieHeader, readSessionCookie, writeSessionCookie } from './cookie.js';
import { tokenMatches } from './csrf.js';
import { anonymousToken, hashOf, type LiveSession, newSessionId, type Sessions } from './session.js';
import type { SessionUse } from './session-uses.js';
import type { UnsavedSessions } from './unsaved.js';

/** Makes the command that starts a session. */
type SessionCommand = (
  data: Extract<AnyCommand, { type: 'RenewSession' }>['data'],
) => Extract<AnyCommand, { type: 'RecordLogin' | 'RenewSession' }>;

type Shown = Evidence & { readonly passkey?: UsedPasskey };

export interface BrowserSessionParts {
  readonly sessions: Sessions;
  readonly unsaved: UnsavedSessions;
  readonly basePath: () => string;
}

/** Where a request comes from, as far as its session depends on it. */
interface Origin {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Whether the connection of the browser is encrypted. */
  readonly secure: boolean;
  readonly context: (kind: 'user', id: string, name: string) => CommandContext;
}

/** The session of the browser that sent a request: how to start, continue and end it, and its cookie and CSRF token. */
export class BrowserSession {
  /** The valid session of the cookie; null = none. */
  readonly current: LiveSession | null;
  readonly #origin: Origin;
  readonly #parts: BrowserSessionParts;
  readonly #cookie: CookieHeader;

  constructor(origin: Origin, parts: BrowserSessionParts) {
    this.#origin = origin;
    this.#parts = parts;
    this.#cookie = readSessionCookie(origin.req.headers.cookie);
    this.current = parts.sessions.find(this.#cookie.id);
  }

  /** The CSRF token that this browser must send; null when it has no session id. */
  get expectedToken(): string | null {
    if (this.current) return this.current.csrfToken;
    return this.#cookie.id === null ? null : anonymousToken(this.#cookie.id);
  }

  /** The CSRF token for this browser. Sets the cookie each time: clients that see no cookie do not send the token. */
  csrfToken(): string {
    const id = this.#cookie.id ?? newSessionId();
    const expiresAt = this.current?.expiresAt ?? this.#parts.sessions.expiry();
    this.#setCookie(id, expiresAt);
    return this.expectedToken ?? anonymousToken(id);
  }

  /**
   * Starts a session with a new id and ends the previous one. `shown`: what the login showed besides the password, or
   * instead of it. `LOGIN_WRONG` when a code is required and is missing, wrong or was used before.
   */
  start(user: Pick<UserRow, 'id' | 'username'>, shown: Shown): Rejection | null {
    return this.#start(user, (data) => ({ type: 'RecordLogin', data: { ...data, ...shown } }));
  }

  /** Continues under a new id, after the caller made a change that ended all sessions of its user. */
  renew(user: Pick<UserRow, 'id' | 'username'>): Rejection | null {
    return this.#start(user, (data) => ({ type: 'RenewSession', data }));
  }

  /** The valid sessions of a user, the newest first, each with its last use since the panel started. */
  allOf(user: number): readonly (LiveSession & { readonly lastUse: SessionUse | null })[] {
    const { sessions } = this.#parts;
    return sessions.ofUser(user).map((session) => ({ ...session, lastUse: sessions.lastUse(session.idHash) }));
  }

  /** A CSRF token that the request carries stays valid, because clients fetch it once, before the login. */
  #start({ id: user, username }: Pick<UserRow, 'id' | 'username'>, command: SessionCommand): Rejection | null {
    const { sessions, unsaved } = this.#parts;
    const { req, context } = this.#origin;
    const id = newSessionId();
    const expected = this.expectedToken;
    const csrfToken = expected !== null && tokenMatches(req, expected) ? expected : anonymousToken(id);
    const expiresAt = sessions.expiry();
    const session = { idHash: hashOf(id), csrfToken, device: deviceOf(req) };
    const data = { user: user as UserId, session, expiresAt };
    const refused = unsaved.begin(command(data), context('user', String(user), username));
    if (refused) return refused;
    if (this.current && sessions.byHash(this.current.idHash)) this.end();
    this.#setCookie(id, expiresAt);
    return null;
  }

  /** Ends a session in the log: by default that of the caller. */
  end(ended = this.current): Rejection | null {
    if (!ended) return null;
    const { user, idHash, account } = ended;
    const data = { user: user as UserId, session: { idHash } };
    const context = this.#origin.context('user', String(user), account.username);
    return this.#parts.unsaved.end({ type: 'RecordLogout', data }, context);
  }

  /** Removes the cookie from the browser. */
  clearCookie(): void {
    const { res, secure } = this.#origin;
    writeSessionCookie(res, '', { path: this.#parts.basePath(), secure, maxAge: 0 }, true);
  }

  #setCookie(id: string, expiresAt: number): void {
    const { basePath, sessions } = this.#parts;
    const { res, secure } = this.#origin;
    const attributes = { path: basePath(), secure, maxAge: sessions.maxAge(expiresAt) };
    writeSessionCookie(res, id, attributes, this.#cookie.ambiguous);
  }
}

const MAX_DEVICE_CHARS = 200;

/** The user agent of the caller, cut and without control characters. */
function deviceOf({ headers }: IncomingMessage): string {
  return (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, '\ufffd').slice(0, MAX_DEVICE_CHARS);
}
