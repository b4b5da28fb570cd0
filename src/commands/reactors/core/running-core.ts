import type { CounterTable } from '../../../events/traffic/counter-table.js';
import type { CoreInbound, CoreUser } from '../../../lib/core-config.js';
import { sameJson } from '../../../lib/json.js';
import { type DisconnectParts, Disconnects } from './disconnects.js';
import type { CoreSyncParts } from './parts.js';
import type { ExcludedInbounds } from './start.js';

export interface RunningInbound {
  readonly inbound: CoreInbound;
  /** Its id in the log; undefined = unknown to the log. Another inbound may have the same tag by now. */
  readonly id: number | undefined;
  readonly users: Map<number, CoreUser>;
  /** Clients whose connections are being closed; they are not added until that is done. */
  readonly disconnecting: Set<number>;
}

type Needed = 'core' | 'desired' | 'dispatch' | 'recorded' | 'counters';

export interface RunningCoreParts extends Pick<CoreSyncParts, Needed>, Omit<DisconnectParts, 'core'> {
  readonly excluded: ExcludedInbounds;
}

/** Users that are changed in parallel; each change is a call of about half a millisecond. */
const MAX_PARALLEL_CALLS = 32;

/** The inbounds and accounts that run in the core, and the changes that bring them to the desired configuration. */
export class RunningCore {
  readonly #parts: RunningCoreParts;
  /** By tag. */
  readonly inbounds = new Map<string, RunningInbound>();
  readonly #disconnects: Disconnects;

  constructor(parts: RunningCoreParts) {
    this.#parts = parts;
    this.#disconnects = new Disconnects(parts);
  }

  /** Records that a core was started with exactly these inbounds. */
  started(inbounds: Iterable<CoreInbound>): void {
    this.inbounds.clear();
    for (const inbound of inbounds) {
      this.#remember(inbound);
      this.#accepted(inbound.tag);
    }
  }

  /** Records that no core runs. */
  forget(): void {
    this.inbounds.clear();
    this.#disconnects.forget();
  }

  /** Takes the counters of each client; see `Disconnects.observe`. */
  observe(counters: Pick<CounterTable, 'get'>): void {
    this.#disconnects.observe(counters);
  }

  /** Updates the users who were disconnected since the last call. */
  async settleDisconnected(): Promise<void> {
    for (const [tag, client] of this.#disconnects.takeClosed()) await this.syncUsers(tag, [client]);
  }

  #remember(inbound: CoreInbound): void {
    const id = this.#parts.recorded.inboundOf(inbound.tag);
    this.inbounds.set(inbound.tag, { inbound, id, users: new Map(inbound.users), disconnecting: new Set() });
  }

  /** Removes an inbound that is no longer wanted, has another configuration, or has lost its tag to another inbound. */
  async removeStale(tag: string): Promise<void> {
    const current = this.inbounds.get(tag);
    if (!current || this.isCurrent(tag)) return;
    await this.#parts.core.inbounds.remove(current.inbound);
    this.inbounds.delete(tag);
  }

  /** Whether an inbound runs as desired, apart from its users. */
  isCurrent(tag: string): boolean {
    const desiredInbound = this.#parts.desired.config().inbounds.get(tag);
    const current = this.inbounds.get(tag);
    if (!current || !desiredInbound || current.id !== this.#parts.recorded.inboundOf(tag)) return false;
    return sameJson(desiredInbound.config, current.inbound.config);
  }

  /** Adds the desired inbounds that do not run, and updates the users of the others. Call `removeStale` for all of them first. */
  async syncInbounds(tags: Iterable<string>): Promise<void> {
    const { desired, excluded } = this.#parts;
    const missing: CoreInbound[] = [];
    for (const tag of tags) {
      await this.removeStale(tag);
      const desiredInbound = desired.config().inbounds.get(tag);
      const current = this.inbounds.get(tag);
      if (!desiredInbound) excluded.problems.delete(tag);
      else if (!current) missing.push({ ...desiredInbound, users: new Map(desiredInbound.users) });
      else {
        this.#accepted(tag);
        await this.syncUsers(tag, new Set([...desiredInbound.users.keys(), ...current.users.keys()]));
      }
    }
    if (missing.length > 0) await this.#add(missing);
  }

  async #add(inbounds: readonly CoreInbound[]): Promise<void> {
    const { core, excluded } = this.#parts;
    const refused = await core.inbounds.add(inbounds);
    for (const inbound of inbounds) {
      const { tag } = inbound;
      const problem = refused.get(tag);
      if (problem) {
        excluded.exclude(tag, { reason: problem.text, crashes: false });
        continue;
      }
      this.#remember(inbound);
      excluded.problems.delete(tag);
      this.#accepted(tag);
    }
  }

