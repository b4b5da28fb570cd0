import { Cron } from 'croner';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Settings } from '../../events/settings/settings.js';
import { touchSettings } from '../../events/settings/settings-touched.js';

/** The longest time that a timer can wait, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
const NAMED: Readonly<Record<string, string>> = { '@midnight': '@daily', '@annually': '@yearly' };

/**
 * Calls `run` repeatedly by a schedule in the format of the settings: cron fields (with or without seconds), `@daily`
 * and its like in a time zone (`Local` = that of the machine), or `@every 1h30m` from now on. Throws for an invalid
 * schedule.
 */
export function scheduled(schedule: string, timeZone: string, run: () => void): { stop(): void } {
  const text = schedule.trim();
  if (text.startsWith('@every ')) {
    const timer = setInterval(run, periodOf(text.slice('@every '.length))).unref();
    return { stop: () => clearInterval(timer) };
  }
  const zone = timeZone === 'Local' ? {} : { timezone: timeZone };
  const job = new Cron(patternOf(text), { ...zone, unref: true }, run);
  return { stop: () => job.stop() };
}

interface Timetable {
  /** The setting that holds the schedule, and the one that turns it on, if there is one. */
  readonly schedule: 'backupSchedule' | 'chatBotRunTime' | 'geoUpdateSchedule' | 'ldapSyncCron';
  readonly enabledBy?: keyof Settings;
  readonly settings: () => Settings;
  readonly run: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

/** Runs a task by a schedule in the settings, and follows the settings. An invalid schedule is logged and nothing runs. */
export class SettingsSchedule {
  readonly #timetable: Timetable;
  #job: { stop(): void } | null = null;

  constructor(timetable: Timetable) {
    this.#timetable = timetable;
  }

  begin(): void {
    const { schedule, enabledBy, settings, run, warn } = this.#timetable;
    const { [schedule]: text, timeLocation, [enabledBy ?? schedule]: enabled } = settings();
    this.stop();
    if (text === '' || !enabled) return;
    try {
      this.#job = scheduled(text, timeLocation, run);
    } catch (error) {
      warn(`${schedule} is not a valid schedule: what it starts does not run`, { err: error });
    }
  }

  onEvents(events: readonly RecordedEvent[]): void {
    const { schedule, enabledBy } = this.#timetable;
    if (touchSettings(events, [schedule, 'timeLocation', ...(enabledBy ? [enabledBy] : [])])) this.begin();
  }

  stop(): void {
    this.#job?.stop();
    this.#job = null;
  }
}

/** Whether a text is a schedule that runs after `now` (ms since 1970), and not continuously. Starts nothing. */
export function isSchedule(schedule: string, now: number): boolean {
  const text = schedule.trim();
  try {
    if (text.startsWith('@every ')) return sumOf(text.slice('@every '.length)) > 0;
    return new Cron(patternOf(text), { timezone: 'UTC' }).nextRun(new Date(now)) !== null;
  } catch {
    return false;
  }
}

/** When a schedule next runs after `now` (ms since 1970); null when it never does. Throws for an invalid schedule. */
export function upcoming(schedule: string, timeZone: string, now: number): number | null {
  const text = schedule.trim();
  if (text.startsWith('@every ')) return now + periodOf(text.slice('@every '.length));
  const zone = timeZone === 'Local' ? {} : { timezone: timeZone };
  return new Cron(patternOf(text), { ...zone, paused: true }).nextRun(new Date(now))?.getTime() ?? null;
}

/** In these schedules a question mark means the same as a star; croner would read it as the time of the start. */
function patternOf(text: string): string {
  return NAMED[text] ?? text.replaceAll('?', '*');
}

/** `1h30m` in ms; at least a second. */
function periodOf(text: string): number {
  return Math.min(MAX_TIMER_MS, Math.max(1000, sumOf(text)));
}

function sumOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([hms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) throw new Error(`${text} is no duration`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}
