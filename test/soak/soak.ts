import { must } from '../kit/real/panel-process.js';
import { Books } from './books.js';
import { Chance } from './chance.js';
import { type Deed, Deeds, WEIGHTS } from './deeds.js';
import { boundsOf, type Carried, type Life, minus, nothing, type Pair, plus, same } from './ledger.js';
import { World } from './world.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Told what happens, a line for each thing. */
  readonly tell?: (line: string) => void;
  /** Between two comparisons, ms. */
  readonly every?: number;
}

export interface SoakReport {
  readonly seed: number;
  readonly seconds: number;
  /** How often each was done, and how often the panel declined. */
  readonly deeds: Readonly<Record<string, number>>;
  readonly declined: readonly string[];
  readonly connections: { whole: number; broken: number; doubtful: number };
  readonly bytes: Pair;
  readonly lives: number;
  /** Comparisons of one life with the log: those to the byte, and those between two bounds. */
  readonly compared: { exact: number; bounded: number; counters: number; statements: number; quiet: number };
  /** Bytes between the bounds of all that could not be compared to the byte by the books of the clients. */
  readonly slack: number;
  readonly runs: number;
  /** Ends of the core that nobody asked for. */
  readonly unasked: number;
  /** Sentences; none when the panel counted everything right. */
  readonly failures: readonly string[];
}

/** How long the log may take to have what the core has counted: some polls. */
const TIMEOUT_MS = 120_000;
const RESET_OUTBOUNDS = '/panel/core/resetOutboundsTraffic';
const EVERY_MS = 12_000;
/** What moved so long before an end of the core that nobody asked for may not have been read. */
const UNASKED_MS = 1_000;

/**
 * Clients move known bytes while admins do everything that may confuse who moved what; see `Deeds`. Now and then all stand still, and
 * then these must agree:
 *
 * - what the core counts and what the log has booked in this run, to the byte, for each client number and all inbounds;
 * - what the clients have in their own books and what the log has booked to each life: to the byte where each of its connections came to
 *   its end and was surely its own, else between what surely and what at most went through;
 * - the counter that the panel shows and what was moved since it was set last, to the byte where that is known;
 * - the closing balance of each statement and that counter, to the byte.
 *
 * The core counts the payload of a connection and no header of the protocol, so the books need no allowance.
 */
export async function soak({
  minutes,
  seed,
  tell = () => undefined,
  every = EVERY_MS,
}: SoakOptions): Promise<SoakReport> {
  const chance = new Chance(seed);
  const world = await World.open(chance);
  const run = new Soak(world, tell);
  const began = Date.now();
  try {
    const using = world.seats.map((seat) => seat.use());
    await run.until(began + minutes * 60_000, every);
    for (const seat of world.seats) seat.stop();
    await Promise.all(using);
    await run.compare();
    return run.report(seed, began);
  } finally {
    await world.close();
  }
}

class Soak {
  readonly #world: World;
  readonly #deeds: Deeds;
  readonly #books: Books;
  readonly #tell: (line: string) => void;
  readonly #done = new Map<string, number>();
  readonly #declined: string[] = [];
  readonly #failures: string[] = [];
  readonly #compared = { exact: 0, bounded: 0, counters: 0, statements: 0, quiet: 0 };
  readonly #connections = { whole: 0, broken: 0, doubtful: 0 };
  #bytes: Pair = nothing;
  #slack = 0;

  constructor(world: World, tell: (line: string) => void) {
    this.#world = world;
    this.#tell = tell;
    this.#deeds = new Deeds(world);
    this.#books = new Books(world.panel.dataDir);
  }

  /** Does this and that, and compares every so many ms. */
  async until(end: number, every: number): Promise<void> {
    let next = Date.now() + every;
    while (Date.now() < end) {
      await this.#one(this.#world.chance.weighted(WEIGHTS));
      await this.#world.doLater();
      if (Date.now() >= next) {
        await this.compare();
        next = Date.now() + every;
      }
      await pause(this.#world.chance.size(2500));
    }
    await this.#world.doLater(true);
  }

  async #one(deed: Deed): Promise<void> {
    this.#done.set(deed, (this.#done.get(deed) ?? 0) + 1);
    this.#tell(deed);
    try {
      await this.#deeds.do(deed);
    } catch (error) {
      const line = `${deed}: ${error instanceof Error ? error.message : String(error)}`;
      this.#declined.push(line);
      this.#tell(line);
    }
  }