  /** Records that an inbound runs that the log has as refused. */
  #accepted(tag: string): void {
    const { dispatch, recorded } = this.#parts;
    const refused = recorded.refused();
    if (refused.size === 0) return;
    const inbound = recorded.inboundOf(tag);
    if (inbound !== undefined && refused.has(inbound)) dispatch({ type: 'RecordInboundAccepted', data: { inbound } });
  }

  /**
   * Adds, replaces and removes users. Users who were removed or have another key are disconnected first; users with only
   * a new email stay connected. All removals come before the additions: when the core removes an account it forgets the
   * key, even if another account has that key by then.
   */
  async syncUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const list = [...clients];
    await this.removeUsers(tag, list);
    await this.addUsers(tag, list);
  }

  /** Removes those of these users who may no longer connect, or whose key or email changed, and starts to disconnect them. */
  async removeUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const current = this.inbounds.get(tag);
    if (!current) return;
    const removed: number[] = [];
    try {
      await forEachInParallel(clients, async (client) => {
        if (await this.#removeUser(tag, current, client)) removed.push(client);
      });
    } finally {
      // Removed users are disconnected even if other removals failed.
      if (removed.length > 0) this.#disconnects.begin(current, removed);
    }
  }

  /** Closes what clients without an account still have open. */
  disconnect(tag: string, clients: readonly number[]): void {
    const current = this.inbounds.get(tag);
    if (!current || clients.length === 0) return;
    for (const client of clients) current.disconnecting.add(client);
    this.#disconnects.begin(current, clients);
  }

  /** Adds those of these users who should be able to connect and are not in the core yet. */
  async addUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const current = this.inbounds.get(tag);
    if (current) await forEachInParallel(clients, (client) => this.#addUser(tag, current, client));
  }

  #desiredUser(tag: string, client: number): CoreUser | undefined {
    return this.#parts.desired.config().inbounds.get(tag)?.users.get(client);
  }

  /** Resolves to whether live connections of the user must be closed. */
  async #removeUser(tag: string, current: RunningInbound, client: number): Promise<boolean> {
    const before = current.users.get(client);
    const desiredUser = this.#desiredUser(tag, client);
    const sameKey = sameJson(desiredUser?.account, before?.account);
    if (!before || (sameKey && desiredUser?.email === before.email)) return false;
    await this.#parts.core.users.remove(current.inbound, before);
    current.users.delete(client);
    if (sameKey) return false;
    current.disconnecting.add(client); // an account with another key is added once the old connections are closed
    return true;
  }

  async #addUser(tag: string, current: RunningInbound, client: number): Promise<void> {
    const desiredUser = this.#desiredUser(tag, client);
    if (!desiredUser || current.users.has(client) || current.disconnecting.has(client)) return;
    this.#disconnects.admit(client);
    await this.#parts.core.users.add(current.inbound, desiredUser);
    current.users.set(client, desiredUser);
  }
}

/** Calls `work` for each client, some in parallel. Rejects with the first failure, after the calls in progress are done. */
async function forEachInParallel(clients: Iterable<number>, work: (client: number) => Promise<void>): Promise<void> {
  const list = [...clients];
  for (let start = 0; start < list.length; start += MAX_PARALLEL_CALLS) {
    const ends = await Promise.allSettled(list.slice(start, start + MAX_PARALLEL_CALLS).map(work));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
