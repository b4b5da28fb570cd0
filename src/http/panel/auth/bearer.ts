import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { sameSecret } from './equal.js';
import { network } from './peer.js';

const BEARER = /^bearer ([\x21-\x7e]+)$/i;
/** Wrong tokens per minute of one address: more than a program with an outdated token sends, fewer than guessing needs. */
const MAX_WRONG_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const LOCK_MS = 15 * 60_000;
/** Addresses to remember. The least recently used are dropped first. */
const MAX_REMEMBERED = 20_000;

interface Wrong {
  readonly since: number;
  readonly count: number;
  readonly lockedUntil: number;
}

/** Admits requests with the API token. An address that guesses is blocked for 15 minutes; other addresses are not affected. */
export class Bearers {
  readonly #now: () => number;
  readonly #wrong = new LRUCache<string, Wrong>({ max: MAX_REMEMBERED });
  /** Requests that were counted already: one request may be checked several times. */
  readonly #counted = new WeakSet<IncomingMessage>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the request carries the API token. `ip` is called only when needed. */
  admits(req: IncomingMessage, token: string | null, ip: () => string): boolean {
    if (req.headers.authorization === undefined || token === null) return false;
    if (this.#wrong.size > 0 && (this.#wrong.get(network(ip()))?.lockedUntil ?? 0) > this.#now()) return false;
    if (holdsToken(req, token)) return true;
    if (BEARER.test(req.headers.authorization) && !this.#counted.has(req)) {
      this.#counted.add(req);
      this.#count(network(ip()));
    }
    return false;
  }

  #count(from: string): void {
    const now = this.#now();
    const known = this.#wrong.get(from);
    const wrong = known && now - known.since < MINUTE_MS ? known : { since: now, count: 0, lockedUntil: 0 };
    const count = wrong.count + 1;
    this.#wrong.set(from, { ...wrong, count, lockedUntil: count >= MAX_WRONG_PER_MINUTE ? now + LOCK_MS : 0 });
  }
}

/** Whether the request carries the API token: one Authorization header, scheme Bearer, one space. */
export function holdsToken(req: IncomingMessage, token: string | null): boolean {
  const header = req.headers.authorization;
  if (header === undefined || token === null || token === '') return false;
  // `headers` keeps only the first of several; the raw list shows whether there were more.
  const count = req.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  const given = BEARER.exec(header)?.[1];
  return count === 1 && given !== undefined && sameSecret(given, token);
}
