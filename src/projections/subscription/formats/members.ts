import { isDeeper, type Json, type JsonObject } from '../../../lib/json.js';
import { MAX_JSON_DEPTH } from '../../../lib/parse-json.js';

/** The members that have a value. */
export function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}

/** The parts of a list separated by commas; undefined for an empty list. */
export function listOf(text: string | undefined): string[] | undefined {
  return text === undefined || text === '' ? undefined : text.split(',');
}

/** The value of a JSON text; undefined if it is empty, invalid or nested too deeply. */
export function jsonOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isDeeper(value, MAX_JSON_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The names, made unique and different from `taken` by adding numbers. */
export function uniqueNames(names: readonly string[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken);
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique); count += 1) unique = `${name} (${count})`;
    used.add(unique);
    return unique;
  });
}

/** Replaces lone surrogates, which YAML and UTF-8 cannot represent. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
