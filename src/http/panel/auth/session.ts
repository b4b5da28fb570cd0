import { createHash, randomBytes } from 'node:crypto';
import type { Session, UserRow } from '../../../projections/models/users.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { SessionUse, SessionUses } from './session-uses.js';
import type { UnsavedSessions } from './unsaved.js';

/** A valid session, and the current state of its user. */
export interface LiveSession extends Session {
  /** SHA-256 of the id in the cookie, hex. */
  readonly idHash: string;
  readonly account: UserRow;
}

/** Default lifetime of a session without `sessionMaxAge`, in ms. */
const DAY_MS = 86_400_000;
/** Maximum lifetime of a session, whatever `sessionMaxAge` is. */
const MAX_SESSION_MS = 30 * DAY_MS;

/**
 * The sessions, recorded or not yet recorded. A browser that has not logged in has no record: its CSRF token is derived from
 * the id in its cookie. That needs no memory, survives a restart and cannot be exhausted.
 */
export class Sessions {
  readonly #read: ReadModels;
  readonly #unsaved: UnsavedSessions;
  readonly #now: () => number;
  readonly #uses: SessionUses;
  #latest = 0;

  constructor(read: ReadModels, unsaved: UnsavedSessions, uses: SessionUses, now: () => number) {
    this.#read = read;
    this.#unsaved = unsaved;
    this.#uses = uses;
    this.#now = now;
  }

  find(id: string | null): LiveSession | null {
    return id === null ? null : this.byHash(hashOf(id));
  }

  /** Null when the session has ended: by logout, expiry, changed credentials or a deleted user. */
  byHash(idHash: string): LiveSession | null {
    const { sessions, users } = this.#read.admins.users();
    if (this.#unsaved.hasEnded(idHash)) return null;
    const session = sessions.get(idHash) ?? this.#unsaved.find(idHash);
    if (!session || session.expiresAt <= this.#clock()) return null;
    // A shorter `sessionMaxAge` also applies to existing sessions.
    if (session.startedAt + this.#longest() <= this.#now()) return null;
    const account = users.get(session.user);
    return account && account.epoch === session.epoch ? { ...session, idHash, account } : null;
  }

  /** The sessions of a user that are valid now, the newest first. */
  ofUser(user: number): readonly LiveSession[] {
    const hashes = new Set([...this.#read.admins.users().sessions.keys(), ...this.#unsaved.begun.keys()]);
    return [...hashes]
      .map((idHash) => this.byHash(idHash))
      .filter((session) => session?.user === user)
      .filter((session) => session !== null)
      .sort((one, other) => other.startedAt - one.startedAt);
  }

  /** Notes that a session was used now. Without `ip`: its browser is still connected. */
  use(idHash: string, ip?: string): void {
    this.#uses.note(idHash, ip);
  }

  /** The last use of a session since the panel started; null = none. */
  lastUse(idHash: string): SessionUse | null {
    return this.#uses.of(idHash);
  }

  /** When a session that starts now expires, in ms. */
  expiry(): number {
    return this.#clock() + this.#longest();
  }

  /** The Max-Age in seconds of the cookie for a session that expires at `expiresAt`; null = until the browser closes. */
  maxAge(expiresAt: number): number | null {
    if (this.#read.settings.current().sessionMaxAge === 0) return null;
    return Math.max(0, Math.round((expiresAt - this.#clock()) / 1000));
  }

  #longest(): number {
    const minutes = this.#read.settings.current().sessionMaxAge;
    return minutes === 0 ? DAY_MS : Math.min(minutes * 60_000, MAX_SESSION_MS);
  }

  /** A time that never goes backwards: setting the clock back revives no session. */
  #clock(): number {
    this.#latest = Math.max(this.#latest, this.#now());
    return this.#latest;
  }
}

/** 256 random bits: a session id. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** The CSRF token of a session id without a record. The id cannot be derived from the token. */
export function anonymousToken(id: string): string {
  return createHash('sha256').update('csrf ').update(id).digest('base64url');
}
