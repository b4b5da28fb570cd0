import { array, boolean, assert as check, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Allowances } from '../../../src/commands/node/node-allowance.js';
import { HOUR, T0 } from '../../kit/builders.js';

/** 10 Gbit/s in bytes per second, and the bytes of half a minute at that rate. */
const FASTEST = 1.25e9;
const AHEAD = 30 * FASTEST;
const DAY = 24 * HOUR;

/** One counter of a node with arbitrary values, read repeatedly, also across restarts. */
class Reader {
  now = T0;
  credited = 0;
  #allowances = new Allowances(0);
  #readAt = T0;
  #recordedAt = T0;

  restart(): void {
    this.#allowances = new Allowances(this.#recordedAt);
    this.#readAt = this.#recordedAt;
  }

  read(elapsedMs: number, claimed: number | 'most'): number {
    this.now += elapsedMs;
    const most = this.#allowances.available('client 1', this.#readAt, this.now);
    const bytes = claimed === 'most' ? Math.floor(most) : claimed;
    this.#readAt = this.now;
    if (bytes > most || bytes === 0) return 0;
    this.#allowances.use('client 1', bytes, this.now);
    this.#recordedAt = this.now;
    this.credited += bytes;
    return bytes;
  }
}

describe('the allowance of a counter', () => {
  it('is what can flow in the elapsed time plus one burst of half a minute, however often it is read', () => {
    const reader = new Reader();
    for (let n = 0; n < 20; n += 1) reader.read(1000, 37e9);
    expect(reader.credited).toBe(37e9);
    const greedy = new Reader();
    for (let n = 0; n < 20; n += 1) greedy.read(1000, 'most');
    expect(greedy.credited).toBe(AHEAD + 20 * FASTEST);
  });

  it('is that of the elapsed time after an outage, at most a day', () => {
    const reader = new Reader();
    expect(reader.read(HOUR, 3600 * FASTEST)).toBe(3600 * FASTEST);
    expect(reader.read(HOUR, 3600 * FASTEST)).toBe(3600 * FASTEST);
    expect([reader.read(3 * DAY, 86_400 * FASTEST + AHEAD + 1), reader.read(DAY, 86_400 * FASTEST)]).toStrictEqual([
      0,
      86_400 * FASTEST,
    ]);
  });

  it('does not accumulate while a counter is idle', () => {
    const reader = new Reader();
    for (let n = 0; n < 720; n += 1) reader.read(5000, 0);
    expect([reader.read(5000, 36 * FASTEST), reader.read(5000, 35 * FASTEST)]).toStrictEqual([0, 35 * FASTEST]);
  });

  it('covers a node that reports its growth in steps', () => {
    const reader = new Reader();
    for (let n = 1; n <= 120; n += 1) {
      const bytes = n % 6 === 0 ? 30 * FASTEST : 0;
      expect(reader.read(5000, bytes)).toBe(bytes);
    }
  });

  it('is separate for each counter', () => {
    const allowances = new Allowances(0);
    expect(allowances.available('client 1', T0, T0)).toBe(AHEAD);
    allowances.use('client 1', AHEAD, T0);
    expect([allowances.available('client 1', T0, T0), allowances.available('client 2', T0, T0)]).toStrictEqual([
      0,
      AHEAD,
    ]);
  });

  it('is that of a day if the clock was set back', () => {
    const allowances = new Allowances(T0);
    expect(allowances.available('client 1', T0, T0 - 1)).toBe(86_400 * FASTEST);
  });

  const reading = record({
    elapsedMs: constantFrom(0, 1, 1000, 5000, 29_000, 60_000, HOUR),
    claim: constantFrom<number | 'most'>('most', 'most', 0, 1, 1e9, 37e9, 38e9, 4e12),
    restart: boolean(),
    of: nat(4),
  });

  it('is never more in total than the elapsed time and the burst allow', () => {
    check(
      property(array(reading, { maxLength: 60 }), (readings) => {
        const reader = new Reader();
        for (const { elapsedMs, claim, restart, of } of readings) {
          if (restart && of === 0) reader.restart();
          reader.read(elapsedMs, claim);
          expect(reader.credited).toBeLessThanOrEqual((reader.now - T0) * (FASTEST / 1000) + AHEAD);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('covers all traffic within the rate, whenever it is read', () => {
    check(
      property(array(reading, { maxLength: 60 }), (readings) => {
        const reader = new Reader();
        for (const { elapsedMs, restart, of } of readings) {
          const bytes = elapsedMs * (FASTEST / 1000);
          expect(reader.read(elapsedMs, bytes)).toBe(bytes);
          if (restart && of === 0) reader.restart();
        }
      }),
      { numRuns: 1000 },
    );
  });
});
