import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type Period, periodEnd, periodStart } from '../../../src/lib/time/calendar.js';

const at = (text: string): number => Date.parse(text);

describe('the start of a period', () => {
  it.each([
    ['hourly', 'UTC', '2026-03-29T01:59:59Z', '2026-03-29T01:00:00Z'],
    ['hourly', 'Asia/Tehran', '2026-05-01T12:10:00Z', '2026-05-01T11:30:00Z'],
    ['daily', 'Asia/Tehran', '2026-05-01T20:29:59Z', '2026-04-30T20:30:00Z'],
    ['daily', 'Asia/Tehran', '2026-05-01T20:30:00Z', '2026-05-01T20:30:00Z'],
    // Midnight is before and after the change of the clocks on this day, and the day has 23 hours.
    ['daily', 'Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-28T23:00:00Z'],
    ['daily', 'Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-29T22:00:00Z'],
    // There was no midnight on this day: the clocks went from 23:59 to 01:00.
    ['daily', 'Asia/Beirut', '2022-03-27T12:00:00Z', '2022-03-26T22:00:00Z'],
    ['weekly', 'UTC', '2026-11-21T10:00:00Z', '2026-11-15T00:00:00Z'],
    ['weekly', 'UTC', '2026-11-22T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['monthly', 'America/New_York', '2026-11-30T12:00:00Z', '2026-11-01T04:00:00Z'],
    ['monthly', 'UTC', '2028-02-29T23:00:00Z', '2028-02-01T00:00:00Z'],
  ] as const)('%s in %s at %s is %s', (period, zone, now, start) => {
    expect(new Date(periodStart(at(now), period, zone)).toISOString()).toBe(new Date(at(start)).toISOString());
  });

  it('is never in the future, and the same for all of its period', () => {
    const zones = fc.constantFrom('UTC', 'Asia/Tehran', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu');
    const periods = fc.constantFrom<Period>('hourly', 'daily', 'weekly', 'monthly');
    const times = fc.integer({ min: at('2015-01-01'), max: at('2035-01-01') });
    fc.assert(
      fc.property(zones, periods, times, (zone, period, now) => {
        const start = periodStart(now, period, zone);
        expect(start).toBeLessThanOrEqual(now);
        expect(periodStart(start, period, zone)).toBe(start);
        expect(periodStart(start - 1, period, zone)).toBeLessThan(start);
        const end = periodEnd(now, period, zone);
        expect(end).toBeGreaterThan(now);
        expect(periodStart(end, period, zone)).toBe(end);
        expect(periodStart(end - 1, period, zone)).toBe(start);
      }),
    );
  });
});

describe('the time some days later', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T11:00:00Z', 1, '2026-03-29T10:00:00Z'],
    ['Europe/Berlin', '2026-10-24T10:00:00Z', 1, '2026-10-25T11:00:00Z'],
    ['UTC', '2026-01-31T00:00:00Z', 30, '2026-03-02T00:00:00Z'],
    // 02:30 does not exist on this day.
    ['Europe/Berlin', '2026-03-28T01:30:00Z', 1, '2026-03-29T01:30:00Z'],
  ])('in %s, %s and %i days is %s', (zone, from, days, to) => {
    expect(new Date(addDays(at(from), days, zone)).toISOString()).toBe(new Date(at(to)).toISOString());
  });
});
