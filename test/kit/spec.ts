import { expect } from 'vitest';
import { asSystem } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { decide, type Facts } from '../../src/commands/decide.js';
import { Rejection, type RejectionCode, type RejectionDetails } from '../../src/commands/rejection.js';
import { panelState } from '../../src/commands/state.js';
import { eventType, type PanelEvent, type RecordedEvent } from '../../src/events/catalog.js';
import type { Caused } from '../../src/events/log/event.js';
import { type Fold, stateDigest } from '../../src/events/log/fold.js';
import { system, T0 } from './builders.js';

const times = new WeakMap<PanelEvent, number>();

/** The event at another time than T0. */
export function at<E extends PanelEvent>(time: number, event: E): E {
  times.set(event, time);
  return event;
}

/** Events as read from a log: positions from 1, all at T0. */
export function recorded(events: readonly PanelEvent[]): readonly RecordedEvent[] {
  const versions = new Map<string, number>();
  return events.map((event, i) => {
    const stream = eventType(event.type)?.stream(event.data) ?? '';
    const version = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    const meta = {
      at: times.get(event) ?? T0,
      actor: system,
      correlationId: 'given',
      causationId: null,
      commandId: null,
    };
    const id = `00000000-0000-7000-8000-${String(i + 1).padStart(12, '0')}`;
    return { ...event, position: i + 1, id, stream, version, meta } as RecordedEvent;
  });
}

/** The state of a fold after some events, from the initial state. */
export function folded<S>(fold: Fold<S>, ...events: readonly PanelEvent[]): S {
  const state = fold.initial();
  for (const event of recorded(events)) fold.apply(state, event);
  return state;
}

/** docs/events.md names every command that records an event: `recordedBy` of each event has this one. */
export function expectDescribed(command: AnyCommand, events: readonly PanelEvent[]): void {
  const missing = events.filter(({ type }) => eventType(type)?.recordedBy[command.type] === undefined);
  expect(missing, `recordedBy has no ${command.type}`).toStrictEqual([]);
}

/** given(…past).when(command).then(…events): all of the events, in order, every field. */
export function given(...past: readonly PanelEvent[]) {
  return {
    when(command: AnyCommand, context: Partial<Facts> = {}) {
      const state = folded(panelState, ...past);
      const before = stateDigest(panelState, state);
      const now = { now: T0, by: 'user', ownPorts: [], ...context } as const;
      const decision = decide(command, state, now, asSystem('test'));
      // A decision must not change its input.
      expect(stateDigest(panelState, state)).toBe(before);
      if (!(decision instanceof Rejection)) expectDescribed(command, decision);
      return {
        then: (...events: readonly Caused<PanelEvent>[]): void => {
          expect(decision).toStrictEqual(events);
          for (const { type, data } of events) expect(() => eventType(type)?.schema.parse(data)).not.toThrow();
        },
        thenNothing: (): void => expect(decision).toStrictEqual([]),
        thenRejects: <C extends RejectionCode>(code: C, details?: RejectionDetails<C>): void => {
          if (!(decision instanceof Rejection)) expect.fail(`expected ${code}, but it was decided`);
          expect(decision.code).toBe(code);
          if (details !== undefined) expect(decision.details).toStrictEqual(details);
          expect(decision.message).not.toBe('');
        },
      };
    },
  };
}
