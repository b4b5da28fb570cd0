import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { fold } from '../config/names.js';

/** UDP masks that connect to other servers; folded names of their types. */
const connecting: ReadonlySet<string> = new Set(['realm', 'xdns', 'xicmp']);

/**
 * Throws `CoreError` 'invalid' for an outbound that makes the core connect to other machines than its servers, which
 * cannot be checked beforehand: a lookup of keys or addresses, the revocation list of a certificate, a rendezvous server.
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
    if (isDetour(name, member) || (mask && name === 'type' && connecting.has(fold(textOf(member).trim()))))
      throw new CoreError('invalid', message('core.outboundConnectsElsewhere', { key }));
    checkDetours(member, mask);
  }
}

function isDetour(name: string, value: Json): boolean {
  if (name === 'echconfiglist') return textOf(value).includes('://');
  if (name === 'addressportstrategy') return !['', 'none'].includes(textOf(value).toLowerCase());
  return name === 'ocspstapling' && value !== 0 && value !== null;
}
