import type { CoreInbound, CoreUser } from '../../lib/core-config.js';
import { sameJson } from '../../lib/json.js';
import { CoreError, type RunningAccount } from '../ports/core.js';
import type { CoreSyncParts } from './core-parts.js';
import type { LeftOut } from './core-start.js';

interface RunningInbound {
  readonly inbound: CoreInbound;
  /** Its id in the log, which another one may have by now under the same tag; undefined = unknown to the log. */
  readonly id: number | undefined;
  readonly users: Map<number, CoreUser>;
  /** Clients whose connections are being ended; they are not added meanwhile. */
  readonly cutting: Set<number>;
}

type Needed = 'core' | 'desired' | 'dispatch' | 'inboundOf' | 'counterOwner' | 'passOn' | 'refused' | 'warn';

interface Parts extends Pick<CoreSyncParts, Needed> {
  readonly leftOut: LeftOut;
  /** The connections of so many clients could not be ended one by one. */
  readonly uncut: (clients: number) => void;
  /** Users wait to be looked at again. */
  readonly due: () => void;
}

/** Inbounds that were left out and are tried again in one look, those first that waited longest: each takes the core a moment. */
const TRIED_AT_ONCE = 20;
/** Users that are changed at once; each is a call of about half a millisecond. */
const IN_FLIGHT = 32;

