import type { PanelEvent } from '../events/catalog.js';
import type { Actor, Caused } from '../events/log/event.js';
import type { Rejection } from './rejection.js';
import type { PanelState } from './state.js';

/** A wish in the imperative. It may be refused. */
export interface Command<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** A port that the panel itself listens on. */
export interface OwnPort {
  readonly port: number;
  readonly listen: string;
  readonly name: string;
}

/** Everything a decision may know besides the command and the state. */
export interface DecisionContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What kind of caller asks. */
  readonly by: Actor['kind'];
  readonly ownPorts: readonly OwnPort[];
}

/** What happens, in order, or a rule's no. An empty list means: it is so already. */
export type Decision = readonly Caused<PanelEvent>[] | Rejection;

/** Pure functions, one for each command type; a missing one does not compile. */
export type Decider<C extends Command> = {
  readonly [T in C['type']]: (
    data: Extract<C, { type: T }>['data'],
    state: PanelState,
    context: DecisionContext,
  ) => Decision;
};
