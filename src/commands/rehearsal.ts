import type { RecordedEvent } from '../events/catalog.js';
import { type Client, mayConnect } from '../events/client/client-document.js';
import type { BusParts, CommandContext, Dispatch, Done } from './bus.js';
import { clusterOf } from './bus.js';
import type { AnyCommand } from './catalog.js';
import { applyDecided, decide, decidePart } from './decide.js';
import { forkState } from './fork-state.js';
import { Rejection } from './rejection.js';
import type { PanelState } from './state.js';

/** Clients whose access changes, in the order of their numbers. */
interface Effects {
  /** They may connect now, and could no longer. Deleted clients are included. */
  readonly disconnected: readonly Client[];
  /** They may not connect now, and then could. Added clients are included. */
  readonly reconnected: readonly Client[];
}

/** Decides commands one after another on a copy of the write state. Nothing is appended. */
export class Rehearsal {
  readonly #parts: BusParts;
  readonly #events: RecordedEvent[] = [];
  #scratch: PanelState | null = null;

  constructor(parts: BusParts) {
    this.#parts = parts;
  }

  /** What would be appended, as if it were recorded now. */
  get events(): readonly RecordedEvent[] {
    return this.#events;
  }

  /** The state after the decided commands. */
  get state(): PanelState {
    return this.#scratch ?? this.#parts.state.state;
  }

  readonly dispatch: Dispatch = (command, context) => this.#dispatch(command, context, decide);

  /** The same without the limits of the caller, for a part of a command that is decided as a whole later. */
  readonly dispatchPart: Dispatch = (command, context) => this.#dispatch(command, context, decidePart);

  #dispatch(command: AnyCommand, context: CommandContext, decided: typeof decide): Done | Rejection {
    const { log, now, ownPorts, closed } = this.#parts;
    const { state } = this.#parts.state;
    const scratch = this.#scratch ?? state;
    const at = context.at ?? now();
    const by = { now: at, by: context.actor.kind, ownPorts: ownPorts(), ...clusterOf(this.#parts, context) };
    const decision = decided(command, scratch, by, context);
    if (decision instanceof Rejection) return decision;
    if (decision.length === 0) return { events: [] };
    const refusal = closed();
    if (refusal) return refusal;
    this.#scratch ??= forkState(state);
    const position = log.head().position + this.#events.length;
    const events = applyDecided(this.#scratch, decision, { ...context, at }, position);
    this.#events.push(...events);
    return { events };
  }

  effects(): Effects {
    const { state } = this.#parts.state;
    const after = this.#scratch;
    if (after === null) return { disconnected: [], reconnected: [] };
    const connects = (of: PanelState, client: Client): boolean => {
      const inbound = of.inbounds.get(client.inbound);
      return mayConnect(client) && inbound !== undefined && inbound.enabled && inbound.depletion === null;
    };
    const lost = (from: PanelState, to: PanelState): readonly Client[] =>
      [...from.clients.values()].filter((client) => {
        const other = to.clients.get(client.number);
        return connects(from, client) && (other === undefined || !connects(to, other));
      });
    return { disconnected: lost(state, after), reconnected: lost(after, state) };
  }
}
