import { lruOf } from '../../../lib/lru.js';

/** The last request of a session. */
export interface SessionUse {
  /** In ms since 1970. */
  readonly at: number;
  readonly ip: string;
}

/** Sessions whose last use is remembered. */
const MAX_USED = 5000;

/** The last use of each session since this process started. In memory only: an event for each request would fill the log. */
export class SessionUses {
  readonly #now: () => number;
  readonly #used = lruOf<string, SessionUse>(MAX_USED);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes that a session was used now; `idHash`: SHA-256 of its id, hex. Without `ip`: its browser is still connected. */
  note(idHash: string, ip = this.of(idHash)?.ip): void {
    if (ip !== undefined) this.#used.set(idHash, { at: this.#now(), ip });
  }

  /** Null = none. */
  of(idHash: string): SessionUse | null {
    return this.#used.peek(idHash) ?? null;
  }
}
