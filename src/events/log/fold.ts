import { type Draft, produce } from 'immer';
import type { RecordedEvent } from '../catalog.js';

/**
 * A fold of the log into a state. Pure: no clock, no chance, no reading of anything but the event; the same events give
 * the same state on any machine. The collection around the documents is a plain one that `apply` changes in place; the
 * documents in it are replaced, never changed, so a reader may keep one.
 */
export interface Fold<S> {
  readonly name: string;
  /** Raise it when `apply` or the shape of the state changes: older snapshots are then thrown away. */
  readonly version: number;
  initial(): S;
  apply(state: S, event: RecordedEvent): void;
  /** The state as JSON, for snapshots and digests. Equal states give equal JSON up to the order of object keys. */
  save(state: S): unknown;
  load(saved: never): S;
}

/** Evolves one document of a keyed collection; a missing document is left missing. */
export function evolve<K, D>(documents: Map<K, D>, key: K, recipe: (draft: Draft<D>) => void): void {
  const document = documents.get(key);
  if (document !== undefined) documents.set(key, produce(document, recipe));
}

type Handlers<S> = {
  readonly [T in RecordedEvent['type']]?: (state: S, event: Extract<RecordedEvent, { type: T }>) => void;
};

/** A fold written as a table: one function for each event type that matters to it. */
export function foldOf<S>(fold: Omit<Fold<S>, 'apply'> & { readonly on: Handlers<S> }): Fold<S> {
  const { on, ...rest } = fold;
  const handlers = on as Readonly<Record<string, ((state: S, event: RecordedEvent) => void) | undefined>>;
  return { ...rest, apply: (state, event) => handlers[event.type]?.(state, event) };
}

/** A map as JSON pairs in key order, so that the order of insertion does not show. */
export function pairs<K extends string | number, V>(map: ReadonlyMap<K, V>): (readonly [K, V])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
