import { isObject, type Json, type JsonObject, valueAt, withValue } from './json';

/** A member that another admin has changed while this one edited. */
export interface Difference {
  readonly path: string;
  /** When the form was opened. Undefined = it was not there. */
  readonly base: Json | undefined;
  readonly theirs: Json | undefined;
  readonly mine: Json | undefined;
  /** Both changed it, to different values. */
  readonly isConflict: boolean;
}

/** The members that another admin has changed meanwhile, and whose value is not that of the form already. */
export function differences<D extends object>(base: D, mine: D, theirs: D): readonly Difference[] {
  const paths = new Set([base, mine, theirs].flatMap((draft) => pathsOf({ ...draft } as JsonObject, '')));
  return [...paths].flatMap((path) => {
    const [was, own, now] = [base, mine, theirs].map((draft) => valueAt(draft, path));
    if (same(was, now) || same(own, now)) return [];
    return [{ path, base: was, theirs: now, mine: own, isConflict: !same(was, own) }];
  });
}

/** Paths of all members that are not objects themselves. A list is one value. */
function pathsOf(value: Json, prefix: string): readonly string[] {
  if (!isObject(value)) return [prefix];
  return Object.entries(value).flatMap(([name, member]) =>
    // A name with a dot cannot be a step of a path: its object is one value.
    name.includes('.') ? [prefix] : pathsOf(member ?? null, prefix === '' ? name : `${prefix}.${name}`),
  );
}

const same = (one: Json | undefined, other: Json | undefined): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The draft with the changes of the other admin, except those for which the own value is kept. */
export function merged<D extends object>(mine: D, found: readonly Difference[], kept: ReadonlySet<string>): D {
  return found
    .filter(({ path }) => !kept.has(path))
    .reduce<D>((draft, { path, theirs }) => withValue(draft, path, theirs), mine);
}
