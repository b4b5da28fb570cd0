import type { CoreInbound, CoreUser } from '../../../lib/core-config.js';
import { type JsonObject, sameJson } from '../../../lib/json.js';
import type { RunningAccount } from '../../ports/core.js';
import type { RunningCore, RunningCoreParts, RunningInbound } from './running-core.js';

/** Excluded inbounds that are tried again in one comparison, longest waiting first: each takes the core a moment. */
const MAX_RETRIED_INBOUNDS = 20;

/** Compares what the core reports with the desired configuration, and repairs the differences. */
export class DriftRepair {
  readonly #parts: RunningCoreParts;
  readonly #running: RunningCore;
  /** Selects the inbound whose accounts are compared next. */
  #turn = 0;

  constructor(parts: RunningCoreParts, running: RunningCore) {
    this.#parts = parts;
    this.#running = running;
  }

  /**
   * Asks the core for everything it runs, so that only the differences are changed. `adopted`: an earlier panel process
   * left the core running; otherwise a call got lost, and the pending changes are not recorded as drift.
   */
  async reconcile(adopted: boolean): Promise<void> {
    const { core, desired, dispatch, counters } = this.#parts;
    const running = this.#running;
    const tags = new Set(await core.inbounds.tags());
    for (const tag of running.inbounds.keys()) if (!tags.has(tag)) running.inbounds.delete(tag);
    const applied = core.inbounds.applied();
    const wanted = desired.config().inbounds;
    let clients = 0;
    for (const tag of tags) clients += await this.#learn(tag, wanted.get(tag), applied.get(tag));
    const all = new Set([...tags, ...wanted.keys()]);
    const repaired: string[] = [];
    for (const tag of all) {
      if (this.#differs(tag, wanted.get(tag))) repaired.push(tag);
      await running.removeStale(tag);
    }
    await counters.passOn();
    if (adopted) await this.#finishRemovals(tags, applied);
    await running.syncInbounds(all);
    if (adopted && (repaired.length > 0 || clients > 0))
      dispatch({ type: 'RecordCoreDrift', data: { inboundTags: repaired, clientCount: clients } });
  }

  /**
   * Closes the connections that the earlier panel process left open: it may have ended after it removed an account or an
   * inbound from the core and before it closed their connections.
   */
  async #finishRemovals(tags: ReadonlySet<string>, applied: ReadonlyMap<string, JsonObject>): Promise<void> {
    const { core } = this.#parts;
    for (const [tag, config] of applied)
      if (!tags.has(tag)) await core.inbounds.remove({ tag, config, users: new Map(), hotUsers: false });
    for (const [tag, { inbound, users }] of this.#running.inbounds) {
      if (!inbound.hotUsers) continue;
      const connected = (await core.users.seen(inbound)).filter((client) => !users.has(client));
      this.#running.disconnect(tag, connected);
    }
  }

  #differs(tag: string, desired: CoreInbound | undefined): boolean {
    const current = this.#running.inbounds.get(tag);
    if (!sameJson(current?.inbound.config, desired?.config)) return true;
    return current !== undefined && current.id !== this.#parts.recorded.inboundOf(tag);
  }

  /** Records the state of one running inbound. Resolves to how many of its accounts differ from the desired ones. */
  async #learn(tag: string, desired: CoreInbound | undefined, config: JsonObject | undefined): Promise<number> {
    const { core, counters } = this.#parts;
    const { inbounds } = this.#running;
    if (!desired || !config) {
      // Unknown to the log: recorded without users, and removed as stale.
      inbounds.set(tag, unknownInbound(tag, config ?? {}));
      return 0;
    }
    let clients = 0;
    const users = new Map<number, CoreUser>();
    const accounts = desired.hotUsers
      ? await core.users.list({ ...desired, config })
      : new Map<number, RunningAccount>();
    for (const [client, { email, digest }] of accounts) {
      const user = desired.users.get(client);
      const same = user !== undefined && core.users.digest(desired, user) === digest;
      users.set(client, same ? user : { client, email, account: {} });
      if (!same) clients += 1;
    }
    clients += [...desired.users.keys()].filter((client) => !users.has(client)).length;
    const before = inbounds.get(tag);
    // Users whom a call removed whose answer got lost: their connections are still to be closed.
    for (const [client, user] of before?.users ?? [])
      if (!users.has(client) && !sameJson(desired.users.get(client)?.account, user.account)) users.set(client, user);
    const disconnecting = before?.disconnecting ?? new Set<number>();
    // Which inbound an earlier panel process added under the tag is known from its counter.
    const id = counters.ownerOf(tag);
    inbounds.set(tag, { inbound: { ...desired, config }, id, users, disconnecting });
    return clients;
  }

  /** Repairs drift, and tries excluded inbounds again unless they crash the core. `users`: compares the accounts of one inbound too. */
  async compare(users: boolean): Promise<void> {
    const { core, desired, dispatch, excluded } = this.#parts;
    const { inbounds } = this.#running;
    const tags = new Set(await core.inbounds.tags());
    const missing = [...inbounds.keys()].filter((tag) => !tags.has(tag));
    for (const tag of missing) inbounds.delete(tag);
    const retried = [...excluded.problems]
      .filter(([, { crashes }]) => !crashes)
      .map(([tag]) => tag)
      .slice(0, MAX_RETRIED_INBOUNDS);
    await this.#running.syncInbounds([...missing, ...retried].filter((tag) => desired.config().inbounds.has(tag)));
    const clients = users ? await this.#compareUsers() : 0;
    if (missing.length > 0 || clients > 0)
      dispatch({ type: 'RecordCoreDrift', data: { inboundTags: missing, clientCount: clients } });
  }

  /** Compares the accounts of one inbound, another one each time. Resolves to how many were repaired. */
  async #compareUsers(): Promise<number> {
    const { core } = this.#parts;
    const hot = [...this.#running.inbounds.values()].filter(({ inbound }) => inbound.hotUsers);
    this.#turn += 1;
    const current = hot[this.#turn % Math.max(1, hot.length)];
    if (!current) return 0;
    const { inbound, users, disconnecting } = current;
    const accounts = await core.users.list(inbound);
    const drifted: number[] = [];
    for (const [client, user] of users) {
      if (accounts.get(client)?.digest === core.users.digest(inbound, user)) continue;
      users.delete(client);
      drifted.push(client);
    }
    for (const [client, { email }] of accounts) {
      if (users.has(client) || drifted.includes(client) || disconnecting.has(client)) continue;
      users.set(client, { client, email, account: {} }); // unknown account: it is removed and disconnected below
      drifted.push(client);
    }
    await this.#running.syncUsers(inbound.tag, drifted);
    return drifted.length;
  }
}

function unknownInbound(tag: string, config: JsonObject): RunningInbound {
  return {
    inbound: { tag, config, users: new Map(), hotUsers: false },
    id: undefined,
    users: new Map(),
    disconnecting: new Set(),
  };
}
