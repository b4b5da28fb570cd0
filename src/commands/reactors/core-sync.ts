import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../../events/catalog.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';
import { type JsonObject, sameJson } from '../../lib/json.js';
import type { AnyCommand } from '../catalog.js';
import { type Core, CoreError } from '../ports/core.js';
import { Backoff } from './backoff.js';
import { fullStart, type LeftOut } from './core-start.js';

/** The configuration that the log asks for, as the reactor reads it. */
export interface Desired {
  config(): CoreConfig;
  template(): JsonObject;
  takeChanges(): {
    readonly template: boolean;
    readonly inbounds: ReadonlySet<string>;
    readonly users: ReadonlyMap<string, ReadonlySet<string>>;
  };
}

export interface CoreSyncParts {
  readonly core: Core;
  readonly desired: Desired;
  readonly dispatch: (command: AnyCommand) => void;
  /** Whether the core shall run at all. */
  readonly wanted: () => boolean;
  /** The run and the state that the log knows of. */
  readonly known: () => { readonly run: string | null; readonly state: string; readonly error: string };
  readonly inboundOf: (tag: string) => Parameters<LeftOut['refuse']>[0] | undefined;
  /** One more reading of the counters, before a run ends. */
  readonly lastPoll: () => Promise<void>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

type StartReason = 'start' | 'request' | 'configuration' | 'recovery' | 'cut';

interface RunningInbound {
  readonly inbound: CoreInbound;
  readonly users: Map<string, CoreUser>;
  /** Emails whose connections are being ended; they are not added meanwhile. */
  readonly cutting: Set<string>;
}

/** Users that are changed at once; each is a call of about half a millisecond. */
const IN_FLIGHT = 32;
/** How long uncut clients are collected before the one restart that ends their connections, in ms. */
const CUT_DELAY_MS = 2_000;
/** How often what was left out is tried again, and the running core is compared with what was asked of it, in ms. */
const CARE_MS = 60_000;

/**
 * Keeps the core equal to what the log asks for. It compares states and counts no events, so a replay moves nothing.
 * One pass at a time: hot where the core can, a tested restart where it must.
 */
export class CoreSync {
  readonly #parts: CoreSyncParts;
  readonly #running = new Map<string, RunningInbound>();
  readonly #leftOut: LeftOut;
  readonly #backoff: Backoff;
  readonly #subscriptions: Subscription[] = [];
  #template: JsonObject | null = null;
  /** `[tag, email]` of users whose cut has ended. */
  #unsettled: (readonly [string, string])[] = [];
  #request: 'restart' | null = null;
  #restartFor: StartReason | null = null;
  #pass: Promise<void> | null = null;
  #again = false;
  /** Nothing is changed before it is known what runs. */
  #begun = false;
  #stopped = false;
  #careTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #cutTimer: NodeJS.Timeout | undefined;
  /** Changed users that an earlier failure left undone. */
  #careful = false;

  constructor(parts: CoreSyncParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
    this.#leftOut = {
      tags: new Set(),
      refuse: (inbound, reason) => parts.dispatch({ type: 'RecordInboundRefused', data: { inbound, reason } }),
    };
    this.#subscriptions.push(
      parts.core.exited$.subscribe((exit) => this.#exited(exit.run, exit.reason, exit.configuration)),
    );
  }

  /** Takes over a core that runs, or starts one, and then follows the log. */
  async begin(): Promise<void> {
    const { core, known, dispatch } = this.#parts;
    const adopted = await core.adopt().catch((error: unknown) => {
      this.#parts.warn('the running core could not be taken over', { error: String(error) });
      return null;
    });
    if (adopted) {
      dispatch({ type: 'RecordCoreStarted', data: { run: adopted.run, version: adopted.version, reason: 'adopted' } });
      await this.#recall();
    } else if (known().run !== null) {
      dispatch({
        type: 'RecordCoreFailed',
        data: { run: known().run, reason: 'it ended while the panel was not running' },
      });
    }
    this.#begun = true;
    this.#careTimer = setInterval(() => this.#care(), CARE_MS).unref();
    await this.settle();
  }

  /** Told of every batch of events; the work is done after the tick in which they were appended. */
  notice(events: readonly RecordedEvent[]): void {
    for (const event of events) if (event.type === 'CoreRestartRequested') this.#request = 'restart';
    setImmediate(() => void this.settle());
  }

