import { decodeCounters } from '../../src/adapters/core/control/counters.js';
import { asSystem } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { growthOf } from '../../src/commands/reactors/traffic/readings.js';
import { rollUpSteps } from '../../src/commands/reactors/traffic/roll-up.js';
import { Rejection } from '../../src/commands/rejection.js';
import { inboundPages } from '../../src/http/panel/codec/inbound-pages.js';
import { inSlices } from '../../src/lib/time/slices.js';
import { CoreAnswers } from './counters.js';
import { draftOf, growths, idOf, one, poll, populate } from './fleet.js';
import { type InsidePanel, newFolder, openInside } from './inside.js';
import { chance } from './time.js';
import { type Turns, turnsOf } from './turns.js';

const DAY_MS = 86_400_000;
const POLL_MS = 5000;
const RUN = 'bench';
/** A panel in this process with many clients, and operations on it that are measured. Its core has only counters. */
export class Subject {
  readonly inside: InsidePanel;
  readonly clients: number;
  readonly #answers: CoreAnswers;
  readonly #random = chance();
  readonly #ahead: (ms: number) => void;

  constructor(inside: InsidePanel, clients: number, ahead: (ms: number) => void) {
    this.inside = inside;
    this.clients = clients;
    this.#answers = new CoreAnswers(clients, this.#random);
    this.#ahead = ahead;
  }

  /** Dispatches as the panel and returns how many events there were. */
  dispatch(command: AnyCommand): number {
    const done = this.inside.panel.dispatch(command, asSystem('bench'));
    if (done instanceof Rejection) throw new Error(`${command.type}: ${done.message}`);
    return done.events.length;
  }

  /** A reading of all counters and what follows from it; the answer of the core is made before. */
  async poll(): Promise<Turns> {
    const bytes = this.#answers.next();
    this.#ahead(POLL_MS);
    return turnsOf(async () => {
      const counters = decodeCounters(bytes);
      await new Promise((resolve) => setImmediate(resolve)); // as the port of the core does
      const growth = growthOf(counters, this.inside.panel.read.usage.baselines(null));
      this.dispatch({ type: 'RecordTraffic', data: { run: RUN, ...growth } });
      this.dispatch({ type: 'BeginPeriods', data: {} });
      this.dispatch({ type: 'DepleteExpired', data: {} });
    });
  }

  list(): Promise<Turns> {
    const { read } = this.inside.panel;
    return turnsOf(() => inSlices(inboundPages(read, read.inbounds.all())));
  }

  /** Changes the cap of one client. */
  edit(n: number): void {
    const draft = draftOf(n);
    const changed = { ...draft, spec: { ...draft.spec, capBytes: 4e15 } };
    this.inside.run({ type: 'UpdateClient', data: { inbound: one, client: { key: idOf(n) }, draft: changed } });
  }

  /** Rolls up polls of some clients. */
  rollUp(polls: number): Promise<Turns> {
    const { log } = this.inside.panel;
    for (let n = 0; n < polls; n += 1) {
      this.#ahead(POLL_MS);
      this.dispatch(poll(growths(this.#random, this.clients / 10, this.clients, 0.5)));
    }
    this.#ahead(1);
    const [from, now] = [log.head().position - polls, this.inside.panel.now()];
    return turnsOf(async () => {
      const command = await inSlices(rollUpSteps(log, from, now, now));
      if (command) this.dispatch(command);
    });
  }

  erase(): Promise<Turns> {
    this.#ahead(400 * DAY_MS);
    return turnsOf(async () => {
      while (this.dispatch({ type: 'EraseDeleted', data: {} }) > 0)
        await new Promise((resolve) => setImmediate(resolve));
    });
  }
}

export async function subjectOf(clients: number): Promise<Subject> {
  let now = 1_700_000_000_000;
  const inside = await openInside(newFolder(), () => now);
  populate(inside, clients);
  inside.run({ type: 'RecordCoreStarted', data: { run: RUN, version: '26', reason: 'start' } });
  return new Subject(inside, clients, (ms) => void (now += ms));
}
