import type { LoginFailed } from '../../../events/user.js';

export type FailureReason = Parameters<typeof LoginFailed>[0]['reason'];

const MINUTE_MS = 60_000;
/** Failures per minute that are recorded individually, over all callers. */
const MAX_INDIVIDUAL = 5;
/** Callers per minute whose failures are recorded as a separate sum. */
const MAX_REPORTED = 4;
/** Callers that are counted separately before a report, to find those with the most failures. */
const MAX_COUNTED = 200;

/** Failures of one caller with one reason. `ip` and `username` are empty for the sum of all others. */
export interface Failures {
  readonly ip: string;
  readonly username: string;
  readonly reason: FailureReason;
  readonly count: number;
}

/**
 * Limits the events of failed logins: at most five a minute as they happen, and one report a minute of at most seven sums.
 * However many networks and names an attacker uses, the log grows by a few megabytes a day.
 */
export class FailureRecords {
  readonly #now: () => number;
  #minute = 0;
  #recorded = 0;
  #sums = new Map<string, Failures>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether this failure may be recorded individually. If not, it is counted for the next report. */
  mayRecord(failure: Omit<Failures, 'count'>): boolean {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#recorded] = [minute, 0];
    if (this.#recorded >= MAX_INDIVIDUAL) {
      this.add(failure);
      return false;
    }
    this.#recorded += 1;
    return true;
  }

  /** Counts a failure for the next report. */
  add({ ip, username, reason }: Omit<Failures, 'count'>): void {
    const key = `${reason} ${ip}`;
    const room = this.#sums.has(key) || this.#sums.size < MAX_COUNTED;
    const sum = room ? { ip, username, reason } : { ip: '', username: '', reason };
    this.#put(this.#sums, { ...sum, count: 1 });
  }

  /** What was counted since the last call: the callers with the most failures, and one sum for each reason for the rest. */
  drain(): readonly Failures[] {
    const most = [...this.#sums.values()].sort((a, b) => b.count - a.count).filter(({ ip }) => ip !== '');
    const reported = new Set(most.slice(0, MAX_REPORTED));
    const rest = new Map<string, Failures>();
    for (const sum of this.#sums.values()) if (!reported.has(sum)) this.#put(rest, { ...sum, ip: '', username: '' });
    this.#sums = new Map();
    return [...reported, ...rest.values()];
  }

  #put(sums: Map<string, Failures>, { count, ...failure }: Failures): void {
    const key = `${failure.reason} ${failure.ip}`;
    const known = sums.get(key) ?? { ...failure, count: 0 };
    sums.set(key, { ...known, count: known.count + count });
  }
}
