import { randomUUID } from 'node:crypto';
import { ownerOfAdded } from '../events/access/access-document.js';
import { accessOfActor } from '../events/access/access-of.js';
import { eventType, type PanelEvent, type RecordedEvent } from '../events/catalog.js';
import { joined, membersOf } from '../events/client/members.js';
import type { Caused, EventMeta } from '../events/log/event.js';
import type { AppendContext } from '../events/log/log.js';
import { decideWithin } from './access/restriction.js';
import { type AnyCommand, deciders, type SingleCommand } from './catalog.js';
import type { Decision, DecisionContext } from './command.js';
import { forkState } from './fork-state.js';
import { Rejection } from './rejection.js';
import { type PanelState, panelState } from './state.js';

type Decide = (data: unknown, state: PanelState, context: DecisionContext) => Decision;
/** What a decision may use besides what the state knows about the caller. */
export type Facts = Omit<DecisionContext, 'owner'>;
type Origin = Pick<AppendContext, 'actor' | 'correlationId' | 'causationId'>;

const UNRECORDED = 2 ** 52;

/** The events of a command within the access of the caller, or its rejection. Changes nothing. */
export function decide(command: AnyCommand, state: PanelState, facts: Facts, origin: Origin): Decision {
  const access = accessOfActor(state.access, origin.actor);
  const decideOn = (seen: PanelState): Decision => decideUnlimited(command, seen, facts, origin);
  const decision = access.isOwner ? decideOn(state) : decideWithin(access, state, facts.now, decideOn);
  return decision instanceof Rejection ? decision : joined(decision);
}

/** The events of a command that is a part of one whose limits are checked as a whole. */
export function decidePart(command: AnyCommand, state: PanelState, facts: Facts, origin: Origin): Decision {
  const decision = decideUnlimited(command, state, facts, origin);
  return decision instanceof Rejection ? decision : joined(decision);
}

function decideUnlimited(command: AnyCommand, state: PanelState, facts: Facts, origin: Origin): Decision {
  return decideAll(command, state, { ...facts, owner: ownerOfAdded(state.access, origin.actor) }, origin);
}

function decideAll(command: AnyCommand, state: PanelState, context: DecisionContext, origin: Origin): Decision {
  if (command.type !== 'Sequence') return decideOne(command, state, context);
  const scratch = forkState(state);
  const all: Caused<PanelEvent>[] = [];
  for (const single of command.data.commands) {
    const decision = decideOne(single, scratch, context);
    if (decision instanceof Rejection) return decision;
    applyDecided(scratch, decision, { ...origin, at: context.now });
    const before = all.length;
    all.push(
      ...decision.map((event) => (event.cause === undefined ? event : { ...event, cause: before + event.cause })),
    );
  }
  return all;
}

function decideOne({ type, data }: SingleCommand, state: PanelState, context: DecisionContext): Decision {
  return (deciders[type] as Decide)(data, state, context);
}

/** Applies decided events to a state that no log follows. Returns them as if they were recorded after `position`. */
export function applyDecided(
  state: PanelState,
  events: readonly Caused<PanelEvent>[],
  { at, actor, correlationId, causationId = null }: Origin & Pick<EventMeta, 'at'>,
  position = 0,
): readonly RecordedEvent[] {
  const recorded: RecordedEvent[] = [];
  for (const { cause, ...event } of events) {
    const next = position + recorded.length + 1;
    const causedBy = cause === undefined ? causationId : (recorded[cause]?.id ?? null);
    const done = {
      ...event,
      position: next,
      id: randomUUID(),
      stream: eventType(event.type)?.stream(event.data) ?? '',
      // The version is known only when it is recorded. This one is after all that are.
      version: UNRECORDED + next,
      meta: { at, actor, correlationId, causationId: causedBy, commandId: null },
    } as RecordedEvent;
    for (const member of membersOf(done)) panelState.apply(state, member);
    recorded.push(done);
  }
  return recorded;
}
