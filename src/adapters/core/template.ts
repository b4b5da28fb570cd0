import { CoreError } from '../../commands/ports/core.js';
import { isObject, type Json, type JsonObject } from '../../lib/json.js';
import { fold } from './names.js';

/** Members by their names as the core compares them. Throws where two names are one to the core. */
export function members(value: Json | undefined): Record<string, Json> {
  const found: Record<string, Json> = {};
  if (!isObject(value)) return found;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = fold(key);
    if (Object.hasOwn(found, name)) throw refused(`it has "${key}" twice`);
    if (member !== null) found[name] = member;
  }
  return found;
}

export function refused(reason: string): CoreError {
  return new CoreError('invalid', `The template cannot be used: ${reason}`);
}
