import { describe, expect, it } from 'vitest';
import { type Failure, lockoutOf } from '../src/login/lockout';

const MINUTE = 60_000;
const T0 = Date.UTC(2030, 0, 1, 14, 17);
const at = (minute: number): number => T0 + minute * MINUTE;
const failures = (...minutes: number[]): Failure[] => minutes.map((minute) => ({ at: at(minute), name: 'ann' }));
const lock = (limit: 'name' | 'address', minute: number) => ({ failures: 5, lock: { limit, until: at(minute) } });
/** Six names with as many failures each as do not lock them. */
const manyNames = Array.from({ length: 30 }, (_, n) => ({ at: at(n / 10), name: `guess-${n % 8}` }));

describe('the lockout of the login', () => {
  it('begins with the fifth failure within five minutes and lasts 15 minutes', () => {
    expect(lockoutOf(failures(0, 1, 2, 3), 'ann', at(3))).toStrictEqual({ failures: 4, lock: null });
    expect(lockoutOf(failures(0, 1, 2, 3, 4), 'ann', at(4))).toStrictEqual(lock('name', 19));
    expect(lockoutOf(failures(0, 1, 2, 3, 4), 'bob', at(4))).toStrictEqual({ failures: 0, lock: null });
    expect(lockoutOf(failures(0, 1, 2, 3, 4), 'ann', at(19))).toStrictEqual({ failures: 0, lock: null });
  });

  it('does not begin when the failures are further apart', () => {
    expect(lockoutOf(failures(0, 2, 4, 6, 8), 'ann', at(8))).toStrictEqual({ failures: 3, lock: null });
  });

  it('is not extended by attempts during it', () => {
    const during = failures(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect(lockoutOf(during, 'ann', at(9))).toStrictEqual(lock('name', 19));
  });

  it('of the address begins with the 30th failure of any names, and concerns every name', () => {
    expect(lockoutOf(manyNames.slice(1), 'ann', at(3))).toStrictEqual({ failures: 0, lock: null });
    expect(lockoutOf(manyNames, 'ann', at(3))).toStrictEqual(lock('address', 17.9));
    expect(lockoutOf(manyNames, 'ann', at(17.9))).toStrictEqual({ failures: 0, lock: null });
  });

  it('counts the failures of a name that has logged in only for the address', () => {
    const forgiven = failures(0, 0.1, 0.2, 0.3).map(({ at }) => ({ at, name: null }));
    expect(lockoutOf([...forgiven, ...failures(0.4)], 'ann', at(1))).toStrictEqual({ failures: 1, lock: null });
    const [, , , , ...most] = manyNames;
    expect(lockoutOf([...forgiven, ...most], 'ann', at(3))).toMatchObject({ lock: { limit: 'address' } });
  });
});
