import { describe, expect, it } from 'vitest';
import { type Attempt, LoginLimiter } from '../../../../src/http/panel/auth/limiter.js';

const MINUTE = 60_000;

type Begun = ReturnType<LoginLimiter['begin']>;
/** The admitted attempt, or null. */
const admitted = (begun: Begun): Attempt | null => (typeof begun === 'string' ? null : begun);

const start = () => {
  let at = 1_700_000_000_000;
  const refusals: string[] = [];
  const limiter = new LoginLimiter(
    () => at,
    (ip) => refusals.push(ip),
  );
  const fail = (ip: string, name = 'admin'): boolean => {
    const attempt = admitted(limiter.begin(ip, name));
    attempt?.failed();
    return attempt !== null;
  };
  /** How many failures in a row are admitted, of at most `most`. */
  const failures = (ip: string, most: number, name = 'admin'): number =>
    Array.from({ length: most }, () => fail(ip, name)).filter(Boolean).length;
  return { limiter, refusals, fail, failures, later: (ms: number) => void (at += ms) };
};

describe('the login limit', () => {
  it('counts the addresses of an IPv6 /64 as one', () => {
    const { failures, fail } = start();
    expect(failures('2001:db8:1:2::1', 5)).toBe(5);
    expect(fail('2001:db8:1:2:ffff::9')).toBe(false);
    expect(fail('2001:db8:1:3::1')).toBe(true);
  });

  it('ignores the case of a name, for one address', () => {
    const { fail } = start();
    const names = ['admin', 'Admin', 'ADMIN', 'aDmin', 'adMin'];
    expect(names.map((name) => fail('198.51.100.1', name))).not.toContain(false);
    expect(fail('198.51.100.1', 'admiN')).toBe(false);
    expect(fail('198.51.100.1', 'other')).toBe(true);
  });

  it('locks no other address, after a thousand failures', () => {
    const { failures, limiter } = start();
    failures('198.51.100.1', 1000);
    expect(admitted(limiter.begin('198.51.100.2', 'admin'))).not.toBeNull();
  });

  it('counts for five minutes, and locks for fifteen from the last failure', () => {
    const { failures, fail, later } = start();
    expect(failures('198.51.100.1', 4)).toBe(4);
    later(5 * MINUTE + 1);
    expect(failures('198.51.100.1', 9)).toBe(5);
    later(15 * MINUTE - 1);
    expect(fail('198.51.100.1')).toBe(false);
    later(1);
    expect(fail('198.51.100.1')).toBe(true);
  });

  it('is reset by a success for the name, but not for the address', () => {
    const { limiter, failures } = start();
    for (let round = 0; round < 7; round += 1) {
      expect(failures('198.51.100.1', 4)).toBe(4);
      admitted(limiter.begin('198.51.100.1', 'admin'))?.succeeded();
    }
    expect(failures('198.51.100.1', 10)).toBe(2);
    expect(limiter.begin('198.51.100.1', 'other')).toBe('locked');
  });

  it('admits a limited number of concurrent attempts, over all callers', () => {
    const { limiter } = start();
    const open = Array.from({ length: 64 }, (_, n) => admitted(limiter.begin(`198.51.100.${n}`, 'admin')));
    expect(open).not.toContain(null);
    expect(limiter.begin('203.0.113.1', 'admin')).toBe('busy');
    open[0]?.succeeded();
    expect(admitted(limiter.begin('203.0.113.1', 'admin'))).not.toBeNull();
  });

  it('queues many valid logins of one caller, and rejects none', async () => {
    const { limiter, refusals } = start();
    let most = 0;
    let now = 0;
    const login = async (): Promise<boolean> => {
      const attempt = admitted(await limiter.enter('198.51.100.1', 'admin'));
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      attempt?.succeeded();
      return attempt !== null;
    };
    expect(await Promise.all(Array.from({ length: 50 }, login))).not.toContain(false);
    expect(most).toBe(5);
    expect(refusals).toEqual([]);
  });

  it('rejects queued attempts once the guesses before them have failed', async () => {
    const { limiter, refusals } = start();
    const first = await Promise.all(Array.from({ length: 5 }, () => limiter.enter('198.51.100.1', 'admin')));
    const waiting = Array.from({ length: 70 }, () => limiter.enter('198.51.100.1', 'admin'));
    const elsewhere = admitted(await limiter.enter('198.51.100.2', 'admin'));
    expect(elsewhere).not.toBeNull();
    for (const attempt of first) admitted(attempt)?.failed();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['locked', 'busy']));
    expect(refusals).toHaveLength(70);
    elsewhere?.succeeded();
  });

  it('has bounded memory: keeps the latest of 100,000 names and addresses', () => {
    const { fail, limiter } = start();
    for (let n = 0; n < 100_000; n += 1) fail(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, `name-${n}`);
    for (let n = 0; n < 5; n += 1) fail('192.0.2.1', 'late');
    expect(limiter.begin('192.0.2.1', 'late')).toBe('locked');
    expect(limiter.size).toBeLessThanOrEqual(40_000);
  });
});