  /** Resolves when everything that was asked before the call has been tried. Never rejects. */
  settle(): Promise<void> {
    if (!this.#begun || this.#stopped) return Promise.resolve();
    if (this.#pass) {
      this.#again = true;
      return this.#pass;
    }
    this.#pass = this.#loop().finally(() => {
      this.#pass = null;
    });
    return this.#pass;
  }

  /** Stops following. `keep` leaves the core to the next panel process. */
  async end(keep: boolean): Promise<void> {
    this.#stopped = true;
    for (const timer of [this.#careTimer, this.#retryTimer, this.#cutTimer]) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    await this.#pass;
    if (keep) await this.#parts.core.release();
    else await this.#stop('shutdown');
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#once();
      } catch (error) {
        await this.#recover(error);
      }
    } while (this.#again && !this.#stopped);
  }

  async #once(): Promise<void> {
    const { core, desired, wanted } = this.#parts;
    if (!wanted()) {
      desired.takeChanges();
      this.#request = null;
      if (core.running) await this.#stop('request');
      return;
    }
    if (this.#request || this.#restartFor) {
      const reason = this.#request ? 'request' : (this.#restartFor ?? 'recovery');
      this.#request = null;
      this.#restartFor = null;
      this.#backoff.forgive();
      await this.#start(reason);
      return;
    }
    if (!core.running) {
      if (this.#backoff.waiting()) this.#later(this.#backoff.remaining());
      else await this.#start('start');
      return;
    }
    const changes = desired.takeChanges();
    if (changes.template || this.#template === null || !sameJson(this.#template, desired.template())) {
      await this.#start('configuration');
      return;
    }
    const unsettled = this.#unsettled;
    this.#unsettled = [];
    for (const tag of changes.inbounds) await this.#syncInbound(tag);
    for (const [tag, email] of unsettled) await this.#syncUsers(tag, [email]);
    for (const [tag, emails] of changes.users) if (!changes.inbounds.has(tag)) await this.#syncUsers(tag, emails);
  }

  async #start(reason: StartReason): Promise<void> {
    const { core, desired, dispatch, lastPoll } = this.#parts;
    desired.takeChanges();
    const template = desired.template();
    const inbounds = new Map(
      [...desired.config().inbounds].map(([tag, inbound]) => [tag, { ...inbound, users: new Map(inbound.users) }]),
    );
    if (core.running) {
      await lastPoll();
      const stopped = core.running;
      await core.stop();
      const why = reason === 'request' || reason === 'cut' ? reason : 'configuration';
      if (stopped) dispatch({ type: 'RecordCoreStopped', data: { run: stopped.run, reason: why } });
    }
    this.#running.clear();
    const started = await fullStart(core, { template, inbounds }, this.#leftOut, this.#parts.inboundOf);
    if (!started.ok) {
      this.#failed(started.reason, started.configuration);
      return;
    }
    const { run, version } = started.run;
    this.#template = template;
    for (const [tag, inbound] of inbounds) if (!this.#leftOut.tags.has(tag)) this.#remember(inbound);
    dispatch({ type: 'RecordCoreStarted', data: { run, version, reason } });
    this.#backoff.started();
  }

  #remember(inbound: CoreInbound): void {
    this.#running.set(inbound.tag, { inbound, users: new Map(inbound.users), cutting: new Set() });
  }

  async #stop(reason: 'request' | 'shutdown'): Promise<void> {
    const { core, dispatch, lastPoll } = this.#parts;
    const stopped = core.running;
    if (!stopped) return;
    await lastPoll();
    await core.stop();
    this.#running.clear();
    dispatch({ type: 'RecordCoreStopped', data: { run: stopped.run, reason } });
  }

  /** Makes one inbound as it shall be: nothing, added, removed or replaced, and then its users. */
  async #syncInbound(tag: string): Promise<void> {
    const { core, desired, dispatch, inboundOf } = this.#parts;
    const wanted = desired.config().inbounds.get(tag);
    const current = this.#running.get(tag);
    if (wanted && current && sameJson(wanted.config, current.inbound.config)) {
      await this.#syncUsers(tag, new Set([...wanted.users.keys(), ...current.users.keys()]));
      return;
    }
    if (current) {
      await core.removeInbound(current.inbound);
      this.#running.delete(tag);
    }
    if (!wanted) {
      this.#leftOut.tags.delete(tag);
      return;
    }
    const copy = { ...wanted, users: new Map(wanted.users) };
    const id = inboundOf(tag);
    try {
      await core.addInbound(copy);
    } catch (error) {
      if (!(error instanceof CoreError) || error.kind === 'unreachable' || error.kind === 'not-running') throw error;
      this.#leftOut.tags.add(tag);
      if (id !== undefined) this.#leftOut.refuse(id, error.message);
      return;
    }
    this.#remember(copy);
    if (this.#leftOut.tags.delete(tag) && id !== undefined)
      dispatch({ type: 'RecordInboundAccepted', data: { inbound: id } });
  }

  /** Adds, replaces and removes users; whoever was taken away or gets another key is cut first. */
  async #syncUsers(tag: string, emails: Iterable<string>): Promise<void> {
    const current = this.#running.get(tag);
    if (!current) return;
    const gone: string[] = [];
    const list = [...emails];
    for (let start = 0; start < list.length; start += IN_FLIGHT) {
      const some = list.slice(start, start + IN_FLIGHT);
      const removed = await Promise.all(some.map((email) => this.#syncUser(tag, current, email)));
      gone.push(...some.filter((_, i) => removed[i]));
    }
    if (gone.length > 0) this.#cut(current, gone);
  }

  /** Resolves to whether live connections of the user must end. */
  async #syncUser(tag: string, current: RunningInbound, email: string): Promise<boolean> {
    const { core, desired } = this.#parts;
    const wanted = desired.config().inbounds.get(tag)?.users.get(email);
    const before = current.users.get(email);
    if (wanted && before && sameJson(wanted.account, before.account)) return false;
    if (before) {
      await core.removeUser(current.inbound, email);
      current.users.delete(email);
      return true; // an account with another key comes back once the old connections are gone
    }
    if (!wanted || current.cutting.has(email)) return false;
    await core.addUser(current.inbound, wanted);
    current.users.set(email, wanted);
    return false;
  }

  /** A cut takes about a second: it runs beside the passes, and its users are looked at again when it is done. */
  #cut(current: RunningInbound, emails: readonly string[]): void {
    for (const email of emails) current.cutting.add(email);
    const { core, warn } = this.#parts;
    void core
      .cut(current.inbound, emails)
      .then((uncut) => {
        if (uncut.length > 0) this.#restartSoon(uncut.length);
      })
      .catch((error: unknown) => {
        if (core.running) warn('connections could not be ended', { error: String(error) });
      })
      .then(() => {
        for (const email of emails) {
          current.cutting.delete(email);
          this.#unsettled.push([current.inbound.tag, email]);
        }
        return this.settle();
      });
  }

  /** Sockets could not be destroyed here: one restart for everybody who was taken away meanwhile. */
  #restartSoon(count: number): void {
    if (this.#cutTimer) return;
    this.#parts.warn('connections could not be ended one by one, the core is restarted', { clients: count });
    this.#cutTimer = setTimeout(() => {
      this.#cutTimer = undefined;
      this.#restartFor = 'cut';
      void this.settle();
    }, CUT_DELAY_MS).unref();
  }

  /** What an adopted core runs, from its own mouth, so that the first pass changes only what differs. */
  async #recall(): Promise<void> {
    const { core, desired, dispatch } = this.#parts;
    desired.takeChanges();
    this.#template = core.appliedTemplate();
    if (this.#template === null || !sameJson(this.#template, desired.template())) return this.#mustRestart();
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
      for (const [email, running] of await core.users({ ...inbound, config })) {
        const user = inbound.users.get(email);
        const same = user !== undefined && core.accountDigest(inbound, user) === running;
        users.set(email, same ? user : { email, account: {} });
        if (!same) clients += 1;
      }
      clients += [...inbound.users.keys()].filter((email) => !users.has(email)).length;
      this.#running.set(tag, { inbound: { ...inbound, config }, users, cutting: new Set() });
    }
    for (const tag of new Set([...tags, ...wanted.keys()])) {
      const same = sameJson(this.#running.get(tag)?.inbound.config, wanted.get(tag)?.config);
      if (!same) repaired.push(tag);
      await this.#syncInbound(tag);
    }
    if (repaired.length > 0 || clients > 0)
      dispatch({ type: 'RecordCoreDrift', data: { inbounds: repaired, clients } });
  }

  #mustRestart(): void {
    this.#restartFor = 'configuration';
  }

  /** Now and then: what was left out gets another chance, and a drifted core is put right. */
  #care(): void {
    const { core } = this.#parts;
    if (!core.running || this.#pass) return;
    void this.#compare().catch((error: unknown) =>
      this.#parts.warn('the core could not be compared', { error: String(error) }),
    );
  }

  async #compare(): Promise<void> {
    const { core, desired, dispatch } = this.#parts;
    const tags = new Set(await core.inboundTags());
    if (this.#pass) return; // a pass began meanwhile: the next comparison will do
    const missing = [...this.#running.keys()].filter((tag) => !tags.has(tag));
    for (const tag of missing) this.#running.delete(tag);
    const again = [...missing, ...this.#leftOut.tags].filter((tag) => desired.config().inbounds.has(tag));
    if (again.length === 0) return;
    this.#pass = (async () => {
      for (const tag of again) await this.#syncInbound(tag);
    })()
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#pass = null;
      });
    await this.#pass;
    if (missing.length > 0) dispatch({ type: 'RecordCoreDrift', data: { inbounds: missing, clients: 0 } });
  }

  /** A call that should have worked did not: what runs is unknown now, and a full start settles it. */
  async #recover(error: unknown): Promise<void> {
    this.#parts.warn('the core could not be changed', {
      error: error instanceof Error ? error.message : String(error),
    });
    if (!this.#parts.core.running) return;
    if (this.#careful) {
      this.#careful = false;
      this.#later(5_000);
      this.#restartFor = 'recovery';
      return;
    }
    this.#careful = true;
    this.#restartFor = 'recovery';
    this.#again = true;
  }

  #exited(run: string, reason: string, configuration: boolean): void {
    this.#running.clear();
    this.#failed(reason, configuration, run);
  }

  /** Says so once for each reason, and tries again later; a refused configuration waits longest. */
  #failed(reason: string, configuration: boolean, run: string | null = null): void {
    const { dispatch, known } = this.#parts;
    const { state, error } = known();
    if (state !== 'error' || error !== reason) dispatch({ type: 'RecordCoreFailed', data: { run, reason } });
    this.#backoff.failed(configuration);
    this.#later(this.#backoff.remaining());
  }

  #later(ms: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.settle(), ms + 5).unref();
  }
}
