import type { RecordedEvent } from '../../../events/catalog.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import { message, type Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counter-commands.js';
import type { Core } from '../../ports/core.js';
import { type CoreVersions, type StagedCore, wrongVersion } from '../../ports/releases.js';
import { Rejection, reject } from '../../rejection.js';
import { failureOf, logFailure } from './install-failure.js';

type Dispatch = (command: PlainCommand) => Done | Rejection;

/** The versions in the log. */
interface Choice {
  readonly version: string | null;
  readonly trial: { readonly from: string | null; readonly since: number | null } | null;
}

interface CoreInstallParts {
  readonly core: Pick<Core, 'process' | 'binary'>;
  readonly versions: CoreVersions;
  readonly choice: () => Choice;
  /** Whether this panel decides about an event of a machine of its cluster; always on a panel that is alone. */
  readonly decides?: (machine: string | undefined) => boolean;
  readonly wanted: () => boolean;
  /** The configuration of the core, without the inbounds that it has rejected. */
  readonly config: () => CoreConfig;
  /** Dispatches with the panel as the actor. */
  readonly dispatch: Dispatch;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
  readonly warn: (message: string, fields?: object) => void;
}

/** A new version that ends within this time after its start is rolled back, in ms. */
export const TRIAL_MS = 30_000;
/** How long a start may take, in ms: longer than the timeout of the adapter. */
const START_MS = 45_000;
/** How long a response waits for the previous version to run again, in ms. */
const RETURN_MS = 10_000;

/**
 * Changes the version of the core: download, verify, install, record, restart, and roll back when the new version fails.
 * The log determines the version; the file in the data directory follows it.
 */
export class CoreInstall {
  readonly #parts: CoreInstallParts;
  #busy = false;

  constructor(parts: CoreInstallParts) {
    this.#parts = parts;
  }

  /** Before anything runs: deletes the remains of an interrupted installation, and chooses the version that the log names. */
  prepare(): void {
    const { versions, choice, core } = this.#parts;
    versions.removeUnfinished();
    if (versions.fixedBy !== null) return;
    const { version } = choice();
    if (version === null || version === versions.chosen() || !versions.installed().includes(version)) return;
    core.binary.use(versions.choose(version));
  }

  /** Once the core runs: restarts it if an installed version has never been started. */
  begin(): void {
    const { choice, wanted, core, dispatch } = this.#parts;
    const { version, trial } = choice();
    if (trial?.since !== null || !wanted() || core.process.running === null || core.process.running.version === version)
      return;
    dispatch({ type: 'RestartCore', data: {} });
  }

  /** Takes every batch of events; the work starts after the tick in which they were appended. */
  onEvents(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.type !== 'CoreFailed' || this.#parts.decides?.(event.data.machine) === false) continue;
      const { trial } = this.#parts.choice();
      if (trial === null || (trial.since !== null && event.meta.at - trial.since > TRIAL_MS)) continue;
      setImmediate(() => this.#rollBack(event.data.reason));
      return;
    }
  }

