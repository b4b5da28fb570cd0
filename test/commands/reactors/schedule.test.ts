import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isSchedule, scheduled } from '../../../src/commands/reactors/schedule.js';
import { schedule } from '../../../src/events/settings/setting-fields.js';

const MINUTE = 60_000;

/** A clock that stands at a time, and how often a schedule has run on it. */
function held(text: string, zone: string, at: string) {
  vi.useFakeTimers({ now: new Date(at) });
  onTestFinished(() => void vi.useRealTimers());
  const runs: string[] = [];
  const job = scheduled(text, zone, () => runs.push(new Date().toISOString().slice(0, 19)));
  onTestFinished(() => job.stop());
  return { runs, job };
}

describe('a schedule', () => {
  it.each<[string, string, number, string[]]>([
    ['@every 1m', 'UTC', 2 * MINUTE, ['2026-01-31T23:59:30', '2026-02-01T00:00:30']],
    ['@every 1h30m', 'UTC', 90 * MINUTE, ['2026-02-01T01:28:30']],
    ['@every 0s', 'UTC', 2_000, ['2026-01-31T23:58:31', '2026-01-31T23:58:32']],
    ['*/15 * * * * *', 'UTC', 30_000, ['2026-01-31T23:58:45', '2026-01-31T23:59:00']],
    ['0 * * * *', 'UTC', 2 * MINUTE, ['2026-02-01T00:00:00']],
    ['@hourly', 'UTC', 2 * MINUTE, ['2026-02-01T00:00:00']],
    ['0 30 3 ? * *', 'Asia/Tehran', 2 * MINUTE, ['2026-02-01T00:00:00']],
    ['0 0 1 * ?', 'UTC', 2 * MINUTE, ['2026-02-01T00:00:00']],
  ])('%s in %s', async (text, zone, ms, expected) => {
    const { runs, job } = held(text, zone, '2026-01-31T23:58:30Z');
    await vi.advanceTimersByTimeAsync(ms);
    expect(runs).toEqual(expected);
    job.stop();
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(runs).toEqual(expected);
  });

  it('runs at midnight in its time zone', async () => {
    const { runs } = held('@midnight', 'Asia/Tehran', '2026-02-01T20:28:30Z');
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(runs).toEqual(['2026-02-01T20:30:00']);
  });

  it.each([
    '@hourly',
    '@daily',
    '@midnight',
    '@weekly',
    '@monthly',
    '@yearly',
    '@annually',
    '0 3 * * MON-FRI',
    '@every 2h3m4s',
  ])('accepts what the setting accepts: %s', (text) => {
    expect(schedule.parse(text)).toBe(text);
    scheduled(text, 'Local', () => undefined).stop();
  });

  it.each(['@every 1s', '@every 0h5m', '@midnight', '0 0 29 2 *', '0 0 1 * ?', '*/5 * * * * *', '0 3 * * MON-FRI'])(
    'comes: %s',
    (text) => expect(isSchedule(text, Date.UTC(2026, 0, 1))).toBe(true),
  );

  it.each(['@every 0s', '@every 0h0m', '61 * * * *', '0 25 * * *', '0 0 31 2 *', '0 0 0 * *', '@sometimes', 'x', ''])(
    'never comes, or all the time: %j',
    (text) => expect(isSchedule(text, Date.UTC(2026, 0, 1))).toBe(false),
  );

  it.each(['@every ', '@every 5', '@every 1x', '99 * * * *', '@sometimes', ''])('is not %j', (text) => {
    expect(() => scheduled(text, 'UTC', () => undefined)).toThrow();
  });
});
