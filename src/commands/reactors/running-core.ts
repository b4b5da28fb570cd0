import type { CoreInbound, CoreUser } from '../../lib/core-config.js';
import { sameJson } from '../../lib/json.js';
import { CoreError } from '../ports/core.js';
import type { CoreSyncParts } from './core-parts.js';
import type { LeftOut } from './core-start.js';

interface RunningInbound {
  readonly inbound: CoreInbound;
  readonly users: Map<string, CoreUser>;
  /** Emails whose connections are being ended; they are not added meanwhile. */
  readonly cutting: Set<string>;
}

interface Parts extends Pick<CoreSyncParts, 'core' | 'desired' | 'dispatch' | 'inboundOf' | 'refused' | 'warn'> {
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
  /** `[tag, email]` of users whose cut has ended. */
  #unsettled: (readonly [string, string])[] = [];
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
    for (const [tag, email] of unsettled) await this.syncUsers(tag, [email]);
  }

  #remember(inbound: CoreInbound): void {
    this.#running.set(inbound.tag, { inbound, users: new Map(inbound.users), cutting: new Set() });
  }

  /** Removes an inbound that shall not run any more, or not like this. */
  async clear(tag: string): Promise<void> {
    const { core, desired } = this.#parts;
    const wanted = desired.config().inbounds.get(tag);
    const current = this.#running.get(tag);
    if (!current || (wanted && sameJson(wanted.config, current.inbound.config))) return;
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
   * Adds, replaces and removes users; whoever was taken away or gets another key is cut first. Nobody is added before all
   * removals are done: the core forgets the key of whom it removes, also when another account has it by then.
   */
  async syncUsers(tag: string, emails: Iterable<string>): Promise<void> {
    const current = this.#running.get(tag);
    if (!current) return;
    const list = [...emails];
    const gone = await inFlight(list, (email) => this.#removeUser(tag, current, email));
    await inFlight(list, (email) => this.#addUser(tag, current, email));
    if (gone.length > 0) this.#cut(current, gone);
  }

  #wanted(tag: string, email: string): CoreUser | undefined {
    return this.#parts.desired.config().inbounds.get(tag)?.users.get(email);
  }

  /** Resolves to whether live connections of the user must end. */
  async #removeUser(tag: string, current: RunningInbound, email: string): Promise<boolean> {
    const before = current.users.get(email);
    if (!before || sameJson(this.#wanted(tag, email)?.account, before.account)) return false;
    await this.#parts.core.removeUser(current.inbound, email);
    current.users.delete(email);
    current.cutting.add(email); // an account with another key comes back once the old connections are gone
    return true;
  }

  /** Resolves to whether it was added. */
  async #addUser(tag: string, current: RunningInbound, email: string): Promise<boolean> {
    const wanted = this.#wanted(tag, email);
    if (!wanted || current.users.has(email) || current.cutting.has(email)) return false;
    await this.#parts.core.addUser(current.inbound, wanted);
    current.users.set(email, wanted);
    return true;
  }

  /** A cut takes about a second: it runs beside the passes, and its users are looked at again when it is done. */
  #cut(current: RunningInbound, emails: readonly string[]): void {
    const { core, warn } = this.#parts;
    const run = core.running?.run;
    // A run that is over took its connections with it.
    const goesOn = (): boolean => run !== undefined && core.running?.run === run;
    void core
      .cut(current.inbound, emails, (names) => this.#elsewhere(current, names))
      .then((uncut) => {
        if (uncut.length > 0 && goesOn()) this.#parts.uncut(uncut.length);
      })
      .catch((error: unknown) => {
        if (!goesOn()) return;
        warn('connections could not be ended', { error: String(error) });
        this.#parts.uncut(emails.length);
      })
      .then(() => {
        for (const email of emails) {
          current.cutting.delete(email);
          this.#unsettled.push([current.inbound.tag, email]);
        }
        this.#parts.due();
      });
  }

  #elsewhere(current: RunningInbound, names: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set<string>();
    for (const other of this.#running.values()) {
      if (other === current) continue;
      for (const email of other.users.keys()) if (names.has(email.toLowerCase())) found.add(email.toLowerCase());
    }
    return found;
  }

  /** What an adopted core runs, from its own mouth, so that the first pass changes only what differs. */
  async recall(): Promise<void> {
    const { core, desired, dispatch } = this.#parts;
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
          users: new Map(),
          cutting: new Set(),
        });
        continue;
      }
      const users = new Map<string, CoreUser>();
      const running = inbound.hotUsers ? await core.users({ ...inbound, config }) : new Map<string, string>();
      for (const [email, runs] of running) {
        const user = inbound.users.get(email);
        const same = user !== undefined && core.accountDigest(inbound, user) === runs;
        users.set(email, same ? user : { email, account: {} });
        if (!same) clients += 1;
      }
      clients += [...inbound.users.keys()].filter((email) => !users.has(email)).length;
      this.#running.set(tag, { inbound: { ...inbound, config }, users, cutting: new Set() });
    }
    const every = new Set([...tags, ...wanted.keys()]);
    for (const tag of every) {
      const same = sameJson(this.#running.get(tag)?.inbound.config, wanted.get(tag)?.config);
      if (!same) repaired.push(tag);
      await this.clear(tag);
    }
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
    const drifted: string[] = [];
    for (const [email, user] of users) {
      if (running.get(email) === core.accountDigest(inbound, user)) continue;
      users.delete(email);
      drifted.push(email);
    }
    for (const email of running.keys()) {
      if (users.has(email) || drifted.includes(email) || cutting.has(email)) continue;
      users.set(email, { email, account: {} }); // nobody's: it is taken away and cut below
      drifted.push(email);
    }
    await this.syncUsers(inbound.tag, drifted);
    return drifted.length;
  }
}

/** Does something for each of them, so many at once. Resolves to those for which it came true. */
async function inFlight(
  emails: readonly string[],
  work: (email: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (let start = 0; start < emails.length; start += IN_FLIGHT) {
    const some = emails.slice(start, start + IN_FLIGHT);
    const came = await Promise.all(some.map(work));
    done.push(...some.filter((_, i) => came[i]));
  }
  return done;
}
