import type { Client } from '../events/client-document.js';
import type { Counter } from '../events/counters.js';
import type { Depletion } from '../events/inbound.js';

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
