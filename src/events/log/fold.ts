import { type Draft, produce } from 'immer';
import { digest } from '../../lib/digest.js';
import type { RecordedEvent } from '../catalog.js';

/**
 * A fold of the log into a state. It is pure: it reads only the event, so the same events give the same state on every
 * machine. `apply` changes collections in place. Documents in them are replaced and never changed, so readers may keep them.
 */
export interface Fold<S> {
  readonly name: string;
  /** Raise it when `apply` or the shape of the state changes. Snapshots of other versions are ignored. */
  readonly version: number;
  initial(): S;
  /** Never gets an event about many clients, but its members; see `membersOf`. */
  apply(state: S, event: RecordedEvent): void;
  /** Types of events that `apply` ignores. A replay does not decode them if no fold needs them. */
  readonly ignores?: ReadonlySet<RecordedEvent['type']>;
  /** The value for a snapshot, by default the state. It may contain maps and sets, but no objects with methods. */
  save?(state: S): unknown;
  /** The state from the value of `save`; by default that value. */
  load?(saved: never): S;
}

/** The bulk of a log, for the folds that count no traffic. */
export const TRAFFIC: ReadonlySet<RecordedEvent['type']> = new Set(['TrafficRecorded', 'NodeTrafficRecorded']);

/** Evolves one document of a keyed collection. Does nothing if there is no such document. */
export function evolve<K, D>(documents: Map<K, D>, key: K, recipe: (draft: Draft<D>) => void): void {
  const document = documents.get(key);
  if (document !== undefined) documents.set(key, produce(document, recipe));
}

type Handlers<S> = {
  readonly [T in RecordedEvent['type']]?: (state: S, event: Extract<RecordedEvent, { type: T }>) => void;
};

/** A fold as a table with one function for each event type that it handles. */
export function foldOf<S>(fold: Omit<Fold<S>, 'apply' | 'ignores'> & { readonly on: Handlers<S> }): Fold<S> {
  const { on, ...rest } = fold;
  const handlers = on as Readonly<Record<string, ((state: S, event: RecordedEvent) => void) | undefined>>;
  const ignores = new Set([...TRAFFIC].filter((type) => !(type in on)));
  return { ...rest, ignores, apply: (state, event) => handlers[event.type]?.(state, event) };
}

/** The value for a snapshot of a state. It may share parts with the state and must be used before the next event. */
export function savedState<S>(fold: Fold<S>, state: S): unknown {
  return fold.save ? fold.save(state) : state;
}

/** The state from the value of a snapshot. It may share parts with that value. */
export function loadedState<S>(fold: Fold<S>, saved: unknown): S {
  return fold.load ? fold.load(saved as never) : (saved as S);
}

/** SHA-256 of the value for a snapshot: equal states have equal digests. */
export function stateDigest<S>(fold: Fold<S>, state: S): string {
  return digest(savedState(fold, state));
}
