import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';

/** From a whole handshake to the next one with the same place: so long a certificate that has run out may go unnoticed. */
const KEPT_MS = 600_000;
const MOST = 512;

interface Kept {
  readonly session: Buffer;
  /** On the clock; counted from the handshake in which the certificate was seen. */
  readonly until: number;
}

let context: SecureContext | null = null;

/** Whom the panel trusts and how it speaks TLS: the same for every target, and as dear to make as a handshake. */
export function usualContext(): SecureContext {
  return (context ??= createSecureContext());
}

/**
 * TLS sessions of servers that are contacted repeatedly. A resumed session proves that the peer has the keys of the server whose
 * certificate was verified for the name, so neither is checked again: that is most of what a handshake costs.
 *
 * `place` names all that was checked: the host, the port, and the address that it is dialled at.
 */
export class TlsSessions {
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, Kept>({ max: MOST });

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** The session to go on with; undefined for a whole handshake. */
  of(place: string): Buffer | undefined {
    const kept = this.#kept.get(place);
    return kept && this.#now() < kept.until ? kept.session : undefined;
  }

  /** Keeps what the server at the other end of a good connection gives for the next one. */
  follow(place: string, socket: TLSSocket): void {
    // A session that came out of another ends with it: else a certificate would be looked at once and never again.
    const until = socket.isSessionReused() ? this.#kept.get(place)?.until : this.#now() + KEPT_MS;
    if (until === undefined) return;
    socket.on('session', (session) => this.#kept.set(place, { session, until }));
  }

  /** For a server with which it came to nothing: it may have been the session. */
  forget(place: string): void {
    this.#kept.delete(place);
  }
}
