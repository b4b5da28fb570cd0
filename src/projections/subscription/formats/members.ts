import type { Json, JsonObject } from '../../../lib/json.js';

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

/** The value of a text of JSON; undefined for an empty text and for one that is none. */
export function jsonOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A WebSocket path without the early data that Xray writes into its query, and how many bytes of it there may be. */
export function earlyData(path: string): { readonly path: string; readonly bytes: number } {
  const at = path.indexOf('?');
  if (at < 0) return { path, bytes: 0 };
  const parts = path.slice(at + 1).split('&');
  const bytes = Number(parts.find((part) => /^ed=\d{1,6}$/.test(part))?.slice(3) ?? 0);
  if (bytes === 0) return { path, bytes: 0 };
  const rest = parts.filter((part) => !part.startsWith('ed='));
  return { path: path.slice(0, at) + (rest.length === 0 ? '' : `?${rest.join('&')}`), bytes };
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
