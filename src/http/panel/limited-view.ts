import type { Access } from '../../events/access/access-of.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Actor } from '../../events/log/event.js';
import type { OpaqueNumbers } from '../../lib/opaque-numbers.js';
import type { ReadModels } from '../../projections/read-models.js';
import { concealActors, concealed } from '../../projections/why/concealed-actors.js';
import type { HistoryLog } from '../../projections/why/history.js';

interface Whole {
  readonly read: ReadModels;
  readonly past: HistoryLog;
  readonly positions: OpaqueNumbers;
}

/** Whether an actor of an event is the caller, the admin of the caller, or a token of that admin. */
export function isOwnActor({ admin: own }: Access, caller: Actor, { kind, id, admin }: Actor): boolean {
  if (kind === caller.kind && id === caller.id) return true;
  return own !== null && ((kind === 'user' && Number(id) === own) || (admin !== undefined && Number(admin) === own));
}

/**
 * What a caller who sees only a part of the clients gets: no clients of others, no names, tokens or addresses of other
 * admins, and positions that cannot be counted.
 */
export class LimitedView {
  readonly access: Access;
  readonly read: ReadModels;
  /** Past events, in which other admins are concealed. */
  readonly past: HistoryLog;
  readonly positions: OpaqueNumbers;
  readonly caller: Actor;

  constructor({ read, past, positions }: Whole, access: Access, caller: Actor) {
    this.access = access;
    this.read = read.limitedTo(access);
    this.past = concealActors(past, (actor) => this.isOwn(actor));
    this.positions = positions;
    this.caller = caller;
  }

  /** Whether an actor of an event is the caller, the admin of the caller, or a token of that admin. */
  isOwn(actor: Actor): boolean {
    return isOwnActor(this.access, this.caller, actor);
  }

  /** An event whose actor is concealed if it is another admin. */
  concealed(event: RecordedEvent): RecordedEvent {
    return concealed(event, (actor) => this.isOwn(actor));
  }

  hide(position: number): number {
    return this.positions.hide(position);
  }

  /** An answer in which each `position` is hidden. Only plain objects and lists are searched. */
  withHiddenPositions<T>(answer: T): T {
    if (Array.isArray(answer)) return answer.map((item: unknown) => this.withHiddenPositions(item)) as T;
    if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype)
      return answer;
    return Object.fromEntries(
      Object.entries(answer).map(([name, value]: [string, unknown]) => [
        name,
        name === 'position' && typeof value === 'number' ? this.hide(value) : this.withHiddenPositions(value),
      ]),
    ) as T;
  }
}
