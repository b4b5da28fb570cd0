import { isObject, type Json } from '../../lib/json.js';
import { isOfServerOnly } from '../../lib/secrets/secret-members.js';

/** A JSON object written by an admin. Its members may be missing or of any type. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};
const CONTROLS = /\p{Cc}+/gu;
/** Faster for most texts than a Unicode property. */
const PRINTABLE_ASCII = /^[ -~]*$/;

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NONE;
}

/** A string without control characters, because a link is one line; empty for any other type. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return PRINTABLE_ASCII.test(value) ? value : value.replace(CONTROLS, '');
}

/** The non-empty strings of an array or of a list separated by commas. */
export function textsOf(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : textOf(value).split(',');
  return items.map((item) => textOf(item).trim()).filter((item) => item !== '');
}

/** The first string of an array, or the string itself. */
export function firstTextOf(value: unknown): string {
  return textOf(Array.isArray(value) ? value[0] : value);
}

/** The value of the `Host` member of a header object, whatever its case. */
export function hostHeaderOf(headers: unknown): string {
  for (const [name, value] of Object.entries(fieldsOf(headers))) {
    if (name.toLowerCase() === 'host') return firstTextOf(value);
  }
  return '';
}

/** A copy of JSON without members that only the server may know. Everything else is unchanged, also what is empty. */
export function withoutServerMembers(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (isOfServerOnly(name) ? undefined : member)));
}

/** Maximum depth; real settings are less deep. */
const MAX_DEPTH = 12;

/** A copy for a link, without secrets of the server, empty members and members that are too deep. */
export function publicJson(value: unknown, depth = 0): Json | undefined {
  if (typeof value === 'string') return textOf(value) || undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (depth === MAX_DEPTH || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => publicJson(item, depth + 1)).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const copy = isOfServerOnly(name) ? undefined : publicJson(member, depth + 1);
    if (copy !== undefined) members.push([name, copy]);
  }
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
