/** Times are ms since 1970; a zone is a name of the IANA database. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The end of the year 9999: a later time is a mistake (nanoseconds, or digits too many). */
export const LATEST_MS = 253_402_300_799_999;

export type Period = 'hourly' | 'daily' | 'weekly' | 'monthly';

/** The zone behind the setting: `Local` is that of the machine. */
export function zoneNamed(name: string): string {
  return name === 'Local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name;
}

/** When the period began that `now` is in: the hour, midnight, midnight of Sunday or of the first, by the clocks there. */
export function periodStart(now: number, period: Period, zone: string): number {
  const wall = new Date(wallOf(now, zone));
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  switch (period) {
    case 'hourly':
      // Hours are even through a change of the clocks, and zones may be half an hour off.
      return Math.floor((now + offsetOf(now, zone)) / HOUR_MS) * HOUR_MS - offsetOf(now, zone);
    case 'daily':
      return timeOf(Date.UTC(year, month, day), zone);
    case 'weekly':
      return timeOf(Date.UTC(year, month, day - wall.getUTCDay()), zone);
    case 'monthly':
      return timeOf(Date.UTC(year, month, 1), zone);
  }
}

/** When the period ends that `now` is in, and the next one begins. */
export function periodEnd(now: number, period: Period, zone: string): number {
  const start = periodStart(now, period, zone);
  // Some hours into the next one, whatever the clocks do: the shortest day has 23 of them, the longest month 745.
  const within = { hourly: 1.5, daily: 30, weekly: 7 * 24 + 6, monthly: 31 * 24 + 6 }[period];
  return periodStart(start + within * HOUR_MS, period, zone);
}

/**
 * So many days later at the same time of day by the clocks there, also where a day has 23 or 25 hours. `like`: a time of which
 * `at` is that of another day; its time of day counts where the clocks left it out on the day of `at`.
 */
export function addDays(at: number, days: number, zone: string, like = at): number {
  return timeOf(meant(at, zone, like) + days * DAY_MS, zone);
}

/** What the clocks there should have shown at `at`. */
function meant(at: number, zone: string, like: number): number {
  const shown = wallOf(at, zone);
  const timeOfDay = dayPart(wallOf(like, zone));
  // What is left out before midnight is made up for after it.
  const candidates = [0, DAY_MS].map((back) => shown - dayPart(shown) - back + timeOfDay);
  return candidates.find((wall) => timeOf(wall, zone) === at) ?? shown;
}

const dayPart = (wall: number): number => wall - Math.floor(wall / DAY_MS) * DAY_MS;

/** What the clocks there show, as if it were UTC. */
export function wallOf(at: number, zone: string): number {
  return at + offsetOf(at, zone);
}

/** When the clocks there show this; the later time where they never do, the earlier where they do it twice. */
export function timeOf(wall: number, zone: string): number {
  const candidates = [wall - offsetOf(wall - DAY_MS, zone), wall - offsetOf(wall + DAY_MS, zone)];
  const right = candidates.filter((at) => wallOf(at, zone) === wall);
  return right.length > 0 ? Math.min(...right) : Math.max(...candidates);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks there are ahead of UTC, in ms. */
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
