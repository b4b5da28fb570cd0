import { describe, expect, it } from 'vitest';
import { FailureRecords } from '../../../../src/http/panel/auth/failure-records.js';
import { startPanel } from '../../kit/panel.js';

const MINUTE = 60_000;
/** Most events that failed logins may cause in a minute. */
const MOST = 12;

describe('the events of failed logins', () => {
  it('are few per minute for any number of networks, prefixes and names', async () => {
    const panel = await startPanel({ settings: { trustedProxyCIDRs: '127.0.0.1/32' } });
    const before = panel.log.head().position;
    const attempt = (n: number) => {
      const ip = n % 2 === 0 ? `198.51.${n >> 8}.${n & 255}` : `2001:db8:${n.toString(16)}::1`;
      const body = { username: `name-${n}`, password: 'wrong' };
      return panel.browser().post('/login', body, { 'x-forwarded-for': ip });
    };
    for (let n = 0; n < 300; n += 30) await Promise.all(Array.from({ length: 30 }, (_, more) => attempt(n + more)));
    await panel.web.close();
    const failed = panel.log.read(before, 1000).flatMap((event) => (event.type === 'LoginFailed' ? [event] : []));
    // The test may run over the end of a minute.
    expect(failed.length).toBeLessThanOrEqual(2 * MOST);
    expect(failed.reduce((sum, { data }) => sum + data.count, 0)).toBe(300);
    expect(failed.at(-1)).toMatchObject({ data: { attempt: { username: '', ip: '' }, reason: 'credentials' } });
  });

  it('name the callers with the most failures, and count the others by reason', () => {
    let at = 0;
    const records = new FailureRecords(() => at);
    const failure = (n: number) => ({ ip: `10.0.0.${n}`, username: 'x', reason: 'credentials' as const });
    expect([1, 2, 3, 4, 5, 6].map((n) => records.mayRecord(failure(n)))).toEqual([true, true, true, true, true, false]);
    at += MINUTE;
    expect(records.mayRecord(failure(7))).toBe(true);
    for (let n = 0; n < 100_000; n += 1)
      records.add({
        ip: `2001:db8::${n.toString(16)}`,
        username: `n${n}`,
        reason: n % 2 === 0 ? 'locked' : 'two-factor',
      });
    for (let n = 0; n < 20; n += 1) records.add(failure(6));
    const sums = records.drain();
    expect(sums).toHaveLength(6);
    expect(sums[0]).toEqual({ ...failure(6), count: 21 });
    expect(sums.slice(4)).toEqual(
      expect.arrayContaining([
        { ip: '', username: '', reason: 'locked', count: expect.any(Number) },
        { ip: '', username: '', reason: 'two-factor', count: expect.any(Number) },
      ]),
    );
    expect(sums.reduce((sum, { count }) => sum + count, 0)).toBe(100_021);
    expect(records.drain()).toEqual([]);
  });
});
