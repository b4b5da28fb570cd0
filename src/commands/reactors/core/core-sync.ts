import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { CounterTable } from '../../../events/traffic/counter-table.js';
import { type JsonObject, sameJson } from '../../../lib/json.js';
import { within } from '../../../lib/time/within.js';
import { message, type Text } from '../../../messages/message.js';
import { Backoff } from '../backoff.js';
import { DelayedRestart } from './delayed-restart.js';
import { DriftRepair } from './drift.js';
import type { CoreSyncParts } from './parts.js';
import { PendingChanges } from './pending-changes.js';
import { CoreRecovery } from './recovery.js';
import { RunningCore } from './running-core.js';
import { type ExcludedInbounds, excludedInbounds, startCore, startProblem } from './start.js';

type StartReason = 'start' | 'request' | 'configuration' | 'recovery' | 'disconnect';

/** How often excluded inbounds are tried again, and the running core is compared with the desired configuration, in ms. */
const MAINTENANCE_MS = 60_000;
/** In one of this many comparisons, the accounts of an inbound are compared too. */
const COMPARE_USERS_EVERY = 5;

/**
 * Keeps the core in the state that the log describes. It compares states and does not react to single events, so a replay
 * changes nothing. One pass runs at a time: without a restart where the core allows it, otherwise with a tested restart.
 */
export class CoreSync {
  readonly #parts: CoreSyncParts;
  readonly #running: RunningCore;
  readonly #drift: DriftRepair;
  readonly #disconnectRestart: DelayedRestart;
  readonly #changes: PendingChanges;
  readonly #excluded: ExcludedInbounds;
  readonly #backoff: Backoff;
  readonly #recovery: CoreRecovery;
  readonly #subscriptions: Subscription[] = [];
  #template: JsonObject | null = null;
  /** Tags of the inbounds in the last desired configuration. */
  readonly #asked = new Set<string>();
  #request: 'restart' | null = null;
  #restartFor: StartReason | null = null;
  #pass: Promise<void> | null = null;
  #repeat = false;
  /** Nothing is changed before it is known which core runs. */
  #begun = false;
  #stopped = false;
  #round = 0;
  #maintenanceTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** A call got lost: the running core must be compared with the desired configuration. */
  #stateUnknown = false;

