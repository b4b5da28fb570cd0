import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import { type JsonObject, sameJson } from '../../../lib/json.js';
import { Backoff } from '../backoff.js';
import { CoreChanges } from './core-changes.js';
import { CoreDoubts } from './core-doubts.js';
import type { CoreSyncParts } from './core-parts.js';
import { fullStart, type LeftOut, leftOutOf, startFlaw } from './core-start.js';
import { RunningCore } from './running-core.js';

type StartReason = 'start' | 'request' | 'configuration' | 'recovery' | 'cut';

/** How long uncut clients are collected before the one restart that ends their connections, in ms. */
const CUT_DELAY_MS = 2_000;
/** How often what was left out is tried again, and the running core is compared with what was asked of it, in ms. */
const CARE_MS = 60_000;
/** Every how many of these looks the accounts of an inbound are compared too. */
const USERS_EVERY = 5;

/**
 * Keeps the core equal to what the log asks for. It compares states and counts no events, so a replay moves nothing.
 * One pass at a time: hot where the core can, a tested restart where it must.
 */
export class CoreSync {
  readonly #parts: CoreSyncParts;
  readonly #running: RunningCore;
  readonly #changes: CoreChanges;
  readonly #leftOut: LeftOut;
  readonly #backoff: Backoff;
  readonly #doubts: CoreDoubts;
  readonly #subscriptions: Subscription[] = [];
  #template: JsonObject | null = null;
  /** Tags of the inbounds that the core was last asked to run. */
  readonly #asked = new Set<string>();
  #request: 'restart' | null = null;
  #restartFor: StartReason | null = null;
  #pass: Promise<void> | null = null;
  #again = false;
  /** Nothing is changed before it is known what runs. */
  #begun = false;
  #stopped = false;
  #round = 0;
  #careTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #cutTimer: NodeJS.Timeout | undefined;
  /** A call got lost: what runs is to be compared with what was asked. */
  #unsure = false;

