import type { Client } from '../../events/client/client-document.js';
import type { Counter } from '../../events/counters.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import { MOST_RESET_DAYS } from './credentials.js';

/**
 * The rule behind every cut: an expiry, then a cap over up plus down. 0 means none, and a negative expiry is a term that
 * has not begun. The expiry comes first because a clock that is set back would make it unknown.
 */
export function depletionOf(capBytes: number, expiresAt: number, used: Counter, now: number): Depletion | null {
  const usedBytes = used.up + used.down;
  if (expiresAt > 0 && expiresAt <= now) return { reason: 'expiry', expiresAt };
  return capBytes > 0 && usedBytes >= capBytes ? { reason: 'cap', usedBytes, capBytes } : null;
}

export function clientDepletion(client: Client, used: Counter, now: number): Depletion | null {
  return depletionOf(client.spec.capBytes, client.spec.expiresAt, used, now);
}

/** Whether the term of a client gives way to the next one when it is over. */
export function renewsItself({ spec: { renewalDays } }: Client): boolean {
  return renewalDays > 0 && renewalDays <= MOST_RESET_DAYS;
}

interface Judged {
  /** What was recorded. */
  readonly depletion: Depletion | null;
  readonly capBytes: number;
  readonly expiresAt: number;
}

/**
 * What is to be recorded after a change: the rule that shuts a client or an inbound out from here on, `restored` where none
 * does any more, null where what is recorded still holds. Nobody is let in while another rule holds.
 *
 * An expiry that was recorded holds until there is another one, whatever the clock says later; so it is recorded as soon as
 * it is reached, also of who is shut out by a cap. `afresh`: an admin switches it on, so that the clock counts again.
 */
export function verdictOn(judged: Judged, used: Counter, now: number, afresh = false): Depletion | 'restored' | null {
  const { depletion, capBytes, expiresAt } = judged;
  if (depletion?.reason === 'expiry' && depletion.expiresAt === expiresAt && !afresh) return null;
  const found = depletionOf(capBytes, expiresAt, used, now);
  if (found === null) return depletion ? 'restored' : null;
  return isSame(found, depletion) ? null : found;
}

/** Whether both name the same rule; a cap counts on beyond what was used when it was reached. */
function isSame(one: Depletion, other: Depletion | null): boolean {
  return one.reason === 'cap'
    ? other?.reason === 'cap' && one.capBytes === other.capBytes
    : other?.reason === 'expiry' && one.expiresAt === other.expiresAt;
}

/** By so much a clock may be set back without anything that its time had ended beginning again, in ms. */
const SET_BACK_MS = 60_000;

/** Whether a time that was recorded as come is still to come: the clock was ahead then. */
export function wasAhead(recorded: number, now: number): boolean {
  return recorded > now + SET_BACK_MS;
}