  constructor(parts: CoreSyncParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
    this.#recovery = new CoreRecovery(parts.core.process);
    this.#excluded = excludedInbounds(parts);
    this.#disconnectRestart = new DelayedRestart(parts, () => {
      this.#restartFor = 'disconnect';
      void this.settle();
    });
    const running = {
      ...{ ...parts, excluded: this.#excluded, closed: () => void this.settle() },
      notClosed: (clients: number) => this.#disconnectRestart.request(clients),
    };
    this.#running = new RunningCore(running);
    this.#drift = new DriftRepair(running, this.#running);
    this.#changes = new PendingChanges(this.#running, parts.counters.passOn);
    this.#subscriptions.push(
      parts.core.process.exited$.subscribe((exit) => this.#exited(exit.run, exit.reason, exit.configuration)),
    );
  }

  /** Adopts the running core or starts one, and then follows the log. */
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
      if (this.#templateChanged()) this.#restartFor = 'configuration';
      else await this.#drift.reconcile(true).catch((error: unknown) => this.#recover(error));
    } else if (recorded.process().run !== null) {
      dispatch({
        type: 'RecordCoreFailed',
        data: { run: recorded.process().run, reason: message('core.exitedWithoutPanel') },
      });
    }
    this.#begun = true;
    this.#maintenanceTimer = setInterval(() => this.#maintain(), MAINTENANCE_MS).unref();
    await this.settle();
  }

  /** Takes every batch of events; the work starts after the tick in which they were appended. */
  onEvents(events: readonly RecordedEvent[]): void {
    for (const event of events) if (event.type === 'CoreRestartRequested') this.#request = 'restart';
    setImmediate(() => void this.settle());
  }

  /** Restarts the core, if it should run: it has another executable, or other files. */
  restart(): void {
    this.#request = 'restart';
    void this.settle();
  }

  /** Takes the counters of each client: a disconnected client that still receives bytes is disconnected again. */
  observe(counters: Pick<CounterTable, 'get'>): void {
    this.#running.observe(counters);
  }

  /** Resolves when all changes up to the call have been tried. Never rejects. */
  settle(): Promise<void> {
    if (!this.#begun || this.#stopped) return Promise.resolve();
    if (this.#pass) {
      this.#repeat = true;
      return this.#pass;
    }
    this.#pass = this.#loop().finally(() => {
      this.#pass = null;
    });
    return this.#pass;
  }

  /** Like `settle`, but resolves after `ms` milliseconds at the latest. */
  settledWithin(ms: number): Promise<void> {
    return within(ms, this.settle(), () => undefined);
  }

  /** Stops following. `keep` leaves the core running for the next panel process. */
  async end(keep: boolean): Promise<void> {
    this.#stopped = true;
    for (const timer of [this.#maintenanceTimer, this.#retryTimer]) clearTimeout(timer);
    this.#disconnectRestart.cancel();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    await this.#pass;
    if (keep) await this.#parts.core.process.release();
    else await this.#stop('shutdown');
  }

  async #loop(): Promise<void> {
    do {
      this.#repeat = false;
      try {
        await this.#once();
      } catch (error) {
        await this.#recover(error);
      }
    } while (this.#repeat && !this.#stopped);
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
      this.#request = this.#restartFor = null;
      this.#backoff.reset();
      await this.#start(reason);
      return;
    }
    if (!core.process.running) {
      if (this.#backoff.waiting() && !this.#causeMayBeGone()) this.#later(this.#backoff.remaining());
      else await this.#start('start');
      return;
    }
    const changes = desired.takeChanges();
    for (const tag of changes.inbounds) this.#asked.add(tag);
    if (this.#templateChanged()) {
      if (changes.template || !this.#backoff.waiting()) {
        await this.#start('configuration');
        return;
      }
      // The core keeps the previous template. Clients that may no longer connect are disconnected anyway.
      this.#later(this.#backoff.remaining());
    }
    this.#changes.note(changes.inbounds);
    if (this.#stateUnknown) await this.#drift.reconcile(false);
    this.#stateUnknown = false;
    if (await this.#changes.step(changes.users)) this.#repeat = true;
    this.#recovery.succeeded();
  }

  /** Whether the core runs with a template other than the one in the log; only a restart changes that. */
  #templateChanged(): boolean {
    return this.#template === null || !sameJson(this.#template, this.#parts.desired.template());
  }

  /** Whether the reason of the last failure may be gone because the template or one of the inbounds changed. */
  #causeMayBeGone(): boolean {
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
      const problem = await startProblem(core, { template, inbounds }, this.#excluded);
      if (problem !== null) {
        // The running core is kept; the next attempt comes with the next change, or in a minute.
        this.#parts.configurationRejected(problem);
        this.#backoff.failed(true);
        this.#stateUnknown = true;
        this.#repeat = true;
        return;
      }
      await this.#stop(reason === 'request' || reason === 'disconnect' ? reason : 'configuration');
    }
    this.#running.forget();
    this.#asked.clear();
    this.#changes.forget();
    this.#stateUnknown = false;
    for (const tag of inbounds.keys()) this.#asked.add(tag);
    const started = await startCore(core, { template, inbounds }, this.#excluded);
    if (!started.ok) {
      this.#failed(started.reason, started.configuration, { run: null, awaited: reason === 'request' });
      return;
    }
    const { run, version } = started.run;
    this.#template = template;
    dispatch({ type: 'RecordCoreStarted', data: { run, version, reason } });
    this.#running.started([...inbounds.values()].filter(({ tag }) => !this.#excluded.problems.has(tag)));
    this.#backoff.started();
  }

  async #stop(reason: 'request' | 'shutdown' | 'configuration' | 'disconnect'): Promise<void> {
    const { core, dispatch, counters } = this.#parts;
    const stopped = core.process.running;
    if (!stopped) return;
    await counters.readLast();
    await core.process.stop();
    this.#disconnectRestart.cancel(); // no client is connected now
    this.#running.forget();
    dispatch({ type: 'RecordCoreStopped', data: { run: stopped.run, reason } });
  }

  /** Runs periodically: tries excluded inbounds again, and repairs drift. */
  #maintain(): void {
    const { core } = this.#parts;
    if (!core.process.running || this.#pass || this.#stopped) return;
    this.#round += 1;
    this.#pass = this.#drift
      .compare(this.#round % COMPARE_USERS_EVERY === 0)
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#pass = null;
        if (this.#repeat) void this.settle();
      });
  }

  /** After a failed change the state of the core is unknown. */
  async #recover(error: unknown): Promise<void> {
    const { core, warn } = this.#parts;
    warn('the core could not be changed', { error: error instanceof Error ? error.message : String(error) });
    if (!core.process.running) return;
    this.#stateUnknown = true;
    const { restart, afterMs } = await this.#recovery.planAfter(error);
    if (restart) this.#restartFor = 'recovery';
    if (afterMs === 0) this.#repeat = true;
    else this.#later(afterMs);
  }

  #exited(run: string, reason: Text, configuration: boolean): void {
    this.#disconnectRestart.cancel(); // the connections ended with the run
    this.#running.forget();
    this.#failed(reason, configuration, { run, awaited: false });
  }

  /**
   * Records the failure once for each reason, or when a request awaits it, and schedules a retry; a refused configuration
   * waits longest. `run`: the run that ended; null = none started.
   */
  #failed(reason: Text, configuration: boolean, { run, awaited }: { run: string | null; awaited: boolean }): void {
    const { dispatch, recorded } = this.#parts;
    const { state, error } = recorded.process();
    if (awaited || state !== 'error' || !sameJson(error, reason))
      dispatch({ type: 'RecordCoreFailed', data: { run, reason } });
    this.#backoff.failed(configuration);
    this.#later(this.#backoff.remaining());
  }

  #later(ms: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.settle(), ms + 5).unref();
  }
}
