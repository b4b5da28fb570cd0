/** Delay after this many failures in a row: doubles from `first` to `longest`. All in ms. */
export function backoffMs(failures: number, { first, longest }: { readonly first: number; readonly longest: number }) {
  return Math.min(longest, first * 2 ** Math.min(20, Math.max(0, failures - 1)));
}

const RETRY = { first: 1_000, longest: 300_000 };
/** The longest delay for a node that answers, and not as it should: it may recover at any time. */
const ANSWERING_MS = 60_000;
/** Between two tries, however much changes meanwhile. */
const MIN_DELAY_MS = 5_000;

/** A quarter more or less by chance, so that nodes that failed together do not come back together. */
const jittered = (ms: number, chance: number): number => ms * (0.75 + chance / 2);

/** When a node whose sync failed is tried again: after 1, 2, 4 … 300 s. */
export class SyncBackoff {
  readonly #now: () => number;
  readonly #chance: () => number;
  #tries = 0;
  #since = 0;
  #failedAt = 0;
  #until = 0;

  constructor(now: () => number, chance: () => number) {
    this.#now = now;
    this.#chance = chance;
  }

  /** How often it failed in a row, and since when: ms since 1970, 0 = it did not fail. */
  get failures(): { readonly tries: number; readonly since: number } {
    return { tries: this.#tries, since: this.#since };
  }

  /** ms until the next try. */
  remaining(): number {
    return Math.max(0, this.#until - this.#now());
  }

  failed(): void {
    if (this.#tries === 0) this.#since = this.#now();
    this.#tries += 1;
  }

  /** Before `failed`: the next try waits. `answers`: the node is reachable and does not answer as it should. */
  wait(answers: boolean): void {
    this.#failedAt = this.#now();
    const ms = jittered(backoffMs(this.#tries + 1, RETRY), this.#chance());
    this.#until = this.#failedAt + Math.min(ms, answers ? ANSWERING_MS : RETRY.longest);
  }

  succeeded(): void {
    this.#tries = 0;
    this.#since = 0;
    this.#until = 0;
  }

  /** There is something new to try, so the current delay ends early. Delays still grow with each failure. */
  shortenBackoff(): void {
    this.#until = Math.min(this.#until, this.#failedAt + MIN_DELAY_MS);
  }

  reset(): void {
    this.#until = 0;
    this.#tries = Math.min(this.#tries, 1);
  }
}

interface Refused {
  readonly digest: string;
  /** How often this state was sent in a row without being refused. */
  readonly sent: number;
  readonly tries: number;
  readonly until: number;
}

interface Repaired {
  readonly times: number;
  readonly at: number;
  readonly until: number;
}

/** Repairs in a row that are made at once. */
const REPAIRS_WITHOUT_DELAY = 5;
const REPAIR = { first: 15_000, longest: 300_000 };
/** An inbound without a repair for so long starts at zero, in ms. */
const NO_REPAIR_MS = 900_000;

/**
 * When each inbound of a node is sent again. One that was refused waits 1, 2, 4 … 300 s, unless its desired state changes.
 * One that was in sync and is changed repeatedly on the node is repaired at most every 300 s.
 */
export class InboundBackoff<K> {
  readonly #now: () => number;
  readonly #chance: () => number;
  readonly #refused = new Map<K, Refused>();
  readonly #repaired = new Map<K, Repaired>();

  constructor(now: () => number, chance: () => number) {
    this.#now = now;
    this.#chance = chance;
  }

  /** Counts that a state is sent, and returns how often that happened in a row. */
  sent(key: K, digest: string): number {
    const before = this.#of(key, digest);
    this.#refused.set(key, { ...before, sent: before.sent + 1 });
    return before.sent + 1;
  }

  refused(key: K, digest: string): void {
    const tries = this.#of(key, digest).tries + 1;
    const until = this.#now() + jittered(backoffMs(tries, RETRY), this.#chance());
    this.#refused.set(key, { digest, sent: 0, tries, until });
  }

  done(key: K): void {
    this.#refused.delete(key);
  }

  isWaiting(key: K, digest: string): boolean {
    return this.#of(key, digest).until > this.#now();
  }

  /** Until when an inbound waits, ms since 1970; 0 = it does not. */
  until(key: K): number {
    const repair = this.isRepairedTooOften(key) ? (this.#repaired.get(key)?.until ?? 0) : 0;
    return Math.max(this.#refused.get(key)?.until ?? 0, repair);
  }

  /** Refused inbounds are sent again in the next round. Their delays still grow if they are refused again. */
  retryRefused(): void {
    for (const [key, one] of this.#refused) this.#refused.set(key, { ...one, until: 0 });
  }

  isRepairedTooOften(key: K): boolean {
    const known = this.#repaired.get(key);
    return known !== undefined && known.times >= REPAIRS_WITHOUT_DELAY && known.until > this.#now();
  }

  repaired(key: K): void {
    const now = this.#now();
    const known = this.#repaired.get(key);
    const times = known && now - known.at < NO_REPAIR_MS ? known.times + 1 : 1;
    this.#repaired.set(key, { times, at: now, until: now + backoffMs(times - REPAIRS_WITHOUT_DELAY + 1, REPAIR) });
  }

  reset(): void {
    this.#refused.clear();
    this.#repaired.clear();
  }

  #of(key: K, digest: string): Refused {
    const known = this.#refused.get(key);
    return known?.digest === digest ? known : { digest, sent: 0, tries: 0, until: 0 };
  }
}
