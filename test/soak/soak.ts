import { must } from '../kit/real/panel-process.js';
import { type Action, Actions, WEIGHTS } from './actions.js';
import {
  boundsOf,
  type ClientLifetime,
  type Connection,
  minus,
  plus,
  same,
  type Traffic,
  zero,
} from './client-lifetime.js';
import { LogCounters } from './log-counters.js';
import { Random } from './random.js';
import { TestBed } from './test-bed.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Receives a line for each action and comparison. */
  readonly log?: (line: string) => void;
  /** Interval between two comparisons, ms. */
  readonly every?: number;
}

export interface SoakReport {
  readonly seed: number;
  readonly seconds: number;
  /** The number of actions by name, and the actions that the panel rejected. */
  readonly actions: Readonly<Record<string, number>>;
  readonly rejected: readonly string[];
  readonly connections: { complete: number; broken: number; ambiguous: number };
  readonly bytes: Traffic;
  readonly lifetimes: number;
  /** Comparisons of one client lifetime with the log: exact ones, and those with two bounds. */
  readonly compared: { exact: number; bounded: number; counters: number; statements: number; rounds: number };
  /** The sum of the differences between the bounds, in bytes. */
  readonly uncertainBytes: number;
  readonly runs: number;
  /** Stops of the core that were not requested. */
  readonly unexpectedStops: number;
  /** None if the panel counted everything right. */
  readonly failures: readonly string[];
}

/** The time until the log must agree with the core: some polls. */
const TIMEOUT_MS = 120_000;
const RESET_OUTBOUNDS = '/panel/core/resetOutboundsTraffic';
const INTERVAL_MS = 12_000;
/** The panel may have missed the traffic of this time before an unexpected stop of the core. */
const UNREAD_MS = 1_000;

/**
 * Client apps transfer known bytes while admins change clients and inbounds in every way that could affect the counters; see
 * `Actions`. From time to time all traffic pauses, and these must agree:
 *
 * - the counters of the core and the log of this run, exactly, for each client number and the sum of all inbounds;
 * - the bytes counted by the client apps and the log, for each client lifetime: exactly if each connection completed and had one
 *   possible client, otherwise between the certain and the possible number of bytes;
 * - the counter that the panel shows and the traffic since it was last set, exactly, if that is known;
 * - the closing balance of each statement and that counter, exactly.
 *
 * The core counts the payload of a connection without protocol headers, so no tolerance is needed.
 */
export async function soak({
  minutes,
  seed,
  log = () => undefined,
  every = INTERVAL_MS,
}: SoakOptions): Promise<SoakReport> {
  const random = new Random(seed);
  const testBed = await TestBed.open(random);
  const run = new Soak(testBed, log);
  const began = Date.now();
  try {
    const running = testBed.apps.map((app) => app.run());
    await run.until(began + minutes * 60_000, every);
    for (const app of testBed.apps) app.stop();
    await Promise.all(running);
    await run.compare();
    return run.report(seed, began);
  } finally {
    await testBed.close();
  }
}

class Soak {
  readonly #testBed: TestBed;
  readonly #actions: Actions;
  readonly #logCounters: LogCounters;
  readonly #log: (line: string) => void;
  readonly #counts = new Map<string, number>();
  readonly #rejected: string[] = [];
  readonly #failures: string[] = [];
  readonly #compared = { exact: 0, bounded: 0, counters: 0, statements: 0, rounds: 0 };
  readonly #connections = { complete: 0, broken: 0, ambiguous: 0 };
  #bytes: Traffic = zero;
  #uncertainBytes = 0;

  constructor(testBed: TestBed, log: (line: string) => void) {
    this.#testBed = testBed;
    this.#log = log;
    this.#actions = new Actions(testBed);
    this.#logCounters = new LogCounters(testBed.panel.dataDir);
  }

  /** Performs random actions, and compares every `every` ms. */
  async until(end: number, every: number): Promise<void> {
    let next = Date.now() + every;
    while (Date.now() < end) {
      await this.#perform(this.#testBed.random.weighted(WEIGHTS));
      await this.#testBed.runScheduled();
      if (Date.now() >= next) {
        await this.compare();
        next = Date.now() + every;
      }
      await sleep(this.#testBed.random.logUniform(2500));
    }
    await this.#testBed.runScheduled(true);
  }

  async #perform(action: Action): Promise<void> {
    this.#counts.set(action, (this.#counts.get(action) ?? 0) + 1);
    this.#log(action);
    try {
      await this.#actions.do(action);
    } catch (error) {
      const line = `${action}: ${error instanceof Error ? error.message : String(error)}`;
      this.#rejected.push(line);
      this.#log(line);
    }
  }

