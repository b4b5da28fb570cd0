import { emailKey } from '../../../events/client/client-document.js';
import type { IpBlock } from '../../../events/ip-limit-document.js';
import { addressKey } from '../../../lib/net/address-key.js';
import type { OnlineUser } from '../../ports/core.js';
import { pauseOf, type SeenAddress } from '../../traffic/ip-limit.js';

/** Where one email is connected from. */
export interface OnlinePerson extends Pick<OnlineUser, 'ips'> {
  readonly email: string;
}

interface Visit {
  since: number;
  /** When the core last listed it, ms. */
  seen: number;
}
type Visits = Map<string, Visit>;

interface Known {
  readonly email: string;
  readonly hold: IpBlock;
}

/** An email with too many addresses, or with some that are held back. */
export interface Suspect {
  readonly email: string;
  readonly addresses: ReadonlyMap<string, Readonly<Visit>>;
  /** What is held back of its clients. */
  readonly holds: readonly IpBlock[];
}

interface Terms {
  /** The smallest limit of addresses that an email has; 0 = none. */
  readonly limitOf: (email: string) => number;
  readonly graceMs: () => number;
  /** After how long a hold is said again, ms. */
  readonly restateMs: () => number;
}

const none: ReadonlyMap<string, Visit> = new Map();
/** Spellings of addresses that are remembered. */
const MOST_KEYS = 100_000;

/** Since when who is connected from where: of emails that have a limit only. Times in ms. */
export class AddressWatch {
  readonly #terms: Terms;
  /** By email in lower case, then by `addressKey`. */
  readonly #visits = new Map<string, Visits>();
  /** What counts as one address, by spelling, of what has to be parsed for that: the same come in every poll. */
  readonly #keys = new Map<string, string | null>();
  #at = 0;
  #begun = false;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /**
   * Takes in what the core lists in a poll, each email once, and tells whom a decision could concern. A visit ends when its address was away
   * for longer than a pause.
   */
  see(users: readonly OnlinePerson[], held: readonly Known[], at: number): readonly Suspect[] {
    this.#at = at;
    const crowds: (readonly [string, Visits])[] = [];
    for (const { email, ips } of users) {
      const limit = this.#terms.limitOf(email);
      if (limit === 0) continue;
      const key = emailKey(email);
      const visits = this.#visitsOf(key);
      for (const { ip, at: opened } of ips) {
        const address = this.#keyOf(ip);
        if (address !== null) enter(visits, address, Math.min(opened, at), at);
      }
      if (visits.size > limit) crowds.push([key, visits]);
    }
    // What was kept before this process began may be between two connections.
    for (const { email, hold } of this.#begun ? [] : held) {
      const visits = this.#visitsOf(emailKey(email));
      if (visits.size === 0) for (const address of hold.allowed) enter(visits, address, hold.at, at);
    }
    this.#begun = true;
    this.#leave(at);
    return this.#suspects(crowds, held, at);
  }

  #suspects(crowds: readonly (readonly [string, Visits])[], held: readonly Known[], at: number): readonly Suspect[] {
    const grace = this.#terms.graceMs();
    const holds = new Map<string, IpBlock[]>();
    for (const { email, hold } of held) {
      const key = emailKey(email);
      const others = holds.get(key);
      if (others) others.push(hold);
      else holds.set(key, [hold]);
    }
    const suspects = [...holds].map(
      ([email, all]): Suspect => ({ email, addresses: this.#visits.get(email) ?? none, holds: all }),
    );
    for (const [email, visits] of crowds) {
      if (holds.has(email)) continue;
      let long = 0;
      for (const { since, seen } of visits.values()) if (seen === at && at - since >= grace) long += 1;
      if (long > this.#terms.limitOf(email)) suspects.push({ email, addresses: visits, holds: [] });
    }
    return suspects;
  }

  #visitsOf(key: string): Visits {
    const known = this.#visits.get(key);
    if (known) return known;
    const visits: Visits = new Map();
    this.#visits.set(key, visits);
    return visits;
  }

  #keyOf(ip: string): string | null {
    // What is no IPv6 address is told apart faster than it is found here.
    if (!ip.includes(':')) return addressKey(ip);
    const known = this.#keys.get(ip);
    if (known !== undefined) return known;
    if (this.#keys.size >= MOST_KEYS) this.#keys.clear();
    const key = addressKey(ip);
    this.#keys.set(ip, key);
    return key;
  }

  #leave(at: number): void {
    const pause = pauseOf(this.#terms.graceMs());
    for (const [email, visits] of this.#visits) {
      for (const [address, { seen }] of visits) if (at - seen > pause) visits.delete(address);
      if (visits.size === 0) this.#visits.delete(email);
    }
  }

  /** What a decision is made on, of those for whom it may be another one. A listed address that is silent is on its way out. */
  judged(
    suspects: readonly Suspect[],
    silence: (email: string, address: string) => number | null,
  ): readonly { readonly email: string; readonly addresses: readonly SeenAddress[] }[] {
    const at = this.#at;
    const brief = pauseOf(this.#terms.graceMs() / 2);
    const restate = this.#terms.restateMs();
    return suspects.flatMap(({ email, addresses, holds }) => {
      const seen = [...addresses].map(([address, visit]): SeenAddress => {
        const known = silence(email, address);
        const silent = known ?? 0;
        const here = visit.seen === at && silent < brief;
        return { address, since: visit.since, seen: visit.seen - silent, here, unheard: known === null };
      });
      const settled = holds.length > 0 && holds.every((hold) => at - hold.at < restate && isSettled(hold, seen));
      return settled ? [] : [{ email, addresses: seen }];
    });
  }

  /** Whether an address was connected at the last poll. */
  isListed(email: string, address: string): boolean {
    return this.#visits.get(emailKey(email))?.get(address)?.seen === this.#at;
  }

  /** As if all of its addresses had come now, in the order in which they came. */
  renew(email: string, at: number): void {
    const visits = [...(this.#visits.get(emailKey(email))?.values() ?? [])];
    for (const [n, visit] of visits.sort((a, b) => a.since - b.since).entries()) visit.since = at + n;
  }
}

function enter(visits: Visits, address: string, since: number, at: number): void {
  const visit = visits.get(address);
  if (visit) visit.seen = at;
  else visits.set(address, { since, seen: at });
}

/** All that are kept are here, and nobody is but they and those that are held back. */
function isSettled({ allowed, blocked }: IpBlock, seen: readonly SeenAddress[]): boolean {
  let here = 0;
  for (const one of seen) {
    if (allowed.includes(one.address)) here += one.here ? 1 : 0;
    else if (!blocked.includes(one.address)) return false;
  }
  return here === allowed.length;
}
