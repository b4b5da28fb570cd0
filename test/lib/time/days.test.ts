import { assert as check, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spanStart } from '../../../src/commands/reactors/traffic/spans.js';
import { dayRange } from '../../../src/lib/time/day-range.js';
import { Days, dayNamed, dayText } from '../../../src/lib/time/days.js';

const at = (text: string): number => Date.parse(text);
const day = (text: string): number => dayNamed(text) ?? Number.NaN;

describe('the days of a time zone', () => {
  it.each([
    ['UTC', '2026-03-31T23:59:59.999Z', '2026-03-31'],
    ['Asia/Tehran', '2026-03-31T20:29:59.999Z', '2026-03-31'],
    ['Asia/Tehran', '2026-03-31T20:30:00Z', '2026-04-01'],
    ['Asia/Kathmandu', '2026-03-31T18:15:00Z', '2026-04-01'],
    // 23 hours, and 25.
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
    // A day without a midnight.
    ['Asia/Beirut', '2022-03-26T21:59:59Z', '2022-03-26'],
    ['Asia/Beirut', '2022-03-26T22:00:00Z', '2022-03-27'],
    // At one minute past midnight the clocks went back to the day before.
    ['America/St_Johns', '2006-10-29T02:30:30Z', '2006-10-29'],
    ['America/St_Johns', '2006-10-29T02:45:00Z', '2006-10-29'],
  ])('in %s: %s is in %s', (zone, time, date) => {
    expect(dayText(new Days(zone).of(at(time)))).toBe(date);
  });

  it('follow each other without a gap, in any order of queries', () => {
    const zones = constantFrom('Asia/Tehran', 'America/Sao_Paulo', 'America/St_Johns', 'Pacific/Apia', 'Africa/Cairo');
    const times = integer({ min: at('2000-01-01'), max: at('2035-01-01') });
    check(
      property(zones, times, times, (zone, time, other) => {
        const days = new Days(zone);
        days.of(other);
        const found = days.of(time);
        expect(days.begin(found)).toBeLessThanOrEqual(time);
        expect(days.begin(found + 1)).toBeGreaterThan(time);
        expect(new Days(zone).of(time)).toBe(found);
      }),
      { numRuns: 200 },
    );
  });

  it.each(['2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', '2026-01-01T00:00', '', 'today'])(
    '%j is invalid',
    (text) => {
      expect(dayNamed(text)).toBeNull();
    },
  );
});

describe('the spans of a roll-up', () => {
  it('end at every midnight of every zone', () => {
    const split: string[] = [];
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const days = new Days(zone);
      for (let date = day('2025-01-15'); date < day('2027-01-15'); date += 61) {
        const midnight = days.begin(date);
        if (spanStart(midnight) !== midnight) split.push(`${zone} ${dayText(date)}`);
      }
    }
    expect(split).toStrictEqual([]);
  });

  it('are an hour long, or two parts of one', () => {
    const start = (text: string) => new Date(spanStart(at(`2026-03-31T${text}Z`))).toISOString().slice(11, 16);
    expect(
      ['00:59:59', '20:29:59', '20:30:00', '20:59:59', '18:15:00', '18:29:59', '18:30:00'].map(start),
    ).toStrictEqual(['00:00', '20:00', '20:30', '20:30', '18:15', '18:15', '18:30']);
  });
});

describe('a range of days', () => {
  const days = new Days('Asia/Tehran');
  const now = at('2026-11-21T21:00:00Z');
  const range = (from: string, to: string) => {
    const found = dayRange(from, to, days, now);
    return 'problem' in found ? found.problem : found.days.map(dayText);
  };

  it.each([
    ['', '', ['2026-11-01', '2026-11-22']],
    ['', '2026-02-28', ['2026-02-01', '2026-02-28']],
    ['2026-03-31', '', ['2026-03-31', '2026-11-22']],
    ['2026-03-31', '2999-01-01', ['2026-03-31', '2026-11-22']],
    [String(at('2026-03-31T20:30:00Z')), String(at('2026-04-01T20:29:59Z')), ['2026-04-01', '2026-04-01']],
    ['2016-11-22', '2026-11-22', ['2016-11-22', '2026-11-22']],
    ['2016-11-20', '', 'too long'],
    ['0', '', 'too long'],
    ['2026-11-22', '2026-11-21', 'reversed'],
    ['2026-11-23', '', 'reversed'],
    ['-5', '', { day: 'from', value: '-5' }],
    ['', '1e3', { day: 'to', value: '1e3' }],
    ['', '999999999999999', { day: 'to', value: '999999999999999' }],
  ])('from %j to %j is %j', (from, to, expected) => {
    expect(range(from, to)).toStrictEqual(expected);
  });
});
