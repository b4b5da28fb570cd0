/** The limits of the panel: this many failed attempts within the window lock the login. */
const FAILURES = { name: 5, address: 30 } as const;
const WINDOW_MS = 5 * 60_000;
const LOCK_MS = 15 * 60_000;
const KEY = 'portolan-login-failures';

export interface Failure {
  /** In ms since 1970. */
  readonly at: number;
  /** Null: the name logged in since, so that only the limit of the address counts the failure. */
  readonly name: string | null;
}

/** One name at the address of this browser, or all names at it. */
type Limit = keyof typeof FAILURES;

export interface Lockout {
  /** Failed attempts with the name in the window, this one included. */
  readonly failures: number;
  /** What is locked until when, in ms since 1970; null = nothing, as far as this browser knows. */
  readonly lock: { readonly limit: Limit; readonly until: number } | null;
}

const known = (name: string): string => name.trim().toLowerCase();

/**
 * Counts a refused attempt of this tab. The panel answers a locked login as it answers a wrong password, so the page counts
 * by the same rules. Attempts of others at the same address can only lock earlier, so the lock ends at this time at the latest.
 */
export function countFailure(name: string, now: number): Lockout {
  const all = [...read(), { at: now, name: known(name) }].filter(({ at }) => at > now - LOCK_MS - WINDOW_MS);
  sessionStorage.setItem(KEY, JSON.stringify(all));
  return lockoutOf(all, known(name), now);
}

/** A login ends the count of its name. */
export function countSuccess(name: string): void {
  const all = read().map((one) => (one.name === known(name) ? { ...one, name: null } : one));
  sessionStorage.setItem(KEY, JSON.stringify(all));
}

/** The lock for a name after these failures, the oldest first. */
export function lockoutOf(failures: readonly Failure[], name: string, now: number): Lockout {
  const names = new Map<string | null, Tally>();
  const address = new Tally(FAILURES.address);
  const tallyOf = (of: string | null): Tally => {
    const tally = names.get(of) ?? new Tally(of === null ? Number.POSITIVE_INFINITY : FAILURES.name);
    names.set(of, tally);
    return tally;
  };
  for (const { at, name: tried } of failures) {
    const tally = tallyOf(tried);
    // An attempt during a lock is refused without a check and does not extend it.
    if (at < Math.max(tally.until, address.until)) continue;
    tally.count(at);
    address.count(at);
  }
  const own = tallyOf(name);
  const limit = address.until > own.until ? 'address' : 'name';
  const until = Math.max(address.until, own.until);
  return until > now
    ? { failures: FAILURES.name, lock: { limit, until } }
    : { failures: own.failures.length, lock: null };
}

class Tally {
  failures: readonly number[] = [];
  until = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  count(at: number): void {
    this.failures = [...this.failures.filter((one) => one >= at - WINDOW_MS), at];
    if (this.failures.length < this.#limit) return;
    this.until = at + LOCK_MS;
    this.failures = [];
  }
}

function read(): readonly Failure[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as readonly Failure[]) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
