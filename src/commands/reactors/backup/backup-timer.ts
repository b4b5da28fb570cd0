import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { Settings } from '../../../events/settings/settings.js';
import type { Alarms } from '../../../lib/alarms.js';
import { message } from '../../../messages/message.js';
import { BackupError, type Backups } from '../../ports/backups.js';
import { SettingsSchedule } from '../schedule.js';

interface Parts {
  readonly backups: Pick<Backups, 'keep' | 'latest'>;
  readonly settings: () => Settings;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>;
  readonly warn: (message: string, fields?: object) => void;
}

/** Delay after a start before a missed backup is made, in ms. */
const CATCH_UP_MS = 60_000;
/** Interval at which the age of the last verified backup is checked, in ms. */
const CHECK_MS = 3_600_000;
/** Delay before a retry when another backup is in progress, in ms. */
const RETRY_MS = 300_000;
const LATE = 'backups are late';

/** Makes the scheduled backups, and raises an alarm when the last verified one is too old. */
export class BackupTimer {
  readonly #parts: Parts;
  #following: Subscription | null = null;
  readonly #schedule: SettingsSchedule;
  readonly #timers = new Set<NodeJS.Timeout>();
  #checking: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { settings, warn } = parts;
    const run = (): void => void this.run();
    this.#schedule = new SettingsSchedule({ schedule: 'backupSchedule', enabledBy: 'backupKeep', settings, run, warn });
  }

  begin(): void {
    this.#schedule.begin();
    this.#following = this.#parts.changed$.subscribe((events) => {
      this.#schedule.onEvents(events);
      if (events.some(({ type }) => type === 'BackupVerified')) this.#parts.alarms.clear([LATE]);
    });
    this.#checking = setInterval(() => this.check(), CHECK_MS).unref();
    this.#later(() => {
      if (this.#parts.backups.latest().late) void this.run();
      this.check();
    }, CATCH_UP_MS);
  }

  stop(): void {
    this.#following?.unsubscribe();
    this.#schedule.stop();
    clearInterval(this.#checking);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Makes a backup now, or later when another job is in progress. Never rejects: an event records the result. */
  async run(): Promise<void> {
    try {
      await this.#parts.backups.keep();
    } catch (error) {
      if (error instanceof BackupError && error.kind === 'busy') this.#later(() => void this.run(), RETRY_MS);
      else this.#parts.warn('a scheduled backup failed', { err: error });
    }
    this.check();
  }

  /** Raises the alarm when backups are late, and ends it when they are not. */
  check(): void {
    const { backups, alarms } = this.#parts;
    const { late, lastGood } = backups.latest();
    if (!late) return alarms.clear([LATE]);
    const body = lastGood === null ? message('backup.noneGood') : message('backup.lastGood', { at: lastGood.at });
    alarms.raise(LATE, { title: message('backup.late'), body, severity: 'error' });
  }

  #later(run: () => void, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms).unref();
    this.#timers.add(timer);
  }
}