  #fail(line: string): void {
    this.#failures.push(line);
    this.#log(`FAILURE ${line}`);
  }

  /** Pauses traffic and compares all counters. */
  async compare(): Promise<void> {
    const { apps, lifetimes } = this.#testBed;
    await Promise.all(apps.map((app) => app.pause()));
    await this.#compareLog();
    for (const lifetime of lifetimes) this.#compareClient(lifetime);
    for (const number of this.#logCounters.depleted)
      if (lifetimes.some((lifetime) => lifetime.number === number && !lifetime.mayBeDepleted))
        this.#fail(`client ${number} was depleted and had no limit`);
    for (const { seed, lifetime } of apps)
      await this.#compareCounter(seed.email, lifetime).catch((error: unknown) =>
        this.#fail(`client ${lifetime.number} (${lifetime.name}) is not shown: ${String(error)}`),
      );
    for (const lifetime of lifetimes) lifetime.connections = [];
    this.#log(`compared: ${JSON.stringify({ ...this.#compared, failures: this.#failures.length })}`);
    for (const app of apps) app.resume();
  }

  /** Compares the core and the log. */
  async #compareLog(): Promise<void> {
    const until = Date.now() + TIMEOUT_MS;
    // A reset of outbound counters triggers a reading of the core; without it the next poll must suffice.
    if (this.#testBed.random.chance(0.8)) await must(this.#testBed.admin.form(RESET_OUTBOUNDS, { tag: '-alltags-' }));
    for (;;) {
      const found = await this.#logCounters.differences().catch((error: unknown) => [String(error)]);
      if (found.length === 0) break;
      if (Date.now() > until) {
        for (const line of found) this.#fail(line);
        break;
      }
      await sleep(250);
    }
    this.#compared.rounds += 1;
  }

  /** Compares the bytes counted by the client app and the log. */
  #compareClient(lifetime: ClientLifetime): void {
    const { requestedStops } = this.#testBed;
    const unexpected = this.#logCounters.stops.filter(
      (at) => !requestedStops.some(({ from, to }) => at >= from && at <= to),
    );
    const stopped = ({ startedAt, endedAt, duringStop }: Connection): boolean =>
      duringStop || unexpected.some((at) => at >= startedAt && at <= endedAt + UNREAD_MS);
    const { least, most, exact } = boundsOf(lifetime, stopped);
    const total = this.#logCounters.client(lifetime.number);
    const recorded = minus(total, lifetime.recordedTraffic);
    const right =
      recorded.up >= least.up && recorded.up <= most.up && recorded.down >= least.down && recorded.down <= most.down;
    if (!right)
      this.#fail(
        `client ${lifetime.number} (${lifetime.name}) transferred ${text(least)} to ${text(most)}, but ${text(recorded)} is recorded`,
      );
    this.#uncertainBytes += most.up + most.down - least.up - least.down;
    if (lifetime.connections.length > 0) this.#compared[exact ? 'exact' : 'bounded'] += 1;
    for (const { complete, owners, bytes } of lifetime.connections) {
      this.#connections[owners.size > 1 ? 'ambiguous' : complete ? 'complete' : 'broken'] += 1;
      if (owners.size === 1) this.#bytes = plus(this.#bytes, { up: bytes.arrived, down: bytes.received });
    }
    // The next comparison starts from the recorded traffic.
    lifetime.recordedTraffic = total;
  }

  /** Compares the counter and the statement that the panel shows for the current client of a credential. */
  async #compareCounter(email: string, lifetime: ClientLifetime): Promise<void> {
    const { admin } = this.#testBed;
    const name = encodeURIComponent(email);
    const { up, down } = await must(admin.get<Traffic>(`/panel/api/inbounds/getClientTraffics/${name}`));
    const counter = { up, down };
    if (lifetime.lastCounter) {
      const { transferred, value } = lifetime.lastCounter;
      const expected = plus(value, minus(lifetime.recordedTraffic, transferred));
      if (!same(counter, expected))
        this.#fail(`client ${lifetime.number} (${lifetime.name}) shows ${text(counter)}, not ${text(expected)}`);
      this.#compared.counters += 1;
    }
    lifetime.lastCounter = { transferred: lifetime.recordedTraffic, value: counter };
    const { closing } = await must(
      admin.get<{ closing: Traffic }>(`/panel/api/clients/${name}/statement?from=2020-01-01`),
    );
    if (!same(closing, counter))
      this.#fail(
        `the statement of client ${lifetime.number} ends with ${text(closing)}, its counter is ${text(counter)}`,
      );
    this.#compared.statements += 1;
  }

  report(seed: number, began: number): SoakReport {
    return {
      seed,
      seconds: Math.round((Date.now() - began) / 1000),
      actions: Object.fromEntries(this.#counts),
      rejected: this.#rejected,
      connections: this.#connections,
      bytes: this.#bytes,
      lifetimes: this.#testBed.lifetimes.length,
      compared: this.#compared,
      uncertainBytes: this.#uncertainBytes,
      runs: this.#logCounters.counts.get('CoreStarted') ?? 0,
      unexpectedStops: this.#logCounters.stops.length - this.#testBed.requestedStops.length,
      failures: this.#failures,
    };
  }
}

const text = ({ up, down }: Traffic): string => `${up}/${down}`;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
