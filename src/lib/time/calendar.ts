/** Times are ms since 1970; a zone is a name of the IANA database. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The end of the year 9999: a later time is a mistake (nanoseconds, or digits too many). */
export const MAX_TIME_MS = 253_402_300_799_999;

export type Period = 'hourly' | 'daily' | 'weekly' | 'monthly';

/** The zone behind the setting: `Local` is that of the machine. */
export function zoneNamed(name: string): string {
  return name === 'Local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name;
}

/** Whether a time zone has this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}

/** The start of the current period in a time zone: the hour, midnight, midnight of Sunday or of the first of the month. */
export function periodStart(now: number, period: Period, zone: string): number {
  const wall = new Date(wallOf(now, zone));
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  switch (period) {
    case 'hourly':
      // Hours have equal length when the clocks change, and zones may be offset by half an hour.
      return Math.floor((now + offsetOf(now, zone)) / HOUR_MS) * HOUR_MS - offsetOf(now, zone);
    case 'daily':
      return timeOf(Date.UTC(year, month, day), zone);
    case 'weekly':
      return timeOf(Date.UTC(year, month, day - wall.getUTCDay()), zone);
    case 'monthly':
      return timeOf(Date.UTC(year, month, 1), zone);
  }
}

/** The end of the current period, which is the start of the next one. */
export function periodEnd(now: number, period: Period, zone: string): number {
  const start = periodStart(now, period, zone);
  // A few hours into the next period: the shortest day has 23 hours, the longest month 745.
  const within = { hourly: 1.5, daily: 30, weekly: 7 * 24 + 6, monthly: 31 * 24 + 6 }[period];
  return periodStart(start + within * HOUR_MS, period, zone);
}

/**
 * `days` later at the same local time, also when a day has 23 or 25 hours. `like` gives the time of day if the clocks skipped
 * it on the day of `at`.
 */
export function addDays(at: number, days: number, zone: string, like = at): number {
  return timeOf(meant(at, zone, like) + days * DAY_MS, zone);
}

/** The local time at `at` before a skipped hour moved it. */
function meant(at: number, zone: string, like: number): number {
  const shown = wallOf(at, zone);
  const timeOfDay = dayPart(wallOf(like, zone));
  // A time that is skipped before midnight is shifted past it.
  const candidates = [0, DAY_MS].map((back) => shown - dayPart(shown) - back + timeOfDay);
  return candidates.find((wall) => timeOf(wall, zone) === at) ?? shown;
}

const dayPart = (wall: number): number => wall - Math.floor(wall / DAY_MS) * DAY_MS;

/** The local time, encoded as if it were UTC. */
export function wallOf(at: number, zone: string): number {
  return at + offsetOf(at, zone);
}

/** The time of a local time; the later one when it is skipped, the earlier one when it occurs twice. */
export function timeOf(wall: number, zone: string): number {
  const candidates = [wall - offsetOf(wall - DAY_MS, zone), wall - offsetOf(wall + DAY_MS, zone)];
  const right = candidates.filter((at) => wallOf(at, zone) === wall);
  return right.length > 0 ? Math.min(...right) : Math.max(...candidates);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The offset from UTC in ms. */
function offsetOf(at: number, zone: string): number {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
