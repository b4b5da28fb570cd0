import type { Client } from '../../events/client/client-document.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import type { Counter } from '../../events/traffic/counters.js';
import { MAX_RESET_DAYS } from './credentials.js';

/**
 * The limit that is reached: the expiry, or the cap of up plus down. 0 means none, and a negative expiry is a period that has
 * not started. The expiry has precedence, because it could not be detected after the clock is set back.
 */
export function depletionOf(capBytes: number, expiresAt: number, used: Counter, now: number): Depletion | null {
  const usedBytes = used.up + used.down;
  if (expiresAt > 0 && expiresAt <= now) return { reason: 'expiry', expiresAt };
  return capBytes > 0 && usedBytes >= capBytes ? { reason: 'cap', usedBytes, capBytes } : null;
}

export function clientDepletion(client: Client, used: Counter, now: number): Depletion | null {
  return depletionOf(client.spec.capBytes, client.spec.expiresAt, used, now);
}

/** Whether the client is renewed automatically when it expires. */
export function renewsItself({ spec: { renewalDays } }: Client): boolean {
  return renewalDays > 0 && renewalDays <= MAX_RESET_DAYS;
}

/**
 * When a client must be judged because time has passed, in ms; null = never. That is its expiry, until it is recorded, and at
 * once if the recorded depletion has other limits than the client, as in the logs of early releases.
 */
export function nextDue(client: Client): number | null {
  const { depletion, spec } = client;
  const isExpired = depletion?.reason === 'expiry' && depletion.expiresAt === spec.expiresAt;
  const isUsedUp = depletion?.reason === 'cap' && depletion.capBytes === spec.capBytes;
  if (depletion && !isExpired && !isUsedUp) return 0;
  if (spec.expiresAt <= 0) return null;
  return isExpired && !renewsItself(client) ? null : spec.expiresAt;
}

interface Limited {
  /** The recorded depletion. */
  readonly depletion: Depletion | null;
  readonly capBytes: number;
  readonly expiresAt: number;
}

/**
 * What to record for a client or an inbound: the limit that is reached, `restored` if none is reached any more, or null if
 * the recorded depletion is still right.
 *
 * A recorded expiry stays in effect until the expiry is changed, even if the clock is set back. So it is recorded as soon as
 * it is reached, also for a client that reached its cap before. `reevaluate`: an admin enables it, so the clock decides again.
 */
export function depletionChange(
  limited: Limited,
  used: Counter,
  now: number,
  reevaluate = false,
): Depletion | 'restored' | null {
  const { depletion, capBytes, expiresAt } = limited;
  if (depletion?.reason === 'expiry' && depletion.expiresAt === expiresAt && !reevaluate) return null;
  const found = depletionOf(capBytes, expiresAt, used, now);
  if (found === null) return depletion ? 'restored' : null;
  return isSame(found, depletion) ? null : found;
}

/** Whether both are the same limit. The used bytes may differ, because counting continues after a cap is reached. */
function isSame(one: Depletion, other: Depletion | null): boolean {
  return one.reason === 'cap'
    ? other?.reason === 'cap' && one.capBytes === other.capBytes
    : other?.reason === 'expiry' && one.expiresAt === other.expiresAt;
}

/** A clock may be set back by this time, in ms, without effect on periods. */
const SET_BACK_MS = 60_000;

/** Whether a recorded time is in the future, because the clock was ahead then. */
export function wasAhead(recorded: number, now: number): boolean {
  return recorded > now + SET_BACK_MS;
}
