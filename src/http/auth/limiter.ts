import { LRUCache } from 'lru-cache';
import { network } from './peer.js';

const WINDOW_MS = 5 * 60_000;
const LOCK_MS = 15 * 60_000;
const FAILURES_OF_NAME = 5;
const FAILURES_OF_ADDRESS = 30;
/** Attempts whose password is being checked, over all callers: more would only wait longer. */
const AT_ONCE = 64;
/** Addresses and names that are remembered; the longest untouched are forgotten first. */
const REMEMBERED = 20_000;
/** Refused callers that are told apart between two reports. */
const REPORTED = 100;

interface Tally {
  /** Times of the failures in the window, and of attempts under way. */
  readonly failures: number[];
  lockedUntil: number;
}

/** Refusals of one caller since the last report. */
export interface Refusals {
  readonly ip: string;
  readonly username: string;
  readonly count: number;
}

/** An attempt that was let through: exactly one of the two is called when its outcome is known. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
}

/**
 * Slows down guessing: 5 failures in 5 minutes of one address with one name, or 30 of one address, lock for 15 minutes.
 * No name is ever locked for everybody. An attempt counts as failed from its start, so a burst gains nothing.
 */
export class LoginLimiter {
  readonly #now: () => number;
  readonly #names = new LRUCache<string, Tally>({ max: REMEMBERED });
  readonly #addresses = new LRUCache<string, Tally>({ max: REMEMBERED });
  readonly #refused = new Map<string, { ip: string; username: string; count: number }>();
  #underWay = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Null when the attempt must be refused unseen; the refusal is counted. */
  begin(ip: string, username: string): Attempt | null {
    const now = this.#now();
    const from = network(ip);
    const key = `${from} ${username.toLowerCase()}`;
    const name = recordOf(this.#names, key);
    const address = recordOf(this.#addresses, from);
    const open = isOpen(name, FAILURES_OF_NAME, now) && isOpen(address, FAILURES_OF_ADDRESS, now);
    if (!open || this.#underWay >= AT_ONCE) {
      this.#refuse(ip, username);
      return null;
    }
    name.failures.push(now);
    address.failures.push(now);
    this.#underWay += 1;
    return {
      succeeded: () => {
        this.#underWay -= 1;
        this.#names.delete(key);
        forget(address, now);
      },
      failed: () => {
        this.#underWay -= 1;
        lock(name, FAILURES_OF_NAME, this.#now());
        lock(address, FAILURES_OF_ADDRESS, this.#now());
      },
    };
  }

  /** What was refused since the last call; beyond a hundred callers the rest is one sum without a name. */
  takeRefusals(): readonly Refusals[] {
    const refused = [...this.#refused.values()];
    this.#refused.clear();
    return refused;
  }

  #refuse(ip: string, username: string): void {
    const known = this.#refused.get(ip);
    const full = !known && this.#refused.size >= REPORTED;
    const entry = known ??
      (full ? this.#refused.get('') : undefined) ?? { ip: full ? '' : ip, username: full ? '' : username, count: 0 };
    entry.count += 1;
    this.#refused.set(entry.ip, entry);
  }
}

function recordOf(records: LRUCache<string, Tally>, key: string): Tally {
  const known = records.get(key);
  if (known) return known;
  const made = { failures: [], lockedUntil: 0 };
  records.set(key, made);
  return made;
}

function isOpen(record: Tally, limit: number, now: number): boolean {
  if (record.lockedUntil > now) return false;
  while ((record.failures[0] ?? now) < now - WINDOW_MS) record.failures.shift();
  return record.failures.length < limit;
}

function forget({ failures }: Tally, at: number): void {
  const index = failures.indexOf(at);
  if (index >= 0) failures.splice(index, 1);
}

/** Locks at the limit and begins to count anew. */
function lock(record: Tally, limit: number, now: number): void {
  if (record.failures.length < limit || record.lockedUntil > now) return;
  record.lockedUntil = now + LOCK_MS;
  record.failures.length = 0;
}
