import { type Arbitrary, array, constantFrom, nat, record } from 'fast-check';
import type { AnyCommand } from '../../../src/commands/catalog.js';
import { planRollUp } from '../../../src/commands/reactors/traffic/roll-up.js';
import { Rejection } from '../../../src/commands/rejection.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import type { EventLog } from '../../../src/events/log/log.js';
import { LogReadModels, type ReadModels } from '../../../src/projections/read-models.js';
import { admin, HOUR } from '../builders.js';
import { busOver, type TestBus, TestLog, temporaryFolder } from '../log.js';
import { expectDescribed } from '../spec.js';
import { stepKinds } from './history-steps.js';

type Kind = keyof typeof stepKinds;

/** One step of a history; its commands depend on the current state. */
export interface Step {
  readonly kind: Kind | 'wait' | 'waitLong' | 'clockBack' | 'rollUp' | 'coreStarted';
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const weighted = (Object.keys(stepKinds) as Kind[]).flatMap((kind) => Array<Kind>(stepKinds[kind][0]).fill(kind));
const KINDS = [...weighted, 'wait', 'wait', 'waitLong', 'clockBack', 'rollUp', 'rollUp', 'coreStarted'] as const;

/** Histories of any length up to `maxLength`. */
export const steps = (maxLength: number): Arbitrary<Step[]> =>
  array(record({ kind: constantFrom(...KINDS), a: nat(1000), b: nat(1000), c: nat(1000) }), {
    minLength: 1,
    maxLength,
    size: 'max',
  });

const pick = <T>(from: Iterable<T>, n: number): T | undefined => {
  const all = [...from];
  return all[n % Math.max(1, all.length)];
};

/** Plays histories over a bus: rejected commands are part of them. */
export class History {
  readonly #bus: TestBus;
  readonly #log: EventLog;
  #run = 0;

  constructor(bus: TestBus, log: EventLog) {
    this.#bus = bus;
    this.#log = log;
  }

  play(history: readonly Step[]): void {
    for (const step of history) for (const command of this.#commands(step)) this.dispatch(command);
  }

  dispatch(command: AnyCommand): readonly RecordedEvent[] {
    const done = this.#bus.dispatch(command, { actor: admin, correlationId: 'history' });
    if (done instanceof Rejection) return [];
    expectDescribed(command, done.events);
    return done.events;
  }

  /** Rolls up what is older than `ms`. */
  rollUp(ms: number): readonly RecordedEvent[] {
    const now = this.#bus.clock.now();
    const command = planRollUp(this.#log, this.#bus.state.rolledTo, now - ms, now);
    return command ? this.dispatch(command) : [];
  }

  #commands({ kind, a, b, c }: Step): readonly AnyCommand[] {
    const { state, clock } = this.#bus;
    switch (kind) {
      case 'wait':
        clock.advance(1000 + a);
        return [];
      case 'waitLong':
        clock.advance((a % 30) * HOUR);
        return [];
      case 'clockBack':
        clock.advance(-a);
        return [];
      case 'rollUp':
        this.rollUp((a % 3) * HOUR);
        return [];
      case 'coreStarted':
        this.#run += 1;
        return [{ type: 'RecordCoreStarted', data: { run: `r${this.#run}`, version: '26', reason: 'request' } }];
      default: {
        const inbound = pick(state.inbounds.values(), a);
        const client = pick(state.clients.values(), a);
        return stepKinds[kind][1]({ state, now: clock.now(), run: `r${this.#run}`, inbound, client, a, b, c });
      }
    }
  }
}

interface PlayedLog {
  readonly journal: TestLog;
  readonly bus: TestBus;
  /** They follow the log. */
  readonly read: ReadModels;
  readonly player: History;
}

/** Makes a new log at each call, for the runs of a property. All are in one temporary folder. */
export function playedLogs(): () => PlayedLog {
  const root = temporaryFolder();
  let runs = 0;
  return () => {
    runs += 1;
    const journal = new TestLog(`${root}/${runs}`);
    const bus = busOver(journal.log, journal.clock);
    return { journal, bus, read: new LogReadModels(journal.log), player: new History(bus, journal.log) };
  };
}
