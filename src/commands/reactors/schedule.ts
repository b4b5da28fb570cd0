import { Cron } from 'croner';

/** The longest time that a timer can wait, in ms. */
const LONGEST_MS = 2 ** 31 - 1;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
const NAMED: Readonly<Record<string, string>> = { '@midnight': '@daily', '@annually': '@yearly' };

/**
 * Calls `run` again and again, as the settings write it: cron fields (with or without seconds), `@daily` and its like in
 * a time zone (`Local` = that of the machine), or `@every 1h30m` from now on. Throws for what is no schedule.
 */
export function scheduled(schedule: string, timeZone: string, run: () => void): { stop(): void } {
  const text = schedule.trim();
  if (text.startsWith('@every ')) {
    const timer = setInterval(run, periodOf(text.slice('@every '.length))).unref();
    return { stop: () => clearInterval(timer) };
  }
  // A question mark is a star to those who wrote these schedules; croner takes it for the moment of the start.
  const pattern = NAMED[text] ?? text.replaceAll('?', '*');
  const zone = timeZone === 'Local' ? {} : { timezone: timeZone };
  const job = new Cron(pattern, { ...zone, unref: true }, run);
  return { stop: () => job.stop() };
}

/** `1h30m` in ms; at least a second. */
function periodOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([hms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) throw new Error(`${text} is no duration`);
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
  return Math.min(LONGEST_MS, Math.max(1000, ms));
}
