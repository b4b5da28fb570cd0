import { isObject, type Json } from '../../lib/json.js';

/** A JSON object whose members may be missing or of any type: an admin may have written it by hand. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};
const CONTROLS = /\p{Cc}+/gu;
/** Tells most texts apart far faster than a Unicode property. */
const PRINTABLE_ASCII = /^[ -~]*$/;

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NONE;
}

/**
 * A text without control characters, empty when it is anything else. A link is one line, and nothing that a link says
 * about a transport may hold such a character anyway.
 */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return PRINTABLE_ASCII.test(value) ? value : value.replace(CONTROLS, '');
}

/** The texts of an array or of a comma list, without the empty ones. */
export function textsOf(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : textOf(value).split(',');
  return items.map((item) => textOf(item).trim()).filter((item) => item !== '');
}

/** The first text of an array, empty or not; or the text itself. */
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

/** What only the server may know, wherever it stands. */
const SECRETS: ReadonlySet<string> = new Set([
  'privateKey',
  'secretKey',
  'mldsa65Seed',
  'decryption',
  'certificates',
  'echServerKeys',
  'masterKeyLog',
]);
/** Deeper than any real setting, and far from the end of the stack. */
const DEEPEST = 12;

/** A copy that may stand in a link: without secrets of the server, empty members and absurd depth. */
export function publicJson(value: unknown, depth = 0): Json | undefined {
  if (typeof value === 'string') return textOf(value) || undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (depth === DEEPEST || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => publicJson(item, depth + 1)).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const copy = SECRETS.has(name) ? undefined : publicJson(member, depth + 1);
    if (copy !== undefined) members.push([name, copy]);
  }
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
