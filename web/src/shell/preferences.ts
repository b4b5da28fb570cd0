import { useSyncExternalStore } from 'react';

/** How this browser shows the panel. Nothing secret. */
export interface Preferences {
  readonly density: 'comfortable' | 'compact';
}

const KEY = 'portolan.preferences';
const defaults: Preferences = { density: 'comfortable' };
const listeners = new Set<() => void>();
let current = load();
show(current);

function load(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
    return { density: kept.density === 'compact' ? 'compact' : defaults.density };
  } catch {
    // A browser may forbid storage, and an older version may have kept something else.
    return defaults;
  }
}

function show({ density }: Preferences): void {
  document.documentElement.dataset['density'] = density;
}

function change(changes: Partial<Preferences>): void {
  current = { ...current, ...changes };
  show(current);
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

export function usePreferences(): readonly [Preferences, (changes: Partial<Preferences>) => void] {
  return [useSyncExternalStore(subscribe, () => current), change];
}
