import type { LRUCache } from 'lru-cache';
import { composed } from '../../../lib/identifiers.js';
import { lruOf } from '../../../lib/lru.js';
import { network } from './peer.js';

const WINDOW_MS = 5 * 60_000;
const LOCK_MS = 15 * 60_000;
const MAX_FAILURES_PER_NAME = 5;
const MAX_FAILURES_PER_ADDRESS = 30;
/** Attempts that are being checked or wait for a check, over all callers. More would only make everyone wait longer. */
const MAX_PARALLEL = 64;
/** Addresses and names to remember. The least recently used are dropped first. */
const MAX_REMEMBERED = 20_000;
/** Attempts that wait for the outcome of others: in total, and for one address. */
const MAX_WAITING = 128;
const MAX_WAITING_PER_ADDRESS = 64;

interface Tally {
  /** Times of the failures in the window. */
  readonly failures: number[];
  /** Attempts whose outcome is not known yet. */
  underWay: number;
  waiting: number;
  lockedUntil: number;
}

/** An attempt that was admitted. Call exactly one of the two when its outcome is known. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
}

/**
 * Slows down password guessing. 5 failures in 5 minutes of one address with one name, or 30 of one address, lock for 15
 * minutes. A name is never locked for all addresses. An attempt counts as failed from its start, so a burst gains nothing.
 */
export class LoginLimiter {
  readonly #now: () => number;
  readonly #names = lruOf<string, Tally>(MAX_REMEMBERED);
  readonly #addresses = lruOf<string, Tally>(MAX_REMEMBERED);
  readonly #refused: (ip: string, username: string) => void;
  #underWay = 0;
  #wakers: (() => void)[] = [];

  /** Calls `refused` for each attempt that is refused without a check. */
  constructor(now: () => number, refused: (ip: string, username: string) => void) {
    this.#now = now;
    this.#refused = refused;
  }

  /**
   * Like `begin`, but waits when only attempts with an unknown outcome keep the caller above the limit: many valid logins at
   * once are not guesses.
   */
  async enter(ip: string, username: string): Promise<Attempt | 'locked' | 'busy'> {
    const from = network(ip);
    const name = recordOf(this.#names, `${from} ${composed(username.toLowerCase())}`);
    const address = recordOf(this.#addresses, from);
    const mayWait = (): boolean =>
      this.#wakers.length < MAX_WAITING &&
      address.waiting < MAX_WAITING_PER_ADDRESS &&
      !isOver(name, MAX_FAILURES_PER_NAME, this.#now()) &&
      !isOver(address, MAX_FAILURES_PER_ADDRESS, this.#now());
    while (!(isOpen(name, MAX_FAILURES_PER_NAME) && isOpen(address, MAX_FAILURES_PER_ADDRESS)) && mayWait()) {
      address.waiting += 1;
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
      address.waiting -= 1;
    }
    return this.begin(ip, username);
  }

  /**
   * `locked` after too many failures, `busy` while too many attempts are under way. In both cases the attempt must be
   * refused without a check.
   */
  begin(ip: string, username: string): Attempt | 'locked' | 'busy' {
    const now = this.#now();
    const from = network(ip);
    const key = `${from} ${composed(username.toLowerCase())}`;
    const name = recordOf(this.#names, key);
    const address = recordOf(this.#addresses, from);
    const over = isOver(name, MAX_FAILURES_PER_NAME, now) || isOver(address, MAX_FAILURES_PER_ADDRESS, now);
    const open = isOpen(name, MAX_FAILURES_PER_NAME) && isOpen(address, MAX_FAILURES_PER_ADDRESS);
    if (over || !open || this.#underWay >= MAX_PARALLEL) {
      this.#refused(ip, username);
      return over ? 'locked' : 'busy';
    }
    for (const tally of [name, address]) tally.underWay += 1;
    this.#underWay += 1;
    const ended = (): void => {
      for (const tally of [name, address]) tally.underWay -= 1;
      this.#underWay -= 1;
      for (const wake of this.#wakers.splice(0)) wake();
    };
    return {
      succeeded: () => {
        name.failures.length = 0;
        ended();
      },
      failed: () => {
        count(name, MAX_FAILURES_PER_NAME, now, this.#now());
        count(address, MAX_FAILURES_PER_ADDRESS, now, this.#now());
        ended();
      },
    };
  }

  /** The number of remembered names and addresses. */
  get size(): number {
    return this.#names.size + this.#addresses.size;
  }
}

function recordOf(records: LRUCache<string, Tally>, key: string): Tally {
  const known = records.get(key);
  if (known) return known;
  const made = { failures: [], underWay: 0, waiting: 0, lockedUntil: 0 };
  records.set(key, made);
  return made;
}

/** Whether the failures alone reach the limit, regardless of the attempts under way. */
function isOver(record: Tally, limit: number, now: number): boolean {
  if (record.lockedUntil > now) return true;
  while ((record.failures[0] ?? now) < now - WINDOW_MS) record.failures.shift();
  return record.failures.length >= limit;
}

/** Whether one more attempt stays within the limit, even if all that are under way fail. */
function isOpen(record: Tally, limit: number): boolean {
  return record.failures.length + record.underWay < limit;
}

/** Counts a failure. At the limit it locks and resets the count. */
function count(record: Tally, limit: number, at: number, now: number): void {
  record.failures.push(at);
  if (record.failures.length < limit || record.lockedUntil > now) return;
  record.lockedUntil = now + LOCK_MS;
  record.failures.length = 0;
}
