import { describe, expect, it } from 'vitest';
import { MissLimiter } from '../../../src/http/server/miss-limiter.js';
import { T0 } from '../../kit/builders.js';

describe('the limit on misses', () => {
  it('counts the misses of other processes, and reports its own', () => {
    const reported: string[] = [];
    const here = new MissLimiter(
      () => T0,
      (network) => reported.push(network),
    );
    const there = new MissLimiter(
      () => T0,
      (network) => here.count(network),
    );
    for (let n = 0; n < 40; n += 1) expect(there.allowMiss('203.0.113.9')).toBe(true);
    for (let n = 0; n < 20; n += 1) expect(here.allowMiss('203.0.113.9')).toBe(true);
    expect(here.allowMiss('203.0.113.9')).toBe(false);
    expect(here.allowMiss('203.0.113.10')).toBe(true);
    expect(reported).toStrictEqual([...Array.from({ length: 20 }, () => '203.0.113.9'), '203.0.113.10']);
  });
});
