import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { message, type Text } from '../../../messages/message.js';
import { fold } from './names.js';

/** Members by their names as the core compares them. Throws `CoreError` when the core takes two names for the same. */
export function members(value: Json | undefined): Record<string, Json> {
  // Without a prototype: a member named `__proto__` would replace it and add names that are not there.
  const found = Object.create(null) as Record<string, Json>;
  if (!isObject(value)) return found;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = fold(key);
    if (Object.hasOwn(found, name)) throw refused(message('core.memberTwice', { key }));
    if (member !== null) found[name] = member;
  }
  return found;
}

export function list(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refused(message('core.listsExpected'));
  return value as readonly Json[];
}

/** The error for a template with this problem. */
export function refused(why: Text): CoreError {
  return new CoreError('invalid', message('core.templateUnusable', { why }));
}
