import { isDeeper, type Json, type JsonObject } from '../../../lib/json.js';
import { DEEPEST_JSON } from '../../../lib/parse-json.js';

/** The members that have a value. */
export function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}

/** The parts of a comma list; undefined when there is none. */
export function listOf(text: string | undefined): string[] | undefined {
  return text === undefined || text === '' ? undefined : text.split(',');
}

/** The value of a text of JSON; undefined for an empty text, for one that is none, and for one that is nested too deeply. */
export function jsonOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isDeeper(value, DEEPEST_JSON) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The same names, each once and none of them taken already: a repeated one gets a number. */
export function uniqueNames(names: readonly string[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken);
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique); count += 1) unique = `${name} (${count})`;
    used.add(unique);
    return unique;
  });
}

/** Half of a surrogate pair is no text: no YAML and no UTF-8 can hold it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