  constructor(parts: CoreSyncParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
    this.#doubts = new CoreDoubts(parts.core.process);
    this.#leftOut = leftOutOf(parts);
    this.#running = new RunningCore({
      ...parts,
      leftOut: this.#leftOut,
      uncut: (clients) => this.#restartSoon(clients),
      due: () => void this.settle(),
    });
    this.#changes = new CoreChanges(this.#running, parts.counters.passOn);
    this.#subscriptions.push(
      parts.core.process.exited$.subscribe((exit) => this.#exited(exit.run, exit.reason, exit.configuration)),
    );
  }

  /** Takes over a core that runs, or starts one, and then follows the log. */
  async begin(): Promise<void> {
    const { core, recorded, dispatch } = this.#parts;
    const adopted = await core.process.adopt().catch((error: unknown) => {
      this.#parts.warn('the running core could not be taken over', { error: String(error) });
      return null;
    });
    if (adopted) {
      dispatch({ type: 'RecordCoreStarted', data: { run: adopted.run, version: adopted.version, reason: 'adopted' } });
      this.#parts.desired.takeChanges();
      this.#template = core.process.appliedTemplate();
      for (const tag of this.#parts.desired.config().inbounds.keys()) this.#asked.add(tag);
      if (this.#outdated()) this.#restartFor = 'configuration';
      else await this.#running.recall(true).catch((error: unknown) => this.#recover(error));
    } else if (recorded.process().run !== null) {
      dispatch({
        type: 'RecordCoreFailed',
        data: { run: recorded.process().run, reason: 'it ended while the panel was not running' },
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

  /** Told what the core counts for each client: a client that was cut and still receives bytes is cut again. */
  observe(counters: ReadonlyMap<number, { readonly down: number }>): void {
    this.#running.observe(counters);
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
    if (keep) await this.#parts.core.process.release();
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
    const { core, desired, recorded } = this.#parts;
    if (!recorded.process().wanted) {
      desired.takeChanges();
      this.#request = null;
      if (core.process.running) await this.#stop('request');
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
    if (!core.process.running) {
      if (this.#backoff.waiting() && !this.#mended()) this.#later(this.#backoff.remaining());
      else await this.#start('start');
      return;
    }
    const changes = desired.takeChanges();
    for (const tag of changes.inbounds) this.#asked.add(tag);
    if (this.#outdated()) {
      if (changes.template || !this.#backoff.waiting()) {
        await this.#start('configuration');
        return;
      }
      // The core keeps the previous template. Clients that may not connect are cut anyway.
      this.#later(this.#backoff.remaining());
    }
    this.#changes.note(changes.inbounds);
    if (this.#unsure) await this.#running.recall(false);
    this.#unsure = false;
    if (await this.#changes.step(changes.users)) this.#again = true;
    this.#doubts.over();
  }

  /** Whether the core runs with another template than the log asks for; only a restart changes that. */
  #outdated(): boolean {
    return this.#template === null || !sameJson(this.#template, this.#parts.desired.template());
  }

  /** Whether what kept the core from running may be gone: an inbound that it was to run, or the template. Then nothing waits. */
  #mended(): boolean {
    const { template, inbounds } = this.#parts.desired.takeChanges();
    return template || [...inbounds].some((tag) => this.#asked.has(tag));
  }

  async #start(reason: StartReason): Promise<void> {
    const { core, desired, dispatch } = this.#parts;
    desired.takeChanges();
    const template = desired.template();
    const inbounds = new Map(
      [...desired.config().inbounds].map(([tag, inbound]) => [tag, { ...inbound, users: new Map(inbound.users) }]),
    );
    if (core.process.running) {
      const flaw = await startFlaw(core, { template, inbounds }, this.#leftOut);
      if (flaw !== null) {
        // What runs is better than nothing; the next try comes with the next change, or in a minute.
        this.#parts.kept(flaw);
        this.#backoff.failed(true);
        this.#unsure = true;
        this.#again = true;
        return;
      }
      await this.#stop(reason === 'request' || reason === 'cut' ? reason : 'configuration');
    }
    this.#running.forget();
    this.#asked.clear();
    this.#changes.forget();
    this.#unsure = false;
    for (const tag of inbounds.keys()) this.#asked.add(tag);
    const started = await fullStart(core, { template, inbounds }, this.#leftOut);
    if (!started.ok) {
      this.#failed(started.reason, started.configuration, { run: null, awaited: reason === 'request' });
      return;
    }
    const { run, version } = started.run;
    this.#template = template;
    dispatch({ type: 'RecordCoreStarted', data: { run, version, reason } });
    this.#running.started([...inbounds.values()].filter(({ tag }) => !this.#leftOut.flaws.has(tag)));
    this.#backoff.started();
  }

  async #stop(reason: 'request' | 'shutdown' | 'configuration' | 'cut'): Promise<void> {
    const { core, dispatch, counters } = this.#parts;
    const stopped = core.process.running;
    if (!stopped) return;
    await counters.readLast();
    await core.process.stop();
    clearTimeout(this.#cutTimer); // nobody is connected any more
    this.#cutTimer = undefined;
    this.#running.forget();
    dispatch({ type: 'RecordCoreStopped', data: { run: stopped.run, reason } });
  }

  /** Sockets could not be destroyed here: one restart for everybody who was taken away meanwhile. */
  #restartSoon(count: number): void {
    if (this.#cutTimer) return;
    if (!this.#parts.restartToDisconnect()) {
      this.#parts.warn('connections could not be ended one by one and go on, as the settings want it', {
        clients: count,
      });
      return;
    }
    this.#parts.warn('connections could not be ended one by one, the core is restarted', { clients: count });
    this.#cutTimer = setTimeout(() => {
      this.#cutTimer = undefined;
      if (this.#parts.restartToDisconnect()) this.#restartFor = 'cut';
      void this.settle();
    }, CUT_DELAY_MS).unref();
  }

  /** Now and then: what was left out gets another chance, and a drifted core is put right. */
  #care(): void {
    const { core } = this.#parts;
    if (!core.process.running || this.#pass || this.#stopped) return;
    this.#round += 1;
    this.#pass = this.#running
      .compare(this.#round % USERS_EVERY === 0)
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#pass = null;
        if (this.#again) void this.settle();
      });
  }

  /** What runs is not known any more. */
  async #recover(error: unknown): Promise<void> {
    const { core, warn } = this.#parts;
    warn('the core could not be changed', { error: error instanceof Error ? error.message : String(error) });
    if (!core.process.running) return;
    this.#unsure = true;
    const { restart, afterMs } = await this.#doubts.remedy(error);
    if (restart) this.#restartFor = 'recovery';
    if (afterMs === 0) this.#again = true;
    else this.#later(afterMs);
  }

  #exited(run: string, reason: string, configuration: boolean): void {
    this.#running.forget();
    this.#failed(reason, configuration, { run, awaited: false });
  }

  /**
   * Says so once for each reason, or when somebody awaits it, and tries again later; a refused configuration waits
   * longest. `run`: the one that ended; null = none came up.
   */
  #failed(reason: string, configuration: boolean, { run, awaited }: { run: string | null; awaited: boolean }): void {
    const { dispatch, recorded } = this.#parts;
    const { state, error } = recorded.process();
    if (awaited || state !== 'error' || error !== reason) dispatch({ type: 'RecordCoreFailed', data: { run, reason } });
    this.#backoff.failed(configuration);
    this.#later(this.#backoff.remaining());
  }

  #later(ms: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.settle(), ms + 5).unref();
  }
}