  /** Tags, newest first. When the list of releases could not be downloaded: the reason, and the installed versions. */
  async list(): Promise<{ readonly versions: readonly string[]; readonly why: Text | null }> {
    const { versions } = this.#parts;
    try {
      return { versions: await versions.available(), why: null };
    } catch (error) {
      const here = versions.installed();
      const only =
        here.length > 0 ? here : [await this.#parts.core.binary.version()].filter((version) => version !== null);
      return { versions: only.map((version) => `v${version}`), why: failureOf(error) };
    }
  }

  /** The versions in the data directory, newest first, and the variable that fixes the executable; null = none. */
  installed(): { readonly versions: readonly string[]; readonly fixedBy: string | null } {
    const { versions } = this.#parts;
    return { versions: versions.installed(), fixedBy: versions.fixedBy };
  }

  /**
   * Installs a version, `latest` or a tag, on behalf of the caller. Resolves once the core runs with it, or to why nothing
   * changed. A concurrent call is rejected.
   */
  async install(requested: string, dispatch: Dispatch): Promise<string | Rejection> {
    const { versions } = this.#parts;
    if (versions.fixedBy !== null) return reject('CORE_FIXED', { by: versions.fixedBy });
    if (this.#busy) return reject('INSTALL_RUNNING');
    this.#busy = true;
    try {
      return await logFailure(this.#resolved(requested, dispatch), this.#parts.warn);
    } finally {
      this.#busy = false;
    }
  }

  async #resolved(requested: string, dispatch: Dispatch): Promise<string | Rejection> {
    const version = await this.#resolve(requested);
    return version instanceof Rejection ? version : this.#install(version, dispatch);
  }

  /** The requested version: an installed one, which needs no network, or a release. */
  async #resolve(requested: string): Promise<string | Rejection> {
    const { versions } = this.#parts;
    const plain = requested.replace(/^v/, '');
    if (versions.installed().includes(plain)) return plain;
    try {
      const tags = (await versions.available()).map((tag) => tag.replace(/^v/, ''));
      const found = requested === 'latest' ? tags[0] : tags.find((tag) => tag === plain);
      return found ?? reject('VERSION_UNKNOWN', { version: requested });
    } catch (error) {
      return reject('RELEASES_UNREACHABLE', { why: failureOf(error) });
    }
  }

  async #install(version: string, dispatch: Dispatch): Promise<string | Rejection> {
    const { core, versions } = this.#parts;
    let staged: StagedCore | null = null;
    let done: Done | Rejection;
    let known = true;
    try {
      staged = await versions.stage(version);
      const reported = await core.binary.trial(staged.binary, this.#parts.config());
      if (reported !== version) throw wrongVersion(version, reported);
      if (versions.chosen() === version && core.process.running?.version === version) return version;
      const kept = await versions.keep(await core.binary.version());
      // The running version stays chosen until the event is recorded.
      if (kept !== null && kept !== versions.chosen()) core.binary.use(versions.choose(kept));
      known = versions.installed().includes(version);
      await staged.install();
      const from = kept === version ? null : kept;
      done = dispatch({ type: 'RecordCoreInstalled', data: { version, previousVersion: from, sha256: staged.sha256 } });
      if (!(done instanceof Rejection)) core.binary.use(versions.choose(version));
    } catch (error) {
      return this.#failed(version, error, dispatch);
    } finally {
      await staged?.discard();
    }
    if (done instanceof Rejection) {
      if (!known) versions.remove(version);
      return done;
    }
    if (!this.#parts.wanted()) return version;
    return this.#started(version, done.events.at(-1)?.position ?? 0);
  }

  /** Waits until the core runs with the version; an earlier start may finish first. */
  async #started(version: string, position: number): Promise<string | Rejection> {
    const end = await this.#parts.outcome(position, ['CoreStarted', 'CoreVersionRolledBack'], START_MS);
    if (end?.type === 'CoreVersionRolledBack') return this.#rolledBack(end.data.reason, end.position);
    if (end?.type === 'CoreStarted')
      return end.data.version === version ? version : this.#started(version, end.position);
    const why = message('releases.coreStartTimedOut');
    return this.#rolledBack(why, this.#rollBack(why) ?? position);
  }

  /** Answers after the previous version runs again, unless it does not start either. */
  async #rolledBack(why: Text, position: number): Promise<Rejection> {
    await this.#parts.outcome(position, ['CoreStarted', 'CoreFailed'], RETURN_MS);
    return reject('CORE_ROLLED_BACK', { why });
  }

  #failed(version: string, error: unknown, dispatch: Dispatch): Rejection {
    const reason = failureOf(error);
    this.#parts.warn('the core could not be installed', { version, reason: render(reason, 'en') });
    const done = dispatch({ type: 'RecordCoreInstallFailed', data: { version, reason } });
    return done instanceof Rejection ? done : reject('INSTALL_FAILED', { why: reason });
  }

  /** The position of the rollback in the log, or null when there was none. */
  #rollBack(reason: Text): number | null {
    const { core, versions, choice, dispatch, warn } = this.#parts;
    const { version, trial } = choice();
    if (version === null || trial === null) return null;
    warn('the new version of the core is rolled back', { version, to: trial.from, reason: render(reason, 'en') });
    if (trial.from === null) versions.remove(version);
    core.binary.use(versions.choose(trial.from));
    const done = dispatch({ type: 'RecordCoreRolledBack', data: { version, restoredVersion: trial.from, reason } });
    if (!(done instanceof Rejection)) return done.events.at(-1)?.position ?? null;
    warn('the rollback of the core could not be recorded', { reason: done.message });
    return null;
  }
}
