import { describe, expect, it } from 'vitest';
import { Copies } from '../../src/cluster/leader/copies.js';
import { addClient, logLike } from './members.js';

describe('the copies of the log of a leader', () => {
  const leader = () => {
    const log = logLike();
    for (let n = 1; n <= 3; n += 1) addClient(log, n);
    let time = 1000;
    const copies = new Copies(log.log, () => time);
    const copy = (position: number, hash = log.log.hashAt(position)) => ({ member: 'two', position, hash });
    return { log, copies, copy, pass: (ms: number) => void (time += ms) };
  };

  it('confirm a position once another member has reported it or a later one', async () => {
    const { copies, copy } = leader();
    const [second, third] = [copies.reached(2, 60_000), copies.reached(3, 1)];
    copies.take(copy(1));
    copies.take(copy(2));
    expect(await second).toBe(true);
    expect(await third).toBe(false);
  });

  it('do not count a log that continues differently, nor a position that the leader does not have', async () => {
    const { copies, copy } = leader();
    copies.take(copy(3, 'ab'.repeat(32)));
    copies.take(copy(9, 'ab'.repeat(32)));
    expect(await copies.reached(1, 1)).toBe(false);
    expect(() => copies.take({ member: 'two', position: 'all' })).toThrow();
  });

  it('are missing when no member gets further for some time', () => {
    const { copies, copy, pass } = leader();
    expect(copies.missingSince(0)).toBeNull();
    copies.appended();
    pass(4999);
    expect(copies.missingSince(5000)).toBeNull();
    copies.take(copy(2));
    pass(1);
    expect(copies.missingSince(5000)).toBeNull();
    pass(4999);
    expect(copies.missingSince(5000)).toBe(5999);
    copies.take(copy(3));
    expect(copies.missingSince(5000)).toBeNull();
  });
});
