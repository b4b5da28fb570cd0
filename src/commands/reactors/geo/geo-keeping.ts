import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import { geoFileOf } from '../../../events/geo/geo.js';
import type { GeoSource } from '../../../events/geo/geo-document.js';
import type { Settings } from '../../../events/settings/settings.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import type { GeoSourceFiles } from '../../ports/geo-sources.js';
import { type GeoFileName, geoFiles } from '../../ports/releases.js';
import { SettingsSchedule } from '../schedule.js';
import type { GeoCaller, GeoSources } from './geo-sources.js';
import { uses } from './geo-update.js';

interface Parts {
  readonly geoSources: Pick<GeoSources, 'update' | 'stop'>;
  readonly files: Pick<GeoSourceFiles, 'has' | 'exists' | 'removeTemporaryFiles'>;
  readonly sources: () => ReadonlyMap<number, GeoSource>;
  readonly config: () => CoreConfig;
  /** Downloads built-in files. */
  readonly builtIn: (names: readonly GeoFileName[]) => Promise<unknown>;
  readonly settings: () => Settings;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly dispatch: GeoCaller['dispatch'];
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** Shortest time between two scheduled updates, in ms. */
const MIN_DELAY_MS = 60_000;
/** First and longest delay before a missing file is downloaded again, in ms. */
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/** Downloads missing geo files again, and updates them by the schedule of the settings. */
export class GeoKeeping {
  readonly #parts: Parts;
  #following: Subscription | null = null;
  readonly #schedule: SettingsSchedule;
  #lastTimed = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | undefined;
  #delay = RETRY_MS;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { settings, warn } = parts;
    const run = (): void => void this.#timed();
    this.#schedule = new SettingsSchedule({ schedule: 'geoUpdateSchedule', settings, run, warn });
  }

  /** At startup: deletes the remains of an earlier process. */
  prepare(): void {
    try {
      this.#parts.files.removeTemporaryFiles();
    } catch (error) {
      this.#parts.warn('the folder of the geo files could not be cleaned up', { err: error });
    }
  }

  /** Once the core runs: downloads missing files in the background. */
  begin(): void {
    this.#schedule.begin();
    this.#following = this.#parts.changed$.subscribe((events) => this.#onEvents(events));
    void this.repair();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#following?.unsubscribe();
    this.#schedule.stop();
    clearTimeout(this.#retry);
    await this.#parts.geoSources.stop();
  }

  /** Downloads every file that is missing or differs from the one in the log. Never rejects. */
  async repair(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      const lost = await this.#lost();
      if (lost.length > 0) {
        this.#parts.warn('files of geo sources are missing or differ from the log; they are downloaded again', {
          files: lost.map(geoFileOf),
        });
        await this.#parts.geoSources.update(lost, this.#parts);
      }
      await this.#repairBuiltIn();
    } catch (error) {
      this.#parts.warn('geo files could not be downloaded again', { err: error });
    }
    this.#again();
  }

  async #lost(): Promise<readonly GeoSource[]> {
    const { files, sources } = this.#parts;
    const lost: GeoSource[] = [];
    for (const source of sources().values()) {
      const { content } = source;
      if (!content || !(await files.has(geoFileOf(source), content.sha256))) lost.push(source);
    }
    return lost;
  }

  /** Only the files that the core needs: it does not start without them. */
  async #repairBuiltIn(): Promise<void> {
    const missing = this.#missingBuiltIn();
    if (missing.length > 0 && !this.#stopped) await this.#parts.builtIn(missing);
  }

  #missingBuiltIn(): readonly GeoFileName[] {
    const { files, config } = this.#parts;
    return geoFiles.filter((file) => !files.exists(file) && uses(config(), file));
  }

  #again(): void {
    const { files, sources } = this.#parts;
    const missing = [...sources().values()].some((source) => !files.exists(geoFileOf(source)));
    if (this.#stopped) return;
    if (!missing && this.#missingBuiltIn().length === 0) this.#delay = RETRY_MS;
    else {
      this.#retry = setTimeout(() => void this.repair(), this.#delay).unref();
      this.#delay = Math.min(MAX_RETRY_MS, this.#delay * 2);
    }
  }

  #onEvents(events: readonly RecordedEvent[]): void {
    const { sources } = this.#parts;
    this.#schedule.onEvents(events);
    for (const { type, data } of events) {
      // An imported source has no file yet.
      if (type === 'GeoSourceAdded' && sources().get(data.source)?.content === null) {
        setImmediate(() => void this.repair());
        break;
      }
    }
  }

  async #timed(): Promise<void> {
    const { geoSources, sources, now, warn } = this.#parts;
    if (this.#stopped || now() - this.#lastTimed < MIN_DELAY_MS || sources().size === 0) return;
    this.#lastTimed = now();
    try {
      await geoSources.update([...sources().values()], this.#parts);
    } catch (error) {
      warn('the geo sources could not be updated', { err: error });
    }
  }
}
