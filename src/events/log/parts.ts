/** Elements of a collection in one part: encoding them takes one or two milliseconds. */
const PART = 500;
/** Collections of a state are at most this deep in plain objects. */
const DEPTH = 3;

/** Names of members, from the outer object to the collection. */
export type Path = readonly string[];
type Collection = Map<unknown, unknown> | readonly unknown[];

/** A part of a value: the value itself with empty large collections, or some elements of one of them. */
export type Part = { readonly whole: unknown } | { readonly path: Path; readonly elements: readonly unknown[] };

/**
 * A copy of the saved value of a fold, which later events do not change: collections are copied, and documents are shared,
 * because they are replaced and never changed.
 */
export function detached(value: unknown, depth = DEPTH): unknown {
  if (value instanceof Map) return mapCopied(value);
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return [...(value as readonly unknown[])];
  if (!isPlain(value) || depth === 0) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, detached(member, depth - 1)]));
}

/** Lists and sets in a map are changed in place, so they are copied too. The values of a map are of one type. */
function mapCopied(map: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
  const copy = new Map(map);
  const [first] = map.values();
  if (!Array.isArray(first) && !(first instanceof Set)) return copy;
  for (const [key, value] of map) {
    if (Array.isArray(value)) copy.set(key, [...(value as readonly unknown[])]);
    else if (value instanceof Set) copy.set(key, new Set(value));
  }
  return copy;
}

/** Divides a value into parts with up to `size` elements each, the whole first. */
export function partsOf(value: unknown, size = PART): { readonly count: number; readonly parts: Iterable<Part> } {
  const large: { readonly path: Path; readonly elements: Collection }[] = [];
  const whole = emptied(value, [], large);
  const counts = large.map(({ elements }) => Math.ceil(sizeOf(elements) / size));
  return { count: 1 + counts.reduce((all, count) => all + count, 0), parts: each(whole, large, size) };
}

function* each(whole: unknown, large: readonly { readonly path: Path; readonly elements: Collection }[], size: number) {
  yield { whole } as Part;
  for (const { path, elements } of large) {
    let part: unknown[] = [];
    for (const element of elements) {
      part.push(element);
      if (part.length < size) continue;
      yield { path, elements: part } as Part;
      part = [];
    }
    if (part.length > 0) yield { path, elements: part } as Part;
  }
}

function emptied(value: unknown, path: Path, large: { path: Path; elements: Collection }[]): unknown {
  if (value instanceof Map || Array.isArray(value)) {
    const collection = value as Collection;
    if (sizeOf(collection) <= PART) return value;
    large.push({ path, elements: collection });
    return value instanceof Map ? new Map() : [];
  }
  if (!isPlain(value) || path.length === DEPTH) return value;
  const members = Object.entries(value).map(([name, member]) => [name, emptied(member, [...path, name], large)]);
  return Object.fromEntries(members) as unknown;
}

/** Puts the parts together again. Throws for parts that do not fit. */
export function joined(parts: Iterable<Part>): unknown {
  let value: unknown;
  for (const part of parts) value = withPart(value, part);
  return value;
}

/** A value with one more part, the whole first. Changes the value. Throws for a part that does not fit. */
export function withPart(value: unknown, part: Part): unknown {
  if ('whole' in part) return part.whole;
  const target = collectionAt(value, part.path);
  if (target instanceof Map) for (const [key, one] of part.elements as [unknown, unknown][]) target.set(key, one);
  else for (const one of part.elements) target.push(one);
  return value;
}

/** The collection of a value to which the parts with this path belong. */
export function collectionAt(value: unknown, path: Path): Map<unknown, unknown> | unknown[] {
  const target = path.reduce((at, name) => (at as Readonly<Record<string, unknown>>)[name], value);
  return target as Map<unknown, unknown> | unknown[];
}

const sizeOf = (collection: Collection): number => ('size' in collection ? collection.size : collection.length);

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
