import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';

/** Maximum time between two full handshakes with the same place. An expired certificate may go unnoticed for that long. */
const KEPT_MS = 600_000;
const MAX_SESSIONS = 512;

interface Kept {
  readonly session: Buffer;
  /** Counted from the full handshake that verified the certificate. */
  readonly until: number;
}

let context: SecureContext | null = null;

/** The default trust store and TLS settings, shared by all targets because creating them costs as much as a handshake. */
export function usualContext(): SecureContext {
  return (context ??= createSecureContext());
}

/**
 * TLS sessions of servers that are contacted repeatedly. A resumed session proves that the peer has the keys of the server
 * whose certificate was verified for the name, so neither is checked again: that is most of the cost of a handshake. `place`
 * identifies what was verified: the host, the port, and the address that is dialled.
 */
export class TlsSessions {
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_SESSIONS });

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** The session to resume; undefined = make a full handshake. */
  of(place: string): Buffer | undefined {
    const kept = this.#kept.get(place);
    return kept && this.#now() < kept.until ? kept.session : undefined;
  }

  /** Stores the sessions that the server sends over a good connection. */
  follow(place: string, socket: TLSSocket): void {
    // A session from a resumed connection expires with the original one. Otherwise the certificate would be verified only once.
    const until = socket.isSessionReused() ? this.#kept.get(place)?.until : this.#now() + KEPT_MS;
    if (until === undefined) return;
    socket.on('session', (session) => this.#kept.set(place, { session, until }));
  }

  /** Drops the session after a failed connection, which it may have caused. */
  forget(place: string): void {
    this.#kept.delete(place);
  }
}
