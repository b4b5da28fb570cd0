import type { PanelEvent } from '../events/catalog.js';
import type { ServerName } from '../events/certificate.js';
import type { Actor, Caused } from '../events/log/event.js';
import type { Rejection } from './rejection.js';
import type { PanelState } from './state.js';

/** A request for a change, in the imperative. A rule may reject it. */
export interface Command<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** A port that the panel itself listens on. */
export interface OwnPort {
  readonly port: number;
  readonly listen: string;
  readonly server: ServerName | 'ops';
}

/** What a decision may use besides the command and the state. */
export interface DecisionContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The kind of the caller. */
  readonly by: Actor['kind'];
  /** The admin who owns the clients that the caller adds: the caller, or the admin of a token. Null = none. */
  readonly owner: number | null;
  readonly ownPorts: readonly OwnPort[];
  /** The cluster; absent = this panel is alone. */
  readonly cluster?: {
    /** The name of this member. */
    readonly here: string;
    /** The member at which the caller asks: new inbounds run there unless the command names another. */
    readonly asked: string;
  };
}

/** The events, in order, or a rejection. An empty list means that nothing has to change. */
export type Decision = readonly Caused<PanelEvent>[] | Rejection;

/** Pure functions, one for each command type. A missing one does not compile. */
export type Decider<C extends Command> = {
  readonly [T in C['type']]: (
    data: Extract<C, { type: T }>['data'],
    state: PanelState,
    context: DecisionContext,
  ) => Decision;
};
