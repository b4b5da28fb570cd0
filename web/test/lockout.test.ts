import { describe, expect, it } from 'vitest';
import { lockoutOf } from '../src/login/lockout';

const MINUTE = 60_000;
const T0 = Date.UTC(2030, 0, 1, 14, 17);
const failures = (...minutes: number[]): number[] => minutes.map((minute) => T0 + minute * MINUTE);

describe('the lockout of the login', () => {
  it('begins with the fifth failure within five minutes and lasts 15 minutes', () => {
    expect(lockoutOf(failures(0, 1, 2, 3), T0 + 3 * MINUTE)).toStrictEqual({ failures: 4, until: null });
    expect(lockoutOf(failures(0, 1, 2, 3, 4), T0 + 4 * MINUTE)).toStrictEqual({ failures: 5, until: T0 + 19 * MINUTE });
    expect(lockoutOf(failures(0, 1, 2, 3, 4), T0 + 19 * MINUTE)).toStrictEqual({ failures: 0, until: null });
  });

  it('does not begin when the failures are further apart', () => {
    expect(lockoutOf(failures(0, 2, 4, 6, 8), T0 + 8 * MINUTE)).toStrictEqual({ failures: 3, until: null });
  });

  it('is not extended by attempts during it', () => {
    const during = failures(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect(lockoutOf(during, T0 + 9 * MINUTE)).toStrictEqual({ failures: 5, until: T0 + 19 * MINUTE });
  });
});
