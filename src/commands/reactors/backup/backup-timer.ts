import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { Settings } from '../../../events/settings/settings.js';
import type { Alarms } from '../../../lib/alarms.js';
import { BackupError, type Backups } from '../../ports/backups.js';
import { SettingsSchedule } from '../schedule.js';

interface Parts {
  readonly backups: Pick<Backups, 'keep' | 'latest'>;
  readonly settings: () => Settings;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly alarms: Pick<Alarms, 'raise' | 'over'>;
  readonly warn: (message: string, fields?: object) => void;
}

/** After a start, before a backup is made that was missed while the panel was down, in ms. */
const CATCH_UP_MS = 60_000;
/** Between two looks at the age of the last good one, in ms. */
const LOOK_MS = 3_600_000;
/** After another backup was in the way, in ms. */
const AGAIN_MS = 300_000;
const LATE = 'backups are late';
/** Makes the timed backups, and raises an alarm when the last good one is too old. */
export class BackupTimer {
  readonly #parts: Parts;
  #following: Subscription | null = null;
  readonly #schedule: SettingsSchedule;
  readonly #timers = new Set<NodeJS.Timeout>();
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { settings, warn } = parts;
    const run = (): void => void this.run();
    this.#schedule = new SettingsSchedule({ schedule: 'backupSchedule', enabledBy: 'backupKeep', settings, run, warn });
  }

  begin(): void {
    this.#schedule.begin();
    this.#following = this.#parts.changed$.subscribe((events) => {
      this.#schedule.notice(events);
      if (events.some(({ type }) => type === 'BackupVerified')) this.#parts.alarms.over([LATE]);
    });
    this.#looking = setInterval(() => this.look(), LOOK_MS).unref();
    this.#later(() => {
      if (this.#parts.backups.latest().late) void this.run();
      this.look();
    }, CATCH_UP_MS);
  }

  stop(): void {
    this.#following?.unsubscribe();
    this.#schedule.stop();
    clearInterval(this.#looking);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Makes one now, or soon when something is in the way. Never rejects: the log says how it ended. */
  async run(): Promise<void> {
    try {
      await this.#parts.backups.keep();
    } catch (error) {
      if (error instanceof BackupError && error.kind === 'busy') this.#later(() => void this.run(), AGAIN_MS);
      else this.#parts.warn('a timed backup failed', { err: error });
    }
    this.look();
  }

  /** Raises the alarm when there is reason to. */
  look(): void {
    const { backups, alarms } = this.#parts;
    const { late, lastGood } = backups.latest();
    if (!late) return alarms.over([LATE]);
    const body =
      lastGood === null ? 'There is no good one.' : `The last good one is of ${new Date(lastGood.at).toISOString()}.`;
    alarms.raise(LATE, { title: 'Timed backups are late', body, severity: 'error' });
  }

  #later(run: () => void, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms).unref();
    this.#timers.add(timer);
  }
}
