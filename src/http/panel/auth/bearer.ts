import type { IncomingMessage } from 'node:http';
import type { RecordCommand } from '../../../commands/ports/cluster.js';
import { type Access, API_TOKEN, accessOfToken, FULL_ACCESS } from '../../../events/access/access-of.js';
import { type Token, tokenOf } from '../../../events/access/token-document.js';
import type { Actor } from '../../../events/log/event.js';
import { lruOf } from '../../../lib/lru.js';
import { Networks } from '../../../lib/net/networks.js';
import { hashOfSecret, TOKEN_PREFIX } from '../../../lib/secrets/token-secret.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { sameSecret } from './equal.js';
import { network } from './peer.js';
import { TokenUses } from './token-uses.js';

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

/** What a request is authenticated by: the API token, or an access token. */
export type Bearer = 'api' | Token;

interface Parts {
  readonly read: Pick<ReadModels, 'admins' | 'settings'>;
  readonly now: () => number;
  readonly record: RecordCommand;
}

/** Admits requests with a token. An address that guesses is blocked for 15 minutes; other addresses are not affected. */
export class Bearers {
  readonly uses: TokenUses;
  readonly #parts: Parts;
  readonly #wrong = lruOf<string, Wrong>(MAX_REMEMBERED);
  /** Requests that were counted already: one request may be checked several times. */
  readonly #counted = new WeakSet<IncomingMessage>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.uses = new TokenUses(parts.now, parts.record);
  }

  /** The valid token of a request. `ip` is called only when needed. Counts wrong tokens, and the use of an access token. */
  admit(req: IncomingMessage, ip: () => string): Bearer | null {
    if (req.headers.authorization === undefined) return null;
    const { now } = this.#parts;
    if (this.#wrong.size > 0 && (this.#wrong.get(network(ip()))?.lockedUntil ?? 0) > now()) return null;
    const bearer = this.of(req, ip);
    if (bearer === null) this.#countWrong(req, ip);
    else if (bearer !== 'api') this.uses.add(bearer, actorOf(bearer, ip()), req);
    return bearer;
  }

  /** The same without counting. */
  of(req: IncomingMessage, ip: () => string): Bearer | null {
    const secret = secretOf(req);
    if (secret === null) return null;
    const { read, now } = this.#parts;
    const { apiToken } = read.admins.users();
    const isApi = apiToken !== null && apiToken !== '' && sameSecret(secret, apiToken);
    if (isApi) return read.settings.current().apiTokenEnable ? 'api' : null;
    if (!secret.startsWith(TOKEN_PREFIX)) return null;
    const token = tokenOf(read.admins.access(), hashOfSecret(secret), now());
    return token && isAllowed(token, ip()) ? token : null;
  }

  /** What the holder of a token may do now. */
  accessOf(bearer: Bearer): Access {
    if (bearer === 'api') return FULL_ACCESS;
    const state = this.#parts.read.admins.access();
    return accessOfToken(state, state.tokens.get(bearer.id) ?? bearer);
  }

  /** A token that was revoked, has expired or is used from another network is known: it is not a guess. */
  #countWrong(req: IncomingMessage, ip: () => string): void {
    const secret = secretOf(req);
    const { secrets } = this.#parts.read.admins.access();
    if (secret === null || this.#counted.has(req)) return;
    if (secret.startsWith(TOKEN_PREFIX) && secrets.has(hashOfSecret(secret))) return;
    this.#counted.add(req);
    this.#count(network(ip()));
  }

  #count(from: string): void {
    const now = this.#parts.now();
    const known = this.#wrong.get(from);
    const wrong = known && now - known.since < MINUTE_MS ? known : { since: now, count: 0, lockedUntil: 0 };
    const count = wrong.count + 1;
    this.#wrong.set(from, { ...wrong, count, lockedUntil: count >= MAX_WRONG_PER_MINUTE ? now + LOCK_MS : 0 });
  }
}

/** The holder of a token, for the log. */
export function actorOf(bearer: Bearer, ip: string): Actor {
  if (bearer === 'api') return { kind: 'token', id: API_TOKEN, name: 'API token', ip, role: FULL_ACCESS.role };
  const { id, name, role, admin } = bearer;
  return { kind: 'token', id: String(id), name, ip, role, ...(admin === null ? {} : { admin: String(admin) }) };
}

/** The secret of a request: one Authorization header, scheme Bearer, one space. Null without one. */
function secretOf(req: IncomingMessage): string | null {
  const secret = BEARER.exec(req.headers.authorization ?? '')?.[1];
  if (secret === undefined) return null;
  // `headers` keeps only the first of several; the raw list shows whether there were more.
  const count = req.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  return count === 1 ? secret : null;
}

const networks = new WeakMap<Token, Networks>();

function isAllowed(token: Token, ip: string): boolean {
  if (token.addresses.length === 0) return true;
  const known = networks.get(token) ?? new Networks(token.addresses);
  networks.set(token, known);
  return ip !== '' && known.holds(ip);
}
