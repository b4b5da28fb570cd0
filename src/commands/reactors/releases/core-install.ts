import type { RecordedEvent } from '../../../events/catalog.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counted.js';
import type { Core } from '../../ports/core.js';
import { type CoreVersions, ReleaseError, type StagedCore } from '../../ports/releases.js';
import { Rejection, reject } from '../../rejection.js';
import { failureOf, logFailure } from './install-failure.js';

type Dispatch = (command: PlainCommand) => Done | Rejection;

/** What the log says of the versions. */
interface Choice {
  readonly version: string | null;
  readonly trial: { readonly from: string | null; readonly since: number | null } | null;
}

export interface CoreInstallParts {
  readonly core: Pick<Core, 'process' | 'binary'>;
  readonly versions: CoreVersions;
  readonly choice: () => Choice;
  readonly wanted: () => boolean;
  /** What the core shall run, without the inbounds that it has refused. */
  readonly config: () => CoreConfig;
  /** In the name of the panel. */
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
const TRIAL_MS = 30_000;
/** How long a start may take, in ms: longer than the timeout of the adapter. */
const START_MS = 45_000;
/** How long the answer waits for the previous version to run again, in ms. */
const RETURN_MS = 10_000;

/**
 * Changes the version of the core: get, check, put in place, say so in the log, restart, and go back when the new one
 * does not last. The log says which version counts; the file in the data directory follows it.
 */
export class CoreInstall {
  readonly #parts: CoreInstallParts;
  #busy = false;

  constructor(parts: CoreInstallParts) {
    this.#parts = parts;
  }

  /** Before anything runs: what an interrupted installation left is removed, and the version of the log is chosen. */
  prepare(): void {
    const { versions, choice, core } = this.#parts;
    versions.tidy();
    if (versions.fixedBy !== null) return;
    const { version } = choice();
    if (version === null || version === versions.chosen() || !versions.installed().includes(version)) return;
    core.binary.use(versions.choose(version));
  }

  /** Once the core runs: a version that was installed and never started gets its start. */
  begin(): void {
    const { choice, wanted, core, dispatch } = this.#parts;
    const { version, trial } = choice();
    if (trial?.since !== null || !wanted() || core.process.running === null || core.process.running.version === version)
      return;
    dispatch({ type: 'RestartCore', data: {} });
  }

  /** Takes every batch of events; the work starts after the tick in which they were appended. */
  notice(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.type !== 'CoreFailed') continue;
      const { trial } = this.#parts.choice();
      if (trial === null || (trial.since !== null && event.meta.at - trial.since > TRIAL_MS)) continue;
      setImmediate(() => this.#rollBack(event.data.reason));
      return;
    }
  }

  /** Tags, newest first. When the list of releases could not be downloaded: the reason, and the installed versions. */
  async list(): Promise<{ readonly versions: readonly string[]; readonly why: string | null }> {
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

  /**
   * Installs a version, `latest` or a tag, with the rights of the caller. Resolves once the core runs with it, or
   * to why nothing changed. A second one meanwhile is refused.
   */
  async install(wish: string, dispatch: Dispatch): Promise<string | Rejection> {
    const { versions } = this.#parts;
    if (versions.fixedBy !== null) return reject('CORE_FIXED', { by: versions.fixedBy });
    if (this.#busy) return reject('INSTALL_RUNNING');
    this.#busy = true;
    try {
      return await logFailure(this.#resolved(wish, dispatch), this.#parts.warn);
    } finally {
      this.#busy = false;
    }
  }

  async #resolved(wish: string, dispatch: Dispatch): Promise<string | Rejection> {
    const version = await this.#resolve(wish);
    return version instanceof Rejection ? version : this.#install(version, dispatch);
  }

  /** The version for a request: an installed one, which needs no network, or a release. */
  async #resolve(wish: string): Promise<string | Rejection> {
    const { versions } = this.#parts;
    const plain = wish.replace(/^v/, '');
    if (versions.installed().includes(plain)) return plain;
    try {
      const tags = (await versions.available()).map((tag) => tag.replace(/^v/, ''));
      const found = wish === 'latest' ? tags[0] : tags.find((tag) => tag === plain);
      return found ?? reject('VERSION_UNKNOWN', { version: wish });
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
      const says = await core.binary.trial(staged.binary, this.#parts.config());
      if (says !== version) throw new ReleaseError(`the executable says that it is version ${says ?? '(none)'}`);
      if (versions.chosen() === version && core.process.running?.version === version) return version;
      const kept = await versions.keep(await core.binary.version());
      // What runs stays chosen, whatever comes between here and the log.
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
    if (end?.type === 'CoreVersionRolledBack') return this.#takenBack(end.data.reason, end.position);
    if (end?.type === 'CoreStarted')
      return end.data.version === version ? version : this.#started(version, end.position);
    const why = 'the core did not start with it in time';
    return this.#takenBack(why, this.#rollBack(why) ?? position);
  }

  /** Answers after the previous version runs again, unless it does not start either. */
  async #takenBack(why: string, position: number): Promise<Rejection> {
    await this.#parts.outcome(position, ['CoreStarted', 'CoreFailed'], RETURN_MS);
    return reject('CORE_ROLLED_BACK', { why });
  }

  #failed(version: string, error: unknown, dispatch: Dispatch): Rejection {
    const reason = failureOf(error);
    this.#parts.warn('the core could not be installed', { version, reason });
    const done = dispatch({ type: 'RecordCoreInstallFailed', data: { version, reason } });
    return done instanceof Rejection ? done : reject('INSTALL_FAILED', { why: reason });
  }

  /** The position of the return in the log, or null when there was none. */
  #rollBack(reason: string): number | null {
    const { core, versions, choice, dispatch, warn } = this.#parts;
    const { version, trial } = choice();
    if (version === null || trial === null) return null;
    warn('the new version of the core is taken back', { version, to: trial.from, reason });
    if (trial.from === null) versions.remove(version);
    core.binary.use(versions.choose(trial.from));
    const done = dispatch({ type: 'RecordCoreRolledBack', data: { version, restoredVersion: trial.from, reason } });
    if (!(done instanceof Rejection)) return done.events.at(-1)?.position ?? null;
    warn('the return to the former core could not be recorded', { reason: done.message });
    return null;
  }
}
