/** The rule of the panel: this many failed attempts within the window lock the login for the address and the name. */
const FAILURES = 5;
const WINDOW_MS = 5 * 60_000;
const LOCK_MS = 15 * 60_000;
const KEY = 'portolan-login-failures';

interface Failure {
  readonly at: number;
  readonly name: string;
}

export interface Lockout {
  /** Failed attempts in the window, this one included. */
  readonly failures: number;
  /** ms since 1970; null = not locked, as far as this browser knows. */
  readonly until: number | null;
}

/**
 * Counts a refused attempt of this tab. The panel answers a locked login as it answers a wrong password, so the page counts
 * by the same rule. Attempts of others at the same address can only lock earlier, so the lock ends at this time at the latest.
 */
export function countFailure(name: string, now: number): Lockout {
  const all = [...read(), { at: now, name: name.trim().toLowerCase() }].filter(({ at }) => at > now - LOCK_MS);
  sessionStorage.setItem(KEY, JSON.stringify(all));
  return lockoutOf(
    all.filter((one) => one.name === name.trim().toLowerCase()).map(({ at }) => at),
    now,
  );
}

/** The lock after failures at these times, the oldest first. */
export function lockoutOf(times: readonly number[], now: number): Lockout {
  let counted: number[] = [];
  let until: number | null = null;
  for (const at of times) {
    // An attempt during a lock is refused without a check and does not extend it.
    if (until !== null && at < until) continue;
    counted = [...counted.filter((one) => one >= at - WINDOW_MS), at];
    if (counted.length < FAILURES) continue;
    until = at + LOCK_MS;
    counted = [];
  }
  const isLocked = until !== null && until > now;
  return { failures: isLocked ? FAILURES : counted.length, until: isLocked ? until : null };
}

function read(): readonly Failure[] {
  try {
    const known: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(known) ? (known as readonly Failure[]) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
