import { type Draft, produce } from 'immer';
import { digest } from '../../lib/digest.js';
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
  /** What a snapshot keeps of the state; all of it by default. Maps and sets may stand in it, objects with methods may not. */
  save?(state: S): unknown;
  /** The state from what `save` gave; by default it is the state. */
  load?(saved: never): S;
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

/** What a snapshot keeps of a state. It may share parts with the state, so it is used before the next event. */
export function savedState<S>(fold: Fold<S>, state: S): unknown {
  return fold.save ? fold.save(state) : state;
}

/** The state from what a snapshot kept, which it may share parts with. */
export function loadedState<S>(fold: Fold<S>, saved: unknown): S {
  return fold.load ? fold.load(saved as never) : (saved as S);
}

/** SHA-256 of what a snapshot would keep: equal states have equal digests. */
export function stateDigest<S>(fold: Fold<S>, state: S): string {
  return digest(savedState(fold, state));
}
