/** A part of the core's configuration. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `settings.servers.0.address`; undefined when something on the way is missing. */
export function valueAt(target: Json | undefined, path: string): Json | undefined {
  let value: unknown = target;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
}

/** The object with another value at a path; undefined removes it. Objects and lists on the way are made where missing. */
export function withValue(target: JsonObject, path: string, value: Json | undefined): JsonObject {
  return replaced(target, path.split('.'), value) as JsonObject;
}

function replaced(target: Json | undefined, [name = '', ...rest]: readonly string[], value: Json | undefined): Json {
  const known = typeof target === 'object' && target !== null ? target : /^\d+$/.test(name) ? [] : {};
  const inner = (known as JsonObject)[name];
  const next = rest.length === 0 ? value : replaced(inner, rest, value);
  if (Array.isArray(known)) return Object.assign([...(known as readonly Json[])], { [name]: next }) as Json;
  const copy: Record<string, Json | undefined> = { ...(known as JsonObject), [name]: next };
  if (next === undefined) delete copy[name];
  return copy;
}

/** The objects of a list of the template; empty when there is none. */
export function objectsAt(template: JsonObject, path: string): readonly JsonObject[] {
  const value = valueAt(template, path);
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}

export const textAt = (target: JsonObject, path: string): string => {
  const value = valueAt(target, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export const tagsAt = (template: JsonObject, path: string): readonly string[] =>
  objectsAt(template, path)
    .map((one) => textAt(one, 'tag'))
    .filter((tag) => tag !== '');

/** The list with one element at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const element = list[from];
  if (element === undefined || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, element);
}

export const pretty = (value: Json): string => JSON.stringify(value, null, 2);

/** Null for anything but a JSON object. */
export function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
