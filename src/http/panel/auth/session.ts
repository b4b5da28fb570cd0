import { createHash, randomBytes } from 'node:crypto';
import type { ReadModels } from '../../../projections/read-models.js';
import type { Session, UserRow } from '../../../projections/users.js';
import type { UnsavedSessions } from './unsaved.js';

/** A session that may act now, and the user as it is now. */
export interface LiveSession extends Session {
  /** SHA-256 of the id in the cookie, hex. */
  readonly idHash: string;
  readonly account: UserRow;
}

/** How long a session without `sessionMaxAge` lasts, in ms. */
const DAY_MS = 86_400_000;
/** What no session outlives, whatever `sessionMaxAge` says. */
const LONGEST_MS = 30 * DAY_MS;

/**
 * The sessions, as the log has them or will have them. A browser that has not logged in has no record: its CSRF token is derived from the
 * id in its cookie, which needs no memory, survives a restart and cannot be filled up.
 */
export class Sessions {
  readonly #read: ReadModels;
  readonly #unsaved: UnsavedSessions;
  readonly #now: () => number;
  #latest = 0;

  constructor(read: ReadModels, unsaved: UnsavedSessions, now: () => number) {
    this.#read = read;
    this.#unsaved = unsaved;
    this.#now = now;
  }

  find(id: string | null): LiveSession | null {
    return id === null ? null : this.byHash(hashOf(id));
  }

  /** Null when it has ended, whatever ended it: logout, time, new credentials, a user that is gone. */
  byHash(idHash: string): LiveSession | null {
    const { sessions, users } = this.#read.users();
    if (this.#unsaved.hasEnded(idHash)) return null;
    const session = sessions.get(idHash) ?? this.#unsaved.find(idHash);
    if (!session || session.expiresAt <= this.#clock()) return null;
    // A `sessionMaxAge` that was made shorter counts for the sessions that there are.
    if (session.startedAt + this.#longest() <= this.#now()) return null;
    const account = users.get(session.user);
    return account && account.epoch === session.epoch ? { ...session, idHash, account } : null;
  }

  /** When a session that begins now ends, in ms. */
  expiry(): number {
    return this.#clock() + this.#longest();
  }

  /** Seconds for the cookie of a session that ends at `expiresAt`; null when it ends with the browser. */
  maxAge(expiresAt: number): number | null {
    if (this.#read.settings.current().sessionMaxAge === 0) return null;
    return Math.max(0, Math.round((expiresAt - this.#clock()) / 1000));
  }

  #longest(): number {
    const minutes = this.#read.settings.current().sessionMaxAge;
    return minutes === 0 ? DAY_MS : Math.min(minutes * 60_000, LONGEST_MS);
  }

  /** Time that never goes back: a clock that is set back revives nothing. */
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

/** The CSRF token of a session id that no record knows. Who has the token does not learn the id. */
export function anonymousToken(id: string): string {
  return createHash('sha256').update('csrf ').update(id).digest('base64url');
}
