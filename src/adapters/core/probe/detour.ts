import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.js';
import { fold } from '../config/names.js';

/** Masks of UDP that talk to servers of their own, by the folded names of their types. */
const talkative: ReadonlySet<string> = new Set(['realm', 'xdns', 'xicmp']);

/**
 * Throws `CoreError` 'invalid' for an outbound that makes the core connect to something besides its servers, which
 * nobody could judge before: a look-up of keys or of another address, the revocation list of a certificate, a rendezvous.
 */
export function checkDetours(value: Json | undefined, masked = false): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) checkDetours(item, masked);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = fold(key);
    const mask = masked || name === 'finalmask';
    if (isDetour(name, member) || (mask && name === 'type' && talkative.has(fold(textOf(member).trim()))))
      throw new CoreError(
        'invalid',
        `The outbound cannot be tested: its "${key}" would make the core connect elsewhere`,
      );
    checkDetours(member, mask);
  }
}

function isDetour(name: string, value: Json): boolean {
  if (name === 'echconfiglist') return textOf(value).includes('://');
  if (name === 'addressportstrategy') return !['', 'none'].includes(textOf(value).toLowerCase());
  return name === 'ocspstapling' && value !== 0 && value !== null;
}
