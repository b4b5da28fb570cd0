import { randomUUID } from 'node:crypto';
import type { PanelEvent, RecordedEvent } from '../events/catalog.js';
import type { Actor, Caused } from '../events/log/event.js';
import type { CommandId, EventLog } from '../events/log/log.js';
import { advance, type Folding } from '../events/log/replay.js';
import type { Node } from '../events/node/node-document.js';
import type { AnyCommand } from './catalog.js';
import type { DecisionContext, OwnPort } from './command.js';
import type { GroupedCommand } from './counter-commands.js';
import { decide } from './decide.js';
import { Rejection, reject } from './rejection.js';
import type { PanelState } from './state.js';
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
  /** The member of the cluster at which the caller asks, if it is another one. */
  readonly askedAt?: string | undefined;
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
/** Makes a command from the read models. It is called again after every commit that happens before the decision. */
export type Make = () => AnyCommand | Rejection;
/** Like `Dispatch`, but commands of one turn of the event loop are committed together. Resolves after the commit. */
export type Submit = (make: Make, context: CommandContext) => Promise<Done | Rejection>;
/**
 * `Submit` for commands that come in numbers: those of one turn of the event loop share one durable transaction. Counters
 * that the command changes are recorded first. `make` is called again for each decision.
 */
export type Change = (make: () => GroupedCommand | Rejection, context: CommandContext) => Promise<Done | Rejection>;

/** What the bus and a rehearsal use. */
export interface BusParts {
  readonly log: EventLog;
  readonly state: Folding<PanelState>;
  readonly now: () => number;
  readonly ownPorts: () => readonly OwnPort[];
  /** The name of this member of a cluster; null or absent = this panel is alone. */
  readonly machine?: string | null;
  /** Why nothing more may be written; null = writing is possible. */
  readonly closed: () => Rejection | null;
}

/** Events to append, at this time (ms since 1970). */
export interface Accepted {
  readonly append: readonly Caused<PanelEvent>[];
  readonly at: number;
}

/** What a decision knows of the cluster. */
export function clusterOf(
  { machine }: Pick<BusParts, 'machine'>,
  { askedAt }: Pick<CommandContext, 'askedAt'>,
): Pick<DecisionContext, 'cluster'> {
  return machine ? { cluster: { here: machine, asked: askedAt ?? machine } } : {};
}

/**
 * The only way to change anything: decide, append and fold in one synchronous step without an `await`, so that no other
 * change can interleave. The fold of the write state is the first subscriber of the log, so it is current for the next
 * decision and for all other subscribers.
 */
export class Bus {
  readonly #parts: BusParts;
  #deciding = false;

  constructor(parts: BusParts) {
    this.#parts = parts;
    parts.log.appended$.subscribe((events) => advance(parts.state, events));
  }

  readonly dispatch: Dispatch = (command, context) =>
    this.exclusively(command.type, () => {
      try {
        const decision = this.decide(command, context);
        return 'append' in decision ? this.append(decision, context) : decision;
      } catch (error) {
        const refused = storageRejection(error);
        if (refused) return refused;
        throw error;
      }
    });

  /** A subscriber that dispatches synchronously would let later subscribers see the effect before the cause. */
  exclusively<T>(name: string, run: () => T): T {
    if (this.#deciding) throw new Error(`${name} was dispatched while another command was being decided`);
    this.#deciding = true;
    try {
      return run();
    } finally {
      this.#deciding = false;
    }
  }

  /** What the command does, or the answer to a command that appends nothing. */
  decide(command: AnyCommand, context: CommandContext): Accepted | Done | Rejection {
    const { log, state, now, ownPorts, closed } = this.#parts;
    const answered = context.commandId ? log.outcomeOf(context.commandId) : null;
    if (answered) return answered.same ? { events: answered.events } : reject('IDEMPOTENCY_KEY_REUSED');
    const at = context.at ?? now();
    const facts = { now: at, by: context.actor.kind, ownPorts: ownPorts(), ...clusterOf(this.#parts, context) };
    const decision = decide(command, state.state, facts, context);
    if (decision instanceof Rejection) return decision;
    if (decision.length === 0) return { events: [] };
    // After the rules, because their rejection has precedence: a login that cannot be saved may still be valid.
    const refusal = closed();
    if (refusal) return refusal;
    return context.dryRun ? { events: [] } : { append: decision, at };
  }

  append({ append, at }: Accepted, context: CommandContext): Done {
    return { events: this.#parts.log.append(append, { ...context, at }) };
  }
}

/** The bus as a function, for a log that has no other writer. */
export const createBus = (parts: BusParts): Dispatch => new Bus(parts).dispatch;
