import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '../events/catalog.js';
import type { Actor } from '../events/log/event.js';
import type { CommandId, EventLog } from '../events/log/log.js';
import type { Node } from '../events/node/node-document.js';
import type { AnyCommand } from './catalog.js';
import type { OwnPort } from './command.js';
import type { CountedCommand } from './counter-commands.js';
import { decide } from './decide.js';
import { Rejection, reject } from './rejection.js';
import { type PanelState, panelState } from './state.js';
import { storageRejection } from './storage.js';

/** The caller, and the request that the command belongs to. */
export interface CommandContext {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The event that the command reacts to, if any. */
  readonly causationId?: string;
  /** A repeated id has one effect and the same answer. */
  readonly commandId?: CommandId;
  /** When it happened, ms since 1970, if it could not be recorded at once; otherwise now. */
  readonly at?: number;
  /** Only decides: nothing is appended. */
  readonly dryRun?: boolean;
}

/** The context of a command of the panel itself. `name` is the component. */
export function asSystem(name: string, causationId?: string): CommandContext {
  const actor: Actor = { kind: 'system', id: name, name, ip: null };
  return { actor, correlationId: randomUUID(), ...(causationId === undefined ? {} : { causationId }) };
}

/** The context of a report of a node. */
export function asNode({ id, name }: Pick<Node, 'id' | 'name'>): CommandContext {
  return { actor: { kind: 'node', id: String(id), name, ip: null }, correlationId: randomUUID() };
}

/** The result of a command. `events` is empty if nothing had to change. */
export interface Done {
  readonly events: readonly RecordedEvent[];
}
export type Dispatch = (command: AnyCommand, context: CommandContext) => Done | Rejection;
/** `Dispatch` for commands that change counters: records the counters first. `make` is called before and after that. */
export type Change = (make: () => CountedCommand | Rejection, context: CommandContext) => Promise<Done | Rejection>;

/** What the bus and a rehearsal use. */
export interface BusParts {
  readonly log: EventLog;
  readonly state: PanelState;
  readonly now: () => number;
  readonly ownPorts: () => readonly OwnPort[];
  /** Why nothing may be written any more; null = writing is possible. */
  readonly closed: () => Rejection | null;
}

/**
 * The only way to change anything: decide, append and fold in one synchronous step without an `await`, so that no other
 * change can interleave. The fold of `state` is the first subscriber of the log, so it is current for the next decision and for
 * all other subscribers.
 */
export function createBus({ log, state, now, ownPorts, closed }: BusParts): Dispatch {
  let deciding = false;
  log.appended$.subscribe((events) => {
    for (const event of events) panelState.apply(state, event);
  });

  return (command, context) => {
    // A subscriber that dispatches synchronously would let later subscribers see the effect before the cause.
    if (deciding) throw new Error(`${command.type} was dispatched while another command was being decided`);
    deciding = true;
    try {
      const answered = context.commandId ? log.outcomeOf(context.commandId) : null;
      if (answered) return answered.same ? { events: answered.events } : reject('IDEMPOTENCY_KEY_REUSED');
      const at = context.at ?? now();
      const decision = decide(command, state, { now: at, by: context.actor.kind, ownPorts: ownPorts() }, context);
      if (decision instanceof Rejection) return decision;
      if (decision.length === 0) return { events: [] };
      // After the rules, because their rejection has precedence: a login that cannot be saved may still be valid.
      const refusal = closed();
      if (refusal) return refusal;
      if (context.dryRun) return { events: [] };
      return { events: log.append(decision, { ...context, at }) };
    } catch (error) {
      const refused = storageRejection(error);
      if (refused) return refused;
      throw error;
    } finally {
      deciding = false;
    }
  };
}
