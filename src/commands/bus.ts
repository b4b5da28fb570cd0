import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '../events/catalog.js';
import type { Actor } from '../events/log/event.js';
import type { CommandId, EventLog } from '../events/log/log.js';
import type { Node } from '../events/node/node-document.js';
import { type AnyCommand, deciders } from './catalog.js';
import type { DecisionContext, OwnPort } from './command.js';
import type { CountedCommand } from './counted.js';
import { Rejection, reject } from './rejection.js';
import { type PanelState, panelState } from './state.js';
import { storageRejection } from './storage.js';

/** Who asks, and in the course of what. */
export interface CommandContext {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The event that the command answers, if it answers one. */
  readonly causationId?: string;
  /** The same id twice has one effect and the same answer. */
  readonly commandId?: CommandId;
  /** When it happened, ms, where that could not be recorded at once; now otherwise. */
  readonly at?: number;
  /** Only asks what would be said: nothing is appended. */
  readonly dryRun?: boolean;
}

/** The context of a command that the panel gives by itself. `name` says which part of it. */
export function asSystem(name: string, causationId?: string): CommandContext {
  const actor: Actor = { kind: 'system', id: name, name, ip: null };
  return { actor, correlationId: randomUUID(), ...(causationId === undefined ? {} : { causationId }) };
}

/** The context of what a node reported. */
export function asNode({ id, name }: Pick<Node, 'id' | 'name'>): CommandContext {
  return { actor: { kind: 'node', id: String(id), name, ip: null }, correlationId: randomUUID() };
}

/** What a command did. `events` is empty when everything was so already. */
export interface Done {
  readonly events: readonly RecordedEvent[];
}
export type Dispatch = (command: AnyCommand, context: CommandContext) => Done | Rejection;
/** `Dispatch` of what changes counters, after what was counted was recorded. `make` is asked before that and after it. */
export type Change = (make: () => CountedCommand | Rejection, context: CommandContext) => Promise<Done | Rejection>;

interface Parts {
  readonly log: EventLog;
  readonly state: PanelState;
  readonly now: () => number;
  readonly ownPorts: () => readonly OwnPort[];
  /** Null, or why nothing may be written any more. */
  readonly closed: () => Rejection | null;
}

type Decide = (data: unknown, state: PanelState, context: DecisionContext) => ReturnType<(typeof deciders)['StopCore']>;

/**
 * The one way to change anything: decide, append, fold, in one synchronous step without an `await`, so that there is
 * nothing to race with. The fold of `state` subscribes to the log before anybody else, so it is current for the next
 * decision and for everyone who is told of the event.
 */
export function createBus({ log, state, now, ownPorts, closed }: Parts): Dispatch {
  let deciding = false;
  log.appended$.subscribe((events) => {
    for (const event of events) panelState.apply(state, event);
  });

  return (command, context) => {
    // A reaction that dispatches inside a subscription would let later subscribers see the effect before the cause.
    if (deciding) throw new Error(`${command.type} was dispatched while another command was being decided`);
    deciding = true;
    try {
      const answered = context.commandId ? log.answered(context.commandId) : null;
      if (answered) return answered.same ? { events: answered.events } : reject('IDEMPOTENCY_KEY_REUSED');
      const at = context.at ?? now();
      const decide = deciders[command.type] as Decide;
      const decision = decide(command.data, state, { now: at, by: context.actor.kind, ownPorts: ownPorts() });
      if (decision instanceof Rejection) return decision;
      if (decision.length === 0) return { events: [] };
      // After the rules, whose no counts in any case: a login that cannot be saved may still be a right one.
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
