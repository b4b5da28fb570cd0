import { startTimeout } from '../../../lib/timeout.js';
import type { AnyCommand } from '../../catalog.js';
import type { Core, CoreCounters, OnlineUser } from '../../ports/core.js';
import type { Reading } from './readings.js';

interface Parts {
  readonly core: Pick<Core, 'process' | 'stats'>;
  /** Tags whose counters must be transferred to the inbound that has the tag now. */
  readonly toPassOn: () => readonly string[];
  /** Records a reading; in a cluster, the leader may do so later. Called in the turn in which the core has answered. */
  readonly record: (reading: Reading) => void | Promise<void>;
  /** Starts terms and periods, and closes what has expired. Called after each reading, also without a core. */
  readonly applyTime: () => void;
  readonly dispatch: (command: AnyCommand) => void;
  /** Time between two readings, in ms. */
  readonly period: () => number;
  readonly now: () => number;
  /** When an address of a client was last recorded, in ms; 0 = never. */
  readonly ipSeen: (client: number, ip: string) => number;
  /** Takes the numbers of the connected clients. */
  readonly online: (clients: readonly number[]) => void;
  /** Takes the counters of each client, at each reading. */
  readonly counted: (clients: CoreCounters['clients']) => void;
  /** Enforces the address limits. Never rejects. */
  readonly limit: (users: readonly OnlineUser[]) => Promise<void>;
  readonly warn: (message: string, fields?: object) => void;
}

/** An address that stays connected is recorded again after this time, in ms. */
const IP_REFRESH_MS = 3_600_000;
/** How long a change waits for the counters, and how long a planned stop does, which loses them; in ms. */
const COLLECT_MS = 2_000;
const FINAL_COLLECT_MS = 20_000;

/**
 * Reads the core's counters without resetting them and records their growth. The recorded readings are in the log, so
 * neither a crash of the panel nor a lost answer loses a byte or counts it twice.
 */
export class TrafficIntake {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | null = null;
  #reading: Promise<void> | null = null;
  /** A reading that starts after the current one. */
  #next: Promise<void> | null = null;
  #ended = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#timer = setTimeout(() => void this.poll().finally(() => this.#again()), this.#parts.period()).unref();
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  /** Polls now, or joins the current poll. Never rejects. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll()
      .catch((error: unknown) =>
        this.#parts.warn('the counters of the core could not be read', { error: String(error) }),
      )
      .finally(() => {
        this.#polling = null;
      });
    return this.#polling;
  }

  /** Takes the last reading of a run, directly before it is stopped. Never rejects. */
  async last(): Promise<void> {
    await this.collect(FINAL_COLLECT_MS);
  }

  /**
   * Records the traffic up to now, before a change of what it counts for. Resolves to false when the core does not answer
   * within `ms`. Concurrent callers share a reading.
   */
  async collect(ms = COLLECT_MS): Promise<boolean> {
    if (!this.#parts.core.process.running) return true;
    let ended = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      ended = startTimeout(ms, () => reject(new Error('the core does not answer')));
    });
    try {
      await Promise.race([this.#fresh(), late]);
      return true;
    } catch (error) {
      this.#parts.warn('the counters could not be read before a change; their traffic will be recorded after it', {
        error: error instanceof Error ? error.message : String(error),
      });
      return false;
    } finally {
      ended();
    }
  }

  /**
   * Records the last readings for inbounds that gave up their tags, and that the counters of these tags belong to other
   * inbounds from now on. Call it when the core no longer runs the previous inbounds. Rejects when the core does not answer.
   */
  async passOn(): Promise<void> {
    if (this.#parts.toPassOn().length > 0) await this.#read(true);
  }

  #again(): void {
    if (!this.#ended) this.begin();
  }

  async #poll(): Promise<void> {
    const { core, online, limit } = this.#parts;
    const connected = core.process.running ? core.stats.online() : Promise.resolve([]);
    // Traffic is recorded before a new period starts. Periods also start when the core does not answer.
    const counted = this.#fresh().finally(() => this.#parts.applyTime());
    const [users] = await Promise.all([connected, counted]);
    online(users.map(({ client }) => client));
    this.#recordIps(users);
    await limit(users);
  }

  /** A reading that starts after the call, so that it includes everything counted before. Callers share the next one. */
  #fresh(): Promise<void> {
    if (!this.#reading) return this.#start();
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const reading = this.#read(false).finally(() => {
      this.#reading = null;
    });
    this.#reading = reading;
    return reading;
  }

  async #read(passOn: boolean): Promise<void> {
    const { core, record, toPassOn } = this.#parts;
    const { running } = core.process;
    if (!running) return;
    const counters = await core.stats.counters();
    if (core.process.running?.run !== running.run) return; // another run has started
    if (!passOn) this.#parts.counted(counters.clients);
    await record({ run: running.run, counters, released: passOn ? toPassOn() : [] });
  }

  #recordIps(users: readonly OnlineUser[]): void {
    const { dispatch, ipSeen, now } = this.#parts;
    const stale = now() - IP_REFRESH_MS;
    const seen = users.flatMap(({ client, ips }) => {
      const fresh = ips.filter(({ ip }) => ipSeen(client, ip) <= stale).map(({ ip }) => ({ ip, seenAt: now() }));
      return fresh.length > 0 ? [{ client, ips: fresh }] : [];
    });
    if (seen.length > 0) dispatch({ type: 'RecordClientIps', data: { seen } });
  }
}
