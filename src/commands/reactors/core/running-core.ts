import type { CoreInbound, CoreUser } from '../../../lib/core-config.js';
import { sameJson } from '../../../lib/json.js';
import type { RunningAccount } from '../../ports/core.js';
import type { CoreSyncParts } from './core-parts.js';
import type { LeftOut } from './core-start.js';
import { type CutParts, Cuts } from './cuts.js';

interface RunningInbound {
  readonly inbound: CoreInbound;
  /** Its id in the log, which another one may have by now under the same tag; undefined = unknown to the log. */
  readonly id: number | undefined;
  readonly users: Map<number, CoreUser>;
  /** Clients whose connections are being ended; they are not added meanwhile. */
  readonly cutting: Set<number>;
}

type Needed = 'core' | 'desired' | 'dispatch' | 'recorded' | 'counters';

interface Parts extends Pick<CoreSyncParts, Needed>, Omit<CutParts, 'core'> {
  readonly leftOut: LeftOut;
}

/** Inbounds that were left out and are tried again in one look, those first that waited longest: each takes the core a moment. */
const TRIED_AT_ONCE = 20;
/** Users that are changed at once; each is a call of about half a millisecond. */
const IN_FLIGHT = 32;

/** What the core runs, inbound by inbound and account by account, and the steps from there to what it shall run. */
export class RunningCore {
  readonly #parts: Parts;
  readonly #running = new Map<string, RunningInbound>();
  readonly #cuts: Cuts;
  /** Whose accounts are compared next. */
  #turn = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cuts = new Cuts(parts);
  }

  /** A core was started with exactly these. */
  started(inbounds: Iterable<CoreInbound>): void {
    this.#running.clear();
    for (const inbound of inbounds) {
      this.#remember(inbound);
      this.#accepted(inbound.tag);
    }
  }

  /** Nothing runs. */
  forget(): void {
    this.#running.clear();
    this.#cuts.forget();
  }

  /** Told what the core counts for each client; see `Cuts.observe`. */
  observe(counters: ReadonlyMap<number, { readonly down: number }>): void {
    this.#cuts.observe(counters);
  }

  /** Looks again at the users whose cut has ended since the last call. */
  async settleCut(): Promise<void> {
    for (const [tag, client] of this.#cuts.takeEnded()) await this.syncUsers(tag, [client]);
  }

  #remember(inbound: CoreInbound): void {
    const id = this.#parts.recorded.inboundOf(inbound.tag);
    this.#running.set(inbound.tag, { inbound, id, users: new Map(inbound.users), cutting: new Set() });
  }

  /** Removes an inbound that shall not run any more, or not like this, or whose tag another one has. */
  async clear(tag: string): Promise<void> {
    const current = this.#running.get(tag);
    if (!current || this.stays(tag)) return;
    await this.#parts.core.inbounds.remove(current.inbound);
    this.#running.delete(tag);
  }

  /** Whether an inbound runs that shall stay as it is, apart from its users. */
  stays(tag: string): boolean {
    const wanted = this.#parts.desired.config().inbounds.get(tag);
    const current = this.#running.get(tag);
    if (!current || !wanted || current.id !== this.#parts.recorded.inboundOf(tag)) return false;
    return sameJson(wanted.config, current.inbound.config);
  }

  /** Adds those inbounds that shall run and do not, and makes the users of the others as they shall be. After `clear` of all. */
  async syncInbounds(tags: Iterable<string>): Promise<void> {
    const { desired, leftOut } = this.#parts;
    const missing: CoreInbound[] = [];
    for (const tag of tags) {
      await this.clear(tag);
      const wanted = desired.config().inbounds.get(tag);
      const current = this.#running.get(tag);
      if (!wanted) leftOut.flaws.delete(tag);
      else if (!current) missing.push({ ...wanted, users: new Map(wanted.users) });
      else {
        this.#accepted(tag);
        await this.syncUsers(tag, new Set([...wanted.users.keys(), ...current.users.keys()]));
      }
    }
    if (missing.length > 0) await this.#add(missing);
  }

  async #add(inbounds: readonly CoreInbound[]): Promise<void> {
    const { core, leftOut } = this.#parts;
    const refused = await core.inbounds.add(inbounds);
    for (const inbound of inbounds) {
      const { tag } = inbound;
      const flaw = refused.get(tag);
      if (flaw) {
        leftOut.refuse(tag, { reason: flaw.message, crashes: false });
        continue;
      }
      this.#remember(inbound);
      leftOut.flaws.delete(tag);
      this.#accepted(tag);
    }
  }

  /** It runs: a log that says that it was refused is put right. */
  #accepted(tag: string): void {
    const { dispatch, recorded } = this.#parts;
    const refused = recorded.refused();
    if (refused.size === 0) return;
    const inbound = recorded.inboundOf(tag);
    if (inbound !== undefined && refused.has(inbound)) dispatch({ type: 'RecordInboundAccepted', data: { inbound } });
  }

  /**
   * Adds, replaces and removes users; whoever was taken away or gets another key is cut first, and who only has another
   * name stays connected. Nobody is added before all
   * removals are done: the core forgets the key of whom it removes, also when another account has it by then.
   */
  async syncUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const list = [...clients];
    await this.removeUsers(tag, list);
    await this.addUsers(tag, list);
  }

  /** Removes those of these users who may not connect any more, or not with this key or name, and begins to cut them. */
  async removeUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const current = this.#running.get(tag);
    if (!current) return;
    const gone: number[] = [];
    try {
      await inFlight(clients, async (client) => {
        if (await this.#removeUser(tag, current, client)) gone.push(client);
      });
    } finally {
      // Whom the core has forgotten is cut, whatever became of the others.
      if (gone.length > 0) this.#cuts.begin(current, gone);
    }
  }

  /** Adds those of these users who may connect and cannot yet. */
  async addUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const current = this.#running.get(tag);
    if (current) await inFlight(clients, (client) => this.#addUser(tag, current, client));
  }

  #wanted(tag: string, client: number): CoreUser | undefined {
    return this.#parts.desired.config().inbounds.get(tag)?.users.get(client);
  }

  /** Resolves to whether live connections of the user must end. */
  async #removeUser(tag: string, current: RunningInbound, client: number): Promise<boolean> {
    const before = current.users.get(client);
    const wanted = this.#wanted(tag, client);
    const sameKey = sameJson(wanted?.account, before?.account);
    if (!before || (sameKey && wanted?.email === before.email)) return false;
    await this.#parts.core.users.remove(current.inbound, before);
    current.users.delete(client);
    if (sameKey) return false;
    current.cutting.add(client); // an account with another key comes back once the old connections are gone
    return true;
  }

  async #addUser(tag: string, current: RunningInbound, client: number): Promise<void> {
    const wanted = this.#wanted(tag, client);
    if (!wanted || current.users.has(client) || current.cutting.has(client)) return;
    this.#cuts.admit(client);
    await this.#parts.core.users.add(current.inbound, wanted);
    current.users.set(client, wanted);
  }

  /**
   * What a core runs, from its own mouth, so that only what differs is changed. `adopted`: an earlier panel process left it;
   * else a call got lost, and what was to be changed is no drift.
   */
  async recall(adopted: boolean): Promise<void> {
    const { core, desired, dispatch, recorded, counters } = this.#parts;
    const tags = new Set(await core.inbounds.tags());
    for (const tag of this.#running.keys()) if (!tags.has(tag)) this.#running.delete(tag);
    const applied = core.inbounds.applied();
    const wanted = desired.config().inbounds;
    const repaired: string[] = [];
    let clients = 0;
    for (const tag of tags) {
      const inbound = wanted.get(tag);
      const config = applied.get(tag);
      if (!inbound || !config) {
        // Unknown to the log: it is taken away below, as one without users.
        this.#running.set(tag, {
          inbound: { tag, config: config ?? {}, users: new Map(), hotUsers: false },
          id: undefined,
          users: new Map(),
          cutting: new Set(),
        });
        continue;
      }
      const users = new Map<number, CoreUser>();
      const running = inbound.hotUsers
        ? await core.users.list({ ...inbound, config })
        : new Map<number, RunningAccount>();
      for (const [client, { email, digest }] of running) {
        const user = inbound.users.get(client);
        const same = user !== undefined && core.users.digest(inbound, user) === digest;
        users.set(client, same ? user : { client, email, account: {} });
        if (!same) clients += 1;
      }
      clients += [...inbound.users.keys()].filter((client) => !users.has(client)).length;
      const before = this.#running.get(tag);
      // Removed by a call whose answer got lost: their connections are still to be ended.
      for (const [client, user] of before?.users ?? [])
        if (!users.has(client) && !sameJson(inbound.users.get(client)?.account, user.account)) users.set(client, user);
      const cutting = before?.cutting ?? new Set<number>();
      // Whose it was when an earlier panel process added it is told by whom it is counted for.
      const id = counters.ownerOf(tag);
      this.#running.set(tag, { inbound: { ...inbound, config }, id, users, cutting });
    }
    const every = new Set([...tags, ...wanted.keys()]);
    for (const tag of every) {
      const current = this.#running.get(tag);
      const same = sameJson(current?.inbound.config, wanted.get(tag)?.config);
      if (!same || (current && current.id !== recorded.inboundOf(tag))) repaired.push(tag);
      await this.clear(tag);
    }
    await counters.passOn();
    await this.syncInbounds(every);
    if (adopted && (repaired.length > 0 || clients > 0))
      dispatch({ type: 'RecordCoreDrift', data: { inbounds: repaired, clients } });
  }

  /** Puts right what drifted and tries again what was left out, unless it would end the core. `users`: looks at the accounts of one inbound too. */
  async compare(users: boolean): Promise<void> {
    const { core, desired, dispatch, leftOut } = this.#parts;
    const tags = new Set(await core.inbounds.tags());
    const missing = [...this.#running.keys()].filter((tag) => !tags.has(tag));
    for (const tag of missing) this.#running.delete(tag);
    const tryable = [...leftOut.flaws]
      .filter(([, { crashes }]) => !crashes)
      .map(([tag]) => tag)
      .slice(0, TRIED_AT_ONCE);
    const again = [...missing, ...tryable].filter((tag) => desired.config().inbounds.has(tag));
    await this.syncInbounds(again);
    const clients = users ? await this.#compareUsers() : 0;
    if (missing.length > 0 || clients > 0) dispatch({ type: 'RecordCoreDrift', data: { inbounds: missing, clients } });
  }

  /** The accounts of one inbound, another one each time. Resolves to how many were put right. */
  async #compareUsers(): Promise<number> {
    const { core } = this.#parts;
    const hot = [...this.#running.values()].filter(({ inbound }) => inbound.hotUsers);
    this.#turn += 1;
    const current = hot[this.#turn % Math.max(1, hot.length)];
    if (!current) return 0;
    const { inbound, users, cutting } = current;
    const running = await core.users.list(inbound);
    const drifted: number[] = [];
    for (const [client, user] of users) {
      if (running.get(client)?.digest === core.users.digest(inbound, user)) continue;
      users.delete(client);
      drifted.push(client);
    }
    for (const [client, { email }] of running) {
      if (users.has(client) || drifted.includes(client) || cutting.has(client)) continue;
      users.set(client, { client, email, account: {} }); // nobody's: it is taken away and cut below
      drifted.push(client);
    }
    await this.syncUsers(inbound.tag, drifted);
    return drifted.length;
  }
}

/** Does something for each of them, so many at once. Rejects when those under way are done, with the first failure. */
async function inFlight(clients: Iterable<number>, work: (client: number) => Promise<void>): Promise<void> {
  const list = [...clients];
  for (let start = 0; start < list.length; start += IN_FLIGHT) {
    const ends = await Promise.allSettled(list.slice(start, start + IN_FLIGHT).map(work));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
