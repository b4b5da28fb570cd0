import type { RecordedEvent } from '../../../events/catalog.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import { message, type Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import { usesFile } from '../../geo/geo-rules.js';
import type { FetchFile, MissingFile } from '../../ports/cluster/shared-files.js';
import { ClusterAway } from '../../ports/cluster.js';
import type { Core } from '../../ports/core.js';
import type { GeoSourceFiles } from '../../ports/geo-sources.js';
import { type CoreVersions, geoFiles, ReleaseError, wrongVersion } from '../../ports/releases.js';
import { reject } from '../../rejection.js';
import { uses } from '../geo/geo-update.js';
import { failureOf } from './install-failure.js';

/** The files that the log names. */
export interface WantedFiles {
  /** `version` null: the one from before the first installation. Null = none was ever installed. */
  readonly core: { readonly version: string | null; readonly sha256: string | null } | null;
  readonly geo: readonly { readonly file: string; readonly sha256: string }[];
}

interface Parts {
  /** The name of this machine in the cluster. */
  readonly machine: string;
  readonly isLeader: () => boolean;
  readonly core: Pick<Core, 'process' | 'binary'>;
  readonly versions: CoreVersions;
  readonly geo: Pick<GeoSourceFiles, 'has' | 'receive'>;
  readonly wanted: () => WantedFiles;
  readonly config: () => CoreConfig;
  readonly fetch: FetchFile;
  /** Restarts the core of this machine, if it should run. */
  readonly restart: () => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** Pause after a failed attempt, in ms; a test passes a shorter one. */
  readonly retryMs?: number;
}

const RETRY_MS = 15_000;
/** A version that fails within this time after its installation is replaced by the one before, in ms. A start takes up to 45 s. */
const TRIAL_MS = 75_000;

/** Events after which other files may be needed. The restart that they request waits for the files. */
const CHANGES: ReadonlySet<RecordedEvent['type']> = new Set<RecordedEvent['type']>([
  ...(['CoreVersionInstalled', 'CoreVersionRolledBack', 'GeoFilesUpdated'] as const),
  ...(['GeoSourceAdded', 'GeoSourceUpdated', 'GeoSourceDownloaded'] as const),
]);

const commandOf = ({ meta }: RecordedEvent): string => `${meta.correlationId} ${meta.at}`;

/**
 * Gives a machine that follows the files that the leader has installed: the executable of the core and the geo files. They come
 * from the leader, so only one machine needs the internet, and each is compared with the checksum in the log.
 */
export class MachineFiles {
  readonly #parts: Parts;
  #missing: readonly MissingFile[] = [];
  #pass: Promise<void> | null = null;
  #repeat = false;
  #stopped = false;
  #retry: NodeJS.Timeout | undefined;
  #trial: { readonly version: string; readonly from: string | null; readonly since: number } | null = null;
  /** Versions that failed on this machine. */
  readonly #failed = new Map<string, Text>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What this machine lacks, as of the last attempt. */
  get missing(): readonly MissingFile[] {
    return this.#missing;
  }

  /** Takes every batch of events. Returns those that the control of the core should see now. */
  onEvents(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    const { isLeader, machine } = this.#parts;
    if (isLeader()) return events;
    for (const event of events)
      if (event.type === 'CoreFailed' && event.data.machine === machine) this.#coreFailed(event.data.reason);
    const commands = new Set(events.filter(({ type }) => CHANGES.has(type)).map(commandOf));
    if (commands.size === 0) return events;
    setImmediate(() => void this.follow());
    return events.filter((event) => event.type !== 'CoreRestartRequested' || !commands.has(commandOf(event)));
  }

