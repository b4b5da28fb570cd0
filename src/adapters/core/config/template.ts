import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { fold } from './names.js';

/** Members by their names as the core compares them. Throws where two names are one to the core. */
export function members(value: Json | undefined): Record<string, Json> {
  // Without a prototype, which a member could replace and so answer for names that are not there.
  const found = Object.create(null) as Record<string, Json>;
  if (!isObject(value)) return found;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = fold(key);
    if (Object.hasOwn(found, name)) throw refused(`it has "${key}" twice`);
    if (member !== null) found[name] = member;
  }
  return found;
}

export function list(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refused('its inbounds, outbounds and rules must be lists');
  return value as readonly Json[];
}

export function refused(reason: string): CoreError {
  return new CoreError('invalid', `The template cannot be used: ${reason}`);
}
