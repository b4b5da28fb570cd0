import { emailKey } from '../../../events/client/client-document.js';
import type { IpBlock } from '../../../events/ip-limit-document.js';
import { addressKey } from '../../../lib/net/address-key.js';
import type { OnlineUser } from '../../ports/core.js';
import { pauseOf, type SeenAddress } from '../../traffic/ip-limit.js';

/** The addresses from which an email is connected. */
export interface ConnectedEmail extends Pick<OnlineUser, 'ips'> {
  readonly email: string;
}

interface Visit {
  since: number;
  /** When the core last listed it, ms. */
  seen: number;
}
type Visits = Map<string, Visit>;

interface BlockedEmail {
  readonly email: string;
  readonly block: IpBlock;
}

/** An email that has blocked addresses or exceeds its limit, so that a decision may be needed. */
export interface Candidate {
  readonly email: string;
  readonly addresses: ReadonlyMap<string, Readonly<Visit>>;
  /** The blocks of its clients. */
  readonly blocks: readonly IpBlock[];
}

interface AddressRules {
  /** The smallest IP limit of the clients with an email; 0 = none. */
  readonly limitOf: (email: string) => number;
  readonly graceMs: () => number;
  /** Interval at which a block is recorded again, in ms. */
  readonly renewAfterMs: () => number;
}

const none: ReadonlyMap<string, Visit> = new Map();
/** Cached spellings of addresses. */
const MAX_KEYS = 100_000;

/** Tracks since when each email with a limit is connected from which addresses. Times are in ms. */
export class AddressWatch {
  readonly #terms: AddressRules;
  /** By email in lower case, then by `addressKey`. */
  readonly #visits = new Map<string, Visits>();
  /** The key of each IPv6 address by its spelling: every poll has the same ones, and parsing is slow. */
  readonly #keys = new Map<string, string | null>();
  #at = 0;
  #started = false;

  constructor(terms: AddressRules) {
    this.#terms = terms;
  }

  /**
   * Takes the connections of a poll, each email once, and returns the emails that may need a decision. A visit ends when its
   * address was away for longer than a pause.
   */
  observe(users: readonly ConnectedEmail[], blocked: readonly BlockedEmail[], at: number): readonly Candidate[] {
    this.#at = at;
    const exceeding: (readonly [string, Visits])[] = [];
    for (const { email, ips } of users) {
      const limit = this.#terms.limitOf(email);
      if (limit === 0) continue;
      const key = emailKey(email);
      const visits = this.#visitsOf(key);
      for (const { ip, at: opened } of ips) {
        const address = this.#keyOf(ip);
        if (address !== null) recordVisit(visits, address, Math.min(opened, at), at);
      }
      if (visits.size > limit) exceeding.push([key, visits]);
    }
    // An address that was allowed before this process started may be between two connections.
    for (const { email, block } of this.#started ? [] : blocked) {
      const visits = this.#visitsOf(emailKey(email));
      if (visits.size === 0) for (const address of block.allowed) recordVisit(visits, address, block.at, at);
    }
    this.#started = true;
    this.#removeGone(at);
    return this.#candidates(exceeding, blocked, at);
  }

  #candidates(
    exceeding: readonly (readonly [string, Visits])[],
    blocked: readonly BlockedEmail[],
    at: number,
  ): readonly Candidate[] {
    const grace = this.#terms.graceMs();
    const blocks = new Map<string, IpBlock[]>();
    for (const { email, block } of blocked) {
      const key = emailKey(email);
      const others = blocks.get(key);
      if (others) others.push(block);
      else blocks.set(key, [block]);
    }
    const candidates = [...blocks].map(
      ([email, all]): Candidate => ({ email, addresses: this.#visits.get(email) ?? none, blocks: all }),
    );
    for (const [email, visits] of exceeding) {
      if (blocks.has(email)) continue;
      let long = 0;
      for (const { since, seen } of visits.values()) if (seen === at && at - since >= grace) long += 1;
      if (long > this.#terms.limitOf(email)) candidates.push({ email, addresses: visits, blocks: [] });
    }
    return candidates;
  }

  #visitsOf(key: string): Visits {
    const known = this.#visits.get(key);
    if (known) return known;
    const visits: Visits = new Map();
    this.#visits.set(key, visits);
    return visits;
  }

  #keyOf(ip: string): string | null {
    // An IPv4 address is parsed faster than it is looked up.
    if (!ip.includes(':')) return addressKey(ip);
    const known = this.#keys.get(ip);
    if (known !== undefined) return known;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    const key = addressKey(ip);
    this.#keys.set(ip, key);
    return key;
  }

  #removeGone(at: number): void {
    const pause = pauseOf(this.#terms.graceMs());
    for (const [email, visits] of this.#visits) {
      for (const [address, { seen }] of visits) if (at - seen > pause) visits.delete(address);
      if (visits.size === 0) this.#visits.delete(email);
    }
  }

  /**
   * The data for the decision on each candidate whose blocks may have to change. An address that is listed but idle is
   * about to leave.
   */
  undecided(
    candidates: readonly Candidate[],
    silence: (email: string, address: string) => number | null,
  ): readonly { readonly email: string; readonly addresses: readonly SeenAddress[] }[] {
    const at = this.#at;
    const brief = pauseOf(this.#terms.graceMs() / 2);
    const renewAfter = this.#terms.renewAfterMs();
    return candidates.flatMap(({ email, addresses, blocks }) => {
      const seen = [...addresses].map(([address, visit]): SeenAddress => {
        const known = silence(email, address);
        const silent = known ?? 0;
        const here = visit.seen === at && silent < brief;
        return { address, since: visit.since, seen: visit.seen - silent, here, silenceUnknown: known === null };
      });
      const settled =
        blocks.length > 0 && blocks.every((block) => at - block.at < renewAfter && isSettled(block, seen));
      return settled ? [] : [{ email, addresses: seen }];
    });
  }

  /** Whether an address was connected at the last poll. */
  isListed(email: string, address: string): boolean {
    return this.#visits.get(emailKey(email))?.get(address)?.seen === this.#at;
  }

  /** Restarts the grace period of an email: its addresses count as connected from now, in the order in which they came. */
  renew(email: string, at: number): void {
    const visits = [...(this.#visits.get(emailKey(email))?.values() ?? [])];
    for (const [n, visit] of visits.sort((a, b) => a.since - b.since).entries()) visit.since = at + n;
  }
}

function recordVisit(visits: Visits, address: string, since: number, at: number): void {
  const visit = visits.get(address);
  if (visit) visit.seen = at;
  else visits.set(address, { since, seen: at });
}

/** Whether the connected addresses are exactly those that the block allows, apart from the blocked ones. */
function isSettled({ allowed, blocked }: IpBlock, seen: readonly SeenAddress[]): boolean {
  let here = 0;
  for (const one of seen) {
    if (allowed.includes(one.address)) here += one.here ? 1 : 0;
    else if (!blocked.includes(one.address)) return false;
  }
  return here === allowed.length;
}