/** What the core runs, inbound by inbound and account by account, and the steps from there to what it shall run. */
export class RunningCore {
  readonly #parts: Parts;
  readonly #running = new Map<string, RunningInbound>();
  /** `[tag, client]` of users whose cut has ended. */
  #unsettled: (readonly [string, number])[] = [];
  /** Whose accounts are compared next. */
  #turn = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
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
    this.#unsettled = [];
  }

  /** Looks again at the users whose cut has ended since the last call. */
  async settleCut(): Promise<void> {
    const unsettled = this.#unsettled;
    this.#unsettled = [];
    for (const [tag, client] of unsettled) await this.syncUsers(tag, [client]);
  }

  #remember(inbound: CoreInbound): void {
    const id = this.#parts.inboundOf(inbound.tag);
    this.#running.set(inbound.tag, { inbound, id, users: new Map(inbound.users), cutting: new Set() });
  }

  /** Removes an inbound that shall not run any more, or not like this, or whose tag another one has. */
  async clear(tag: string): Promise<void> {
    const { core, desired, inboundOf } = this.#parts;
    const wanted = desired.config().inbounds.get(tag);
    const current = this.#running.get(tag);
    if (!current) return;
    if (wanted && current.id === inboundOf(tag) && sameJson(wanted.config, current.inbound.config)) return;
    await core.removeInbound(current.inbound);
    this.#running.delete(tag);
  }

  /** Makes one inbound as it shall be: nothing, added, removed or replaced, and then its users. */
  async syncInbound(tag: string): Promise<void> {
    const { core, desired, leftOut } = this.#parts;
    await this.clear(tag);
    const wanted = desired.config().inbounds.get(tag);
    const current = this.#running.get(tag);
    if (wanted && current) {
      this.#accepted(tag);
      await this.syncUsers(tag, new Set([...wanted.users.keys(), ...current.users.keys()]));
      return;
    }
    if (!wanted) {
      leftOut.flaws.delete(tag);
      return;
    }
    const copy = { ...wanted, users: new Map(wanted.users) };
    try {
      await core.addInbound(copy);
    } catch (error) {
      if (!(error instanceof CoreError) || error.kind === 'unreachable' || error.kind === 'not-running') throw error;
      leftOut.refuse(tag, { reason: error.message, breaks: false });
      return;
    }
    this.#remember(copy);
    leftOut.flaws.delete(tag);
    this.#accepted(tag);
  }

  /** It runs: a log that says that it was refused is put right. */
  #accepted(tag: string): void {
    const { dispatch, inboundOf, refused } = this.#parts;
    if (refused().size === 0) return;
    const inbound = inboundOf(tag);
    if (inbound !== undefined && refused().has(inbound)) dispatch({ type: 'RecordInboundAccepted', data: { inbound } });
  }

  /**
   * Adds, replaces and removes users; whoever was taken away or gets another key is cut first, and who only has another
   * name stays connected. Nobody is added before all
   * removals are done: the core forgets the key of whom it removes, also when another account has it by then.
   */
  async syncUsers(tag: string, clients: Iterable<number>): Promise<void> {
    const current = this.#running.get(tag);
    if (!current) return;
    const list = [...clients];
    const gone = await inFlight(list, (client) => this.#removeUser(tag, current, client));
    await inFlight(list, (client) => this.#addUser(tag, current, client));
    if (gone.length > 0) this.#cut(current, gone);
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
    await this.#parts.core.removeUser(current.inbound, before);
    current.users.delete(client);
    if (sameKey) return false;
    current.cutting.add(client); // an account with another key comes back once the old connections are gone
    return true;
  }

  /** Resolves to whether it was added. */
  async #addUser(tag: string, current: RunningInbound, client: number): Promise<boolean> {
    const wanted = this.#wanted(tag, client);
    if (!wanted || current.users.has(client) || current.cutting.has(client)) return false;
    await this.#parts.core.addUser(current.inbound, wanted);
    current.users.set(client, wanted);
    return true;
  }

  /** A cut takes about a second: it runs beside the passes, and its users are looked at again when it is done. */
  #cut(current: RunningInbound, clients: readonly number[]): void {
    const { core, warn } = this.#parts;
    const run = core.running?.run;
    // A run that is over took its connections with it.
    const goesOn = (): boolean => run !== undefined && core.running?.run === run;
    void core
      .cut(current.inbound, clients)
      .then((uncut) => {
        if (uncut.length > 0 && goesOn()) this.#parts.uncut(uncut.length);
      })
      .catch((error: unknown) => {
        if (!goesOn()) return;
        warn('connections could not be ended', { error: String(error) });
        this.#parts.uncut(clients.length);
      })
      .then(() => {
        for (const client of clients) {
          current.cutting.delete(client);
          this.#unsettled.push([current.inbound.tag, client]);
        }
        this.#parts.due();
      });
  }

  /** What an adopted core runs, from its own mouth, so that the first pass changes only what differs. */
  async recall(): Promise<void> {
    const { core, desired, dispatch, inboundOf, counterOwner, passOn } = this.#parts;
    const tags = new Set(await core.inboundTags());
    const applied = core.appliedInbounds();
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
      const running = inbound.hotUsers ? await core.users({ ...inbound, config }) : new Map<number, RunningAccount>();
      for (const [client, { email, digest }] of running) {
        const user = inbound.users.get(client);
        const same = user !== undefined && core.accountDigest(inbound, user) === digest;
        users.set(client, same ? user : { client, email, account: {} });
        if (!same) clients += 1;
      }
      clients += [...inbound.users.keys()].filter((client) => !users.has(client)).length;
      // Whose it was when an earlier panel process added it is told by whom it is counted for.
      const id = counterOwner(tag);
      this.#running.set(tag, { inbound: { ...inbound, config }, id, users, cutting: new Set() });
    }
    const every = new Set([...tags, ...wanted.keys()]);
    for (const tag of every) {
      const current = this.#running.get(tag);
      const same = sameJson(current?.inbound.config, wanted.get(tag)?.config);
      if (!same || (current && current.id !== inboundOf(tag))) repaired.push(tag);
      await this.clear(tag);
    }
    await passOn();
    for (const tag of every) await this.syncInbound(tag);
    if (repaired.length > 0 || clients > 0)
      dispatch({ type: 'RecordCoreDrift', data: { inbounds: repaired, clients } });
  }

  /** Puts right what drifted and tries again what was left out, unless it would end the core. `users`: looks at the accounts of one inbound too. */
  async compare(users: boolean): Promise<void> {
    const { core, desired, dispatch, leftOut } = this.#parts;
    const tags = new Set(await core.inboundTags());
    const missing = [...this.#running.keys()].filter((tag) => !tags.has(tag));
    for (const tag of missing) this.#running.delete(tag);
    const tryable = [...leftOut.flaws]
      .filter(([, { breaks }]) => !breaks)
      .map(([tag]) => tag)
      .slice(0, TRIED_AT_ONCE);
    const again = [...missing, ...tryable].filter((tag) => desired.config().inbounds.has(tag));
    for (const tag of again) await this.syncInbound(tag);
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
    const running = await core.users(inbound);
    const drifted: number[] = [];
    for (const [client, user] of users) {
      if (running.get(client)?.digest === core.accountDigest(inbound, user)) continue;
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

/** Does something for each of them, so many at once. Resolves to those for which it came true. */
async function inFlight(
  clients: readonly number[],
  work: (client: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const done: number[] = [];
  for (let start = 0; start < clients.length; start += IN_FLIGHT) {
    const some = clients.slice(start, start + IN_FLIGHT);
    const came = await Promise.all(some.map(work));
    done.push(...some.filter((_, i) => came[i]));
  }
  return done;
}
