import { useSyncExternalStore } from 'react';
import { DEFAULTS, type Filters, withOnline } from './filters';

/** Filters and columns under a name, kept in this browser. */
export interface View {
  readonly name: string;
  readonly filters: Filters;
  readonly hidden: readonly string[];
}

interface Kept {
  readonly views: readonly View[];
  /** Columns that the table does not show. */
  readonly hidden: readonly string[];
}

const KEY = 'portolan.clients';
const MOST = 30;
const UUID = /^[\da-f]{8}-[\da-f-]{27}$/i;
const INITIAL: Kept = { views: [], hidden: ['comment', 'created'] };
const isText = (value: unknown): value is string => typeof value === 'string';
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);

const listeners = new Set<() => void>();
// After everything that `load` uses.
let current = load();

function load(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
    if (kept === null || !Array.isArray(kept.views)) return INITIAL;
    const views = kept.views.filter(({ name }: Partial<View>) => isText(name)).slice(0, MOST);
    return { views: views.map(viewOf), hidden: textsIn(kept.hidden) };
  } catch {
    // A browser may forbid storage, and an older version may have kept something else.
    return INITIAL;
  }
}

/** Only known filters, with texts: what another version kept must not break the list. */
function viewOf({ name, filters, hidden }: View): View {
  const known = Object.entries(DEFAULTS).map(([key, value]) => {
    const kept: unknown = filters?.[key as keyof Filters];
    // Earlier versions kept any search. A UUID is the credential of a client.
    return [key, isText(kept) && !UUID.test(kept) ? kept : value];
  });
  return { name, filters: withOnline(Object.fromEntries(known) as Filters), hidden: textsIn(hidden) };
}

function change(next: Partial<Kept>): void {
  current = { ...current, ...next };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Then it holds until the page is closed.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const setHidden = (columns: Iterable<string>): void => change({ hidden: [...columns] });

/** The views of this browser. A view with the name of another one replaces it. */
export function useViews() {
  const { views, hidden } = useSyncExternalStore(subscribe, () => current);
  return {
    views,
    hidden,
    setHidden,
    save: (view: View): void =>
      change({ views: [...views.filter(({ name }) => name !== view.name), view].slice(-MOST) }),
    remove: (name: string): void => change({ views: views.filter((view) => view.name !== name) }),
  };
}