  #fail(line: string): void {
    this.#failures.push(line);
    this.#tell(`FAILURE ${line}`);
  }

  /** Everybody stands still, and all books are laid beside each other. */
  async compare(): Promise<void> {
    const { seats, lives } = this.#world;
    await Promise.all(seats.map((seat) => seat.hold()));
    await this.#agree();
    for (const keyVersion of lives) this.#life(keyVersion);
    for (const number of this.#books.depleted)
      if (lives.some((keyVersion) => keyVersion.number === number && !keyVersion.mayDeplete))
        this.#fail(`client ${number} was depleted and had no limit`);
    for (const { seed, keyVersion } of seats)
      await this.#shown(seed.email, keyVersion).catch((error: unknown) =>
        this.#fail(`client ${keyVersion.number} (${keyVersion.name}) is not shown: ${String(error)}`),
      );
    for (const keyVersion of lives) keyVersion.carried = [];
    this.#tell(`compared: ${JSON.stringify({ ...this.#compared, failures: this.#failures.length })}`);
    for (const seat of seats) seat.release();
  }

  /** The core and the log. */
  async #agree(): Promise<void> {
    const until = Date.now() + TIMEOUT_MS;
    // Now and then a reading that nobody asked for has to do; else a change of counters that nothing here depends on asks for one.
    if (this.#world.chance.is(0.8)) await must(this.#world.admin.form(RESET_OUTBOUNDS, { tag: '-alltags-' }));
    for (;;) {
      const found = await this.#books.differences().catch((error: unknown) => [String(error)]);
      if (found.length === 0) break;
      if (Date.now() > until) {
        for (const line of found) this.#fail(line);
        break;
      }
      await pause(250);
    }
    this.#compared.quiet += 1;
  }

  /** The books of a client and the log. */
  #life(keyVersion: Life): void {
    const { asked } = this.#world;
    const unasked = this.#books.stops.filter((at) => !asked.some(({ from, to }) => at >= from && at <= to));
    const stopped = ({ startedAt, endedAt, atStop }: Carried): boolean =>
      atStop || unasked.some((at) => at >= startedAt && at <= endedAt + UNASKED_MS);
    const { least, most, exact } = boundsOf(keyVersion, stopped);
    const total = this.#books.client(keyVersion.number);
    const booked = minus(total, keyVersion.booked);
    const right =
      booked.up >= least.up && booked.up <= most.up && booked.down >= least.down && booked.down <= most.down;
    if (!right)
      this.#fail(
        `client ${keyVersion.number} (${keyVersion.name}) moved ${text(least)} to ${text(most)}, and ${text(booked)} is booked`,
      );
    this.#slack += most.up + most.down - least.up - least.down;
    if (keyVersion.carried.length > 0) this.#compared[exact ? 'exact' : 'bounded'] += 1;
    for (const { whole, owners, bytes } of keyVersion.carried) {
      this.#connections[owners.size > 1 ? 'doubtful' : whole ? 'whole' : 'broken'] += 1;
      if (owners.size === 1) this.#bytes = plus(this.#bytes, { up: bytes.arrived, down: bytes.received });
    }
    // From here on what is booked is known, whatever became of the connections before.
    keyVersion.booked = total;
  }

  /** What the panel shows of who has a credential now. */
  async #shown(email: string, keyVersion: Life): Promise<void> {
    const { admin } = this.#world;
    const name = encodeURIComponent(email);
    const { up, down } = await must(admin.get<Pair>(`/panel/api/inbounds/getClientTraffics/${name}`));
    const counter = { up, down };
    if (keyVersion.since) {
      const { moved, value } = keyVersion.since;
      const expected = plus(value, minus(keyVersion.booked, moved));
      if (!same(counter, expected))
        this.#fail(`client ${keyVersion.number} (${keyVersion.name}) shows ${text(counter)}, not ${text(expected)}`);
      this.#compared.counters += 1;
    }
    keyVersion.since = { moved: keyVersion.booked, value: counter };
    const { closing } = await must(
      admin.get<{ closing: Pair }>(`/panel/api/clients/${name}/statement?from=2020-01-01`),
    );
    if (!same(closing, counter))
      this.#fail(
        `the statement of client ${keyVersion.number} ends with ${text(closing)}, its counter is ${text(counter)}`,
      );
    this.#compared.statements += 1;
  }

  report(seed: number, began: number): SoakReport {
    return {
      seed,
      seconds: Math.round((Date.now() - began) / 1000),
      deeds: Object.fromEntries(this.#done),
      declined: this.#declined,
      connections: this.#connections,
      bytes: this.#bytes,
      lives: this.#world.lives.length,
      compared: this.#compared,
      slack: this.#slack,
      runs: this.#books.counts.get('CoreStarted') ?? 0,
      unasked: this.#books.stops.length - this.#world.asked.length,
      failures: this.#failures,
    };
  }
}

const text = ({ up, down }: Pair): string => `${up}/${down}`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