  /** Installs what this machine lacks. Never rejects. */
  follow(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#repeat = true;
    this.#pass ??= this.#passes().finally(() => {
      this.#pass = null;
    });
    return this.#pass;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#pass;
  }

  async #passes(): Promise<void> {
    clearTimeout(this.#retry);
    while (this.#repeat && !this.#stopped) {
      this.#repeat = false;
      try {
        this.#missing = this.#parts.isLeader() ? this.#missingHere() : await this.#install();
      } catch (error) {
        this.#parts.warn('the files of the leader could not be installed', { error: String(error) });
      }
    }
    if (this.#missing.length === 0 || this.#stopped) return;
    this.#retry = setTimeout(() => void this.follow(), this.#parts.retryMs ?? RETRY_MS).unref();
  }

  /** What the leader lacks. It installs from the releases, because there is no other machine to copy from. */
  #missingHere(): readonly MissingFile[] {
    const version = this.#parts.wanted().core?.version ?? null;
    if (version === null || this.#hasCore(version)) return [];
    return [{ file: `core ${version}`, why: message('cluster.fileAbsentHere') }];
  }

  #hasCore(version: string): boolean {
    const { versions, core } = this.#parts;
    if (versions.fixedBy !== null) return core.process.running === null || core.process.running.version === version;
    return versions.installed().includes(version);
  }

  async #install(): Promise<readonly MissingFile[]> {
    const { geo, fetch, wanted, config, restart } = this.#parts;
    const missing: MissingFile[] = [];
    const files = wanted();
    let mustRestart = false;
    for (const { file, sha256 } of files.geo) {
      const why = await this.#tried(file, async () => {
        if (await geo.has(file, sha256)) return;
        await geo.receive(file, sha256, (path) => fetch({ kind: 'geo', name: file }, path));
        mustRestart ||= isUsed(config(), file);
      });
      if (why !== null) missing.push({ file, why });
    }
    if (files.core !== null) {
      const { version, sha256 } = files.core;
      const why = await this.#tried(`core ${version ?? ''}`, async () => {
        if (await this.#useCore(version, sha256)) mustRestart = true;
      });
      if (why !== null) missing.push({ file: `core ${version ?? ''}`.trim(), why });
    }
    if (mustRestart && !this.#stopped) restart();
    return missing;
  }

  /** Null, or why it failed. */
  async #tried(file: string, task: () => Promise<void>): Promise<Text | null> {
    try {
      await task();
      return null;
    } catch (error) {
      const why = error instanceof ClusterAway ? message('cluster.fileAway') : failureOf(error);
      const isKnown = this.#missing.some((other) => other.file === file);
      if (!isKnown) this.#parts.warn('a file of the leader could not be installed', { file, why: render(why, 'en') });
      return why;
    }
  }

  /** Resolves to whether the core must restart. */
  async #useCore(version: string | null, sha256: string | null): Promise<boolean> {
    const { versions, core } = this.#parts;
    const running = core.process.running?.version ?? null;
    if (versions.fixedBy !== null) {
      if (running === null || version === null || running === version) return false;
      throw new ReleaseError(reject('CORE_FIXED', { by: versions.fixedBy }).text);
    }
    const isHere = version !== null && versions.installed().includes(version);
    // The log has no checksum of a version that was never installed through the panel: this machine uses its own.
    if (version === null || (!isHere && sha256 === null)) {
      if (versions.chosen() === null) return false;
      core.binary.use(versions.choose(null));
      return running !== (await core.binary.version());
    }
    if (version === versions.chosen() && isHere) return false;
    const failed = this.#failed.get(version);
    if (failed) throw new ReleaseError(failed);
    await this.#takeCore(version, isHere ? null : sha256);
    return running !== version;
  }

  /** `sha256` null: it is installed already, perhaps built for another processor than that of the leader. */
  async #takeCore(version: string, sha256: string | null): Promise<void> {
    const { versions, core, fetch, config, now } = this.#parts;
    const staged =
      sha256 === null
        ? await versions.stage(version)
        : await versions.receive(version, (path) => fetch({ kind: 'core', name: version }, path));
    try {
      if (sha256 !== null && staged.sha256 !== sha256) throw new ReleaseError(message('cluster.fileDiffers'));
      const reported = await core.binary.trial(staged.binary, config());
      if (reported !== version) throw wrongVersion(version, reported);
      const kept = await versions.keep(await core.binary.version());
      await staged.install();
      this.#trial = { version, from: kept === version ? null : kept, since: now() };
      core.binary.use(versions.choose(version));
    } finally {
      await staged.discard();
    }
  }

  /** Only this machine returns to the version before: the others may run the new one. */
  #coreFailed(reason: Text): void {
    const { versions, core, now, warn, restart } = this.#parts;
    const trial = this.#trial;
    if (trial === null || now() - trial.since > TRIAL_MS) return;
    this.#trial = null;
    const { version, from } = trial;
    warn('this machine returns to the version of the core before', { version, to: from, why: render(reason, 'en') });
    this.#failed.set(version, message('cluster.coreFailed', { why: reason }));
    versions.remove(version);
    core.binary.use(versions.choose(from));
    restart();
    void this.follow();
  }
}

function isUsed(config: CoreConfig, file: string): boolean {
  const builtIn = geoFiles.find((name) => name === file);
  return usesFile(config, file) || (builtIn !== undefined && uses(config, builtIn));
}
