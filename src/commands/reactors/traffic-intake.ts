import { type Counter, zero } from '../../events/counters.js';
import type { AnyCommand } from '../catalog.js';
import type { Core, CoreCounter, OnlineUser } from '../ports/core.js';
import type { Growth } from '../traffic.js';

/** How far the counters of a run are recorded. */
export interface Recorded {
  readonly run: string | null;
  /** By email in lower case. */
  readonly clients: Pick<ReadonlyMap<string, Counter>, 'get'>;
  readonly inbounds: ReadonlyMap<string, Counter>;
  readonly outbounds: ReadonlyMap<string, Counter>;
}

interface Parts {
  readonly core: Core;
  readonly recorded: () => Recorded;
  readonly dispatch: (command: AnyCommand) => void;
  /** ms between two readings. */
  readonly period: () => number;
  readonly now: () => number;
  /** When an address of a client was last recorded, ms; 0 = never. */
  readonly ipSeen: (email: string, ip: string) => number;
  readonly online: (emails: readonly string[]) => void;
  /** Holds everybody to the number of addresses that they may have. Never rejects. */
  readonly limit: (users: readonly OnlineUser[]) => Promise<void>;
  readonly warn: (message: string, fields?: object) => void;
}

/** An address that stays connected is written down again after this long, in ms. */
const IP_REFRESH_MS = 3_600_000;

/**
 * Reads the core's counters without resetting them and records what they grew by. The log itself is the memory of what
 * was recorded, so neither a crash of the panel nor a lost answer costs or doubles a byte.
 */
export class TrafficIntake {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | null = null;
  #ended = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#timer = setTimeout(() => void this.poll().finally(() => this.#next()), this.#parts.period()).unref();
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  /** One reading now; two at once are one. Never rejects. */
  poll(): Promise<void> {
    this.#reading ??= this.#read()
      .catch((error: unknown) =>
        this.#parts.warn('the counters of the core could not be read', { error: String(error) }),
      )
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  #next(): void {
    if (!this.#ended) this.begin();
  }

  async #read(): Promise<void> {
    const { dispatch, warn } = this.#parts;
    try {
      // Before the bytes are counted: a term that renews itself is never over.
      dispatch({ type: 'BeginPeriods', data: {} });
    } catch (error) {
      warn('terms and periods could not be begun', { error: String(error) });
    }
    try {
      await this.#count();
    } finally {
      // Time goes on when the core does not answer.
      dispatch({ type: 'DepleteExpired', data: {} });
    }
  }

  async #count(): Promise<void> {
    const { core, recorded, dispatch, online } = this.#parts;
    const { running } = core;
    if (!running) return online([]);
    const [counters, users] = await Promise.all([core.counters(), core.online()]);
    const before = recorded();
    if (core.running?.run !== running.run || before.run !== running.run) return; // another run began meanwhile
    const growth = growthOf(counters, before);
    if (growth.clients.length + growth.inbounds.length + growth.outbounds.length > 0) {
      dispatch({ type: 'RecordTraffic', data: { run: running.run, ...growth } });
    }
    online(users.map(({ email }) => email));
    this.#recordIps(users);
    await this.#parts.limit(users);
  }

  #recordIps(users: readonly OnlineUser[]): void {
    const { dispatch, ipSeen, now } = this.#parts;
    const stale = now() - IP_REFRESH_MS;
    const seen = users.flatMap(({ email, ips }) => {
      const fresh = ips.filter(({ ip }) => ipSeen(email, ip) <= stale).map(({ ip }) => ({ ip, at: now() }));
      return fresh.length > 0 ? [{ email, ips: fresh }] : [];
    });
    if (seen.length > 0) dispatch({ type: 'RecordClientIps', data: { seen } });
  }
}

/** What each counter grew by. A counter that is new counts from zero; one that fell is left alone, the run has the truth. */
export function growthOf(counters: readonly CoreCounter[], recorded: Recorded) {
  return {
    clients: grown('client', counters, recorded.clients, (name) => name.toLowerCase()),
    inbounds: grown('inbound', counters, recorded.inbounds),
    outbounds: grown('outbound', counters, recorded.outbounds),
  };
}

interface Moved {
  readonly counter: CoreCounter;
  readonly key: string;
  /** What is recorded. */
  readonly before: Counter;
}

/** A name that was written in two ways within a run has two counters and is one name to us. */
function grown(
  kind: CoreCounter['kind'],
  counters: readonly CoreCounter[],
  recorded: Recorded['clients'],
  keyOf = (name: string) => name,
) {
  // Most counters stand still, and there are tens of thousands of them in each poll.
  let moved: Moved[] = [];
  let partly = false;
  for (const counter of counters) {
    if (counter.kind !== kind) continue;
    const key = keyOf(counter.name);
    const before = recorded.get(key) ?? zero;
    if (counter.up === before.up && counter.down === before.down) continue;
    moved.push({ counter, key, before });
    partly ||= counter.up < before.up || counter.down < before.down;
  }
  if (partly) {
    // Of two spellings of a name, the other one may be what stands still.
    const known = new Map(moved.map(({ key, before }) => [key, before]));
    moved = counters.flatMap((counter): Moved[] => {
      if (counter.kind !== kind) return [];
      const key = keyOf(counter.name);
      const before = known.get(key);
      return before ? [{ counter, key, before }] : [];
    });
  }
  const now = new Map<string, Growth & Pick<Moved, 'before'>>();
  for (const { counter, key, before } of moved) {
    const { name, up, down } = counter;
    if (!Number.isSafeInteger(up) || !Number.isSafeInteger(down)) continue; // no counter gets there by counting
    const other = now.get(key);
    now.set(key, { name, before, up: up + (other?.up ?? 0), down: down + (other?.down ?? 0) });
  }
  return [...now.values()].flatMap(({ name, before, up, down }): Growth[] => {
    const growth = { name, up: Math.max(0, up - before.up), down: Math.max(0, down - before.down) };
    return growth.up + growth.down > 0 ? [growth] : [];
  });
}
