import type { Client } from '../events/client-document.js';
import type { Counter } from '../events/counters.js';
import type { Depletion } from '../events/inbound.js';
import { MOST_RESET_DAYS } from './credentials.js';

/**
 * The rule behind every cut: a cap over up plus down, then an expiry. 0 means none, and a negative expiry is a term that
 * has not begun.
 */
export function depletionOf(capBytes: number, expiresAt: number, used: Counter, now: number): Depletion | null {
  const usedBytes = used.up + used.down;
  if (capBytes > 0 && usedBytes >= capBytes) return { reason: 'cap', usedBytes, capBytes };
  if (expiresAt > 0 && expiresAt <= now) return { reason: 'expiry', expiresAt };
  return null;
}

export function clientDepletion(client: Client, used: Counter, now: number): Depletion | null {
  return depletionOf(client.terms.capBytes, client.terms.expiresAt, used, now);
}

/** Whether the term of a client gives way to the next one when it is over. */
export function renewsItself({ terms: { resetDays } }: Client): boolean {
  return resetDays > 0 && resetDays <= MOST_RESET_DAYS;
}

interface Judged {
  /** What was recorded. */
  readonly depletion: Depletion | null;
  readonly capBytes: number;
  readonly expiresAt: number;
}

/**
 * What is to be said of somebody after a change: the rule that shuts it out from here on, `restored` where none does any
 * more, null where what was recorded is still so. A rule that is over gives way to another one that holds, and nobody is
 * let in between.
 */
export function verdictOn(judged: Judged, used: Counter, now: number): Depletion | 'restored' | null {
  const { depletion, capBytes, expiresAt } = judged;
  if (depletion && stillHolds(depletion, judged, used, now)) return null;
  return depletionOf(capBytes, expiresAt, used, now) ?? (depletion ? 'restored' : null);
}

function stillHolds(depletion: Depletion, { capBytes, expiresAt }: Judged, used: Counter, now: number): boolean {
  return depletion.reason === 'cap'
    ? depletion.capBytes === capBytes && used.up + used.down >= capBytes
    : depletion.expiresAt === expiresAt && expiresAt <= now;
}

/** By so much a clock may be set back without anything that its time had ended beginning again, in ms. */
const SET_BACK_MS = 60_000;

/** Whether a time that was recorded as come is still to come: the clock was ahead then. */
export function wasAhead(recorded: number, now: number): boolean {
  return recorded > now + SET_BACK_MS;
}

/** Whether somebody was shut out only because the clock was ahead. */
export function endedAhead(depletion: Depletion | null, now: number): boolean {
  return depletion?.reason === 'expiry' && wasAhead(depletion.expiresAt, now);
}
