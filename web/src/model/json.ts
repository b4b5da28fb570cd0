export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path such as `streamSettings.realitySettings.shortIds`; undefined when it is not there. */
export function valueAt(draft: object, path: string): Json | undefined {
  let value: unknown = draft;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
}

/** A copy with another value at a path; undefined removes it. Missing objects and lists on the way are made. */
export function withValue<D extends object>(draft: D, path: string, value: Json | undefined): D {
  return replaced(draft, path.split('.'), value) as D;
}

function replaced(target: unknown, [name = '', ...rest]: readonly string[], value: Json | undefined): unknown {
  const isIndex = /^\d+$/.test(name);
  const known = typeof target === 'object' && target !== null ? target : isIndex ? [] : {};
  const inner = (known as Readonly<Record<string, unknown>>)[name];
  if (value === undefined && inner === undefined) return target;
  const next = rest.length === 0 ? value : replaced(inner, rest, value);
  if (Array.isArray(known)) {
    if (next === undefined) return known.filter((_, index) => String(index) !== name);
    return Object.assign([...known], { [name]: next });
  }
  if (next !== undefined) return { ...known, [name]: next };
  return Object.fromEntries(Object.entries(known).filter(([key]) => key !== name));
}
