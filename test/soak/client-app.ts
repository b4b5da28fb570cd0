import type { Added } from '../e2e/support.js';
import type { ClientSeed } from '../kit/real/inbounds.js';
import {
  addPossibleOwner,
  type ClientLifetime,
  type Connection,
  openConnection,
  type Traffic,
  transferredBy,
} from './client-lifetime.js';
import type { Random } from './random.js';
import { HEAD, type Load, type TransferServer } from './transfer-server.js';

const UP = 150_000;
const DOWN = 400_000;
const MAX_TRANSFER_MS = 15_000;

/** A client app with one credential on one inbound. The client of the panel that has this credential changes over time. */
export class ClientApp {
  added: Added;
  seed: ClientSeed;
  lifetime: ClientLifetime;
  readonly #socks: number;
  readonly #transferServer: TransferServer;
  readonly #random: Random;
  readonly #open = new Set<Connection>();
  #pauses = 0;
  #stopping = false;
  #stopped = false;

  constructor(parts: {
    added: Added;
    seed: ClientSeed;
    lifetime: ClientLifetime;
    socks: number;
    transferServer: TransferServer;
    random: Random;
  }) {
    this.added = parts.added;
    this.seed = parts.seed;
    this.lifetime = parts.lifetime;
    this.#socks = parts.socks;
    this.#transferServer = parts.transferServer;
    this.#random = parts.random;
  }

  get name(): string {
    return this.added.one.name;
  }

  /** Connections that are open now. */
  get open(): ReadonlySet<Connection> {
    return this.#open;
  }

  /** Opens one or several connections at a time, until `stop`. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#pauses > 0) {
        await sleep(20);
        continue;
      }
      const many = this.#random.chance(0.2) ? this.#random.integer(2, 4) : 1;
      const results = await Promise.all(Array.from({ length: many }, () => this.transfer(this.#load())));
      // A rejected client retries after a delay.
      await sleep(results.includes(false) ? 400 : this.#random.logUniform(900));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Opens no connection before `resume`. Resolves when all connections are closed. */
  async pause(): Promise<void> {
    this.#pauses += 1;
    while (this.#open.size > 0) await sleep(10);
  }

  resume(): void {
    this.#pauses -= 1;
  }

  /** One connection; false if it did not complete. */
  async transfer(load: Load): Promise<boolean> {
    const connection = openConnection(this.lifetime);
    connection.duringStop = this.#stopping;
    this.#open.add(connection);
    const reached = (): void => {
      connection.firstByteAt = Date.now();
    };
    connection.complete = await this.#transferServer.transfer(
      this.#socks,
      load,
      connection.bytes,
      reached,
      MAX_TRANSFER_MS,
    );
    connection.endedAt = Date.now();
    this.#open.delete(connection);
    return connection.complete;
  }

  /** A short transfer right before an action. */
  transferBriefly(): Promise<boolean> {
    return this.transfer({ up: this.#random.integer(HEAD, 20_000), down: this.#random.integer(2, 60_000), pace: 0 });
  }

  /** Another client has the credential since `at` (ms). A connection not accepted by then may belong to either. */
  replaceClient(next: ClientLifetime, at: number): void {
    for (const connection of this.lifetime.connections) {
      const { endedAt, firstByteAt } = connection;
      if ((endedAt === 0 || endedAt >= at) && (firstByteAt === 0 || firstByteAt >= at))
        addPossibleOwner(connection, next);
    }
    this.lifetime = next;
  }

  /** A connection opened since `at` (ms) may have been accepted before the core had the new client. */
  markAmbiguous(at: number, previous: ClientLifetime): void {
    for (const connection of this.lifetime.connections)
      if (connection.startedAt >= at) addPossibleOwner(connection, previous);
  }

  /** The counter of the client was set to a value. The total traffic at that time is known only if no connection was open. */
  counterChanged(value: Traffic, wasIdle: boolean): void {
    const transferred = wasIdle && this.#open.size === 0 ? transferredBy(this.lifetime) : null;
    this.lifetime.lastCounter = transferred && { transferred, value };
  }

  /** Before the core stops: its traffic so far is read once more, later traffic may be lost. */
  coreStopping(): void {
    this.#stopping = true;
    for (const one of this.#open) {
      one.duringStop = true;
      one.minimum = { up: one.bytes.arrived, down: one.bytes.received };
    }
  }

  /** The next core is running. */
  coreStarted(): void {
    this.#stopping = false;
  }

  #load(): Load {
    const slow = this.#random.chance(0.3);
    // More than the first byte, which the target sends before the upload is complete.
    const size = 1 + this.#random.logUniform(DOWN);
    return {
      up: HEAD + this.#random.logUniform(UP),
      down: size,
      // A slow transfer takes some seconds, so that actions happen meanwhile.
      pace: slow ? Math.ceil(this.#random.integer(500, 5000) / Math.ceil(size / 16_384)) : 0,
    };
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
