import type { Added } from '../e2e/support.js';
import type { ClientSeed } from '../kit/real/inbounds.js';
import type { Chance } from './chance.js';
import { type Exchange, HEAD, type Load } from './exchange.js';
import { begin, type Carried, type Life, mayBeOf, movedBy, type Pair } from './ledger.js';

const UP = 150_000;
const DOWN = 400_000;
const MAX_TRANSFER_MS = 15_000;

/** A client app: one credential on one inbound. Which client of the panel has that credential changes over time. */
export class Seat {
  added: Added;
  seed: ClientSeed;
  keyVersion: Life;
  /** What else has happened to the client that has the credential. */
  enabled = true;
  readonly #socks: number;
  readonly #exchange: Exchange;
  readonly #chance: Chance;
  readonly #open = new Set<Carried>();
  #held = 0;
  #stopping = false;
  #stopped = false;

  constructor(parts: {
    added: Added;
    seed: ClientSeed;
    keyVersion: Life;
    socks: number;
    exchange: Exchange;
    chance: Chance;
  }) {
    this.added = parts.added;
    this.seed = parts.seed;
    this.keyVersion = parts.keyVersion;
    this.#socks = parts.socks;
    this.#exchange = parts.exchange;
    this.#chance = parts.chance;
  }

  get name(): string {
    return this.added.one.name;
  }

  /** Connections that are open now. */
  get open(): ReadonlySet<Carried> {
    return this.#open;
  }

  /** Opens connections, now one and now several at a time, until `stop`. */
  async use(): Promise<void> {
    while (!this.#stopped) {
      if (this.#held > 0) {
        await pause(20);
        continue;
      }
      const many = this.#chance.is(0.2) ? this.#chance.whole(2, 4) : 1;
      const wholes = await Promise.all(Array.from({ length: many }, () => this.carry(this.#load())));
      // Who is shut out tries again, but not at once.
      await pause(wholes.includes(false) ? 400 : this.#chance.size(900));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Nothing new is opened before `release`. Resolves when nothing is open any more. */
  async hold(): Promise<void> {
    this.#held += 1;
    while (this.#open.size > 0) await pause(10);
  }

  release(): void {
    this.#held -= 1;
  }

  /** One connection; false when it did not come to its end. */
  async carry(load: Load): Promise<boolean> {
    const carried = begin(this.keyVersion);
    carried.atStop = this.#stopping;
    this.#open.add(carried);
    const reached = (): void => {
      carried.reachedAt = Date.now();
    };
    carried.whole = await this.#exchange.carry(this.#socks, load, carried.bytes, reached, MAX_TRANSFER_MS);
    carried.endedAt = Date.now();
    this.#open.delete(carried);
    return carried.whole;
  }

  /** A short one that ends right before something else is done. */
  carryOne(): Promise<boolean> {
    return this.carry({ up: this.#chance.whole(HEAD, 20_000), down: this.#chance.whole(2, 60_000), pace: 0 });
  }

  /** Another client has got the credential since `at` (ms). What was not let in by then may be of either. */
  succeed(next: Life, at: number): void {
    for (const carried of this.keyVersion.carried) {
      const { endedAt, reachedAt } = carried;
      if ((endedAt === 0 || endedAt >= at) && (reachedAt === 0 || reachedAt >= at)) mayBeOf(carried, next);
    }
    this.keyVersion = next;
  }

  /** What was opened since `at` (ms) may have been let in before the core was told of the one who has the credential now. */
  doubt(at: number, former: Life): void {
    for (const carried of this.keyVersion.carried) if (carried.startedAt >= at) mayBeOf(carried, former);
  }

  /** Its counter is set to this. Known to the byte only where nothing was under way. */
  counterSet(value: Pair, wasIdle: boolean): void {
    const moved = wasIdle && this.#open.size === 0 ? movedBy(this.keyVersion) : null;
    this.keyVersion.since = moved && { moved, value };
  }

  /** The core is about to be stopped in order: what has gone through by now is read once more, and what follows may not be. */
  beginStop(): void {
    this.#stopping = true;
    for (const one of this.#open) {
      one.atStop = true;
      one.floor = { up: one.bytes.arrived, down: one.bytes.received };
    }
  }

  /** The next core runs. */
  endStop(): void {
    this.#stopping = false;
  }

  #load(): Load {
    const slow = this.#chance.is(0.3);
    // More than the first byte, which comes before all has arrived.
    const size = 1 + this.#chance.size(DOWN);
    return {
      up: HEAD + this.#chance.size(UP),
      down: size,
      // A slow one takes some seconds, so that something happens while it is open.
      pace: slow ? Math.ceil(this.#chance.whole(500, 5000) / Math.ceil(size / 16_384)) : 0,
    };
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
