import { describe, expect, it } from 'vitest';
import { Backoff } from '../../../src/commands/reactors/backoff.js';
import { Clock } from '../../kit/clock.js';

describe('the delay between attempts', () => {
  it('doubles from one second to a minute', () => {
    const clock = new Clock();
    const backoff = new Backoff(clock.now);
    const waits = Array.from({ length: 9 }, () => {
      backoff.started();
      backoff.failed(false);
      const ms = backoff.remaining();
      clock.advance(ms);
      return ms / 1000;
    });
    expect(waits).toStrictEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('ends exactly on time', () => {
    const clock = new Clock();
    const backoff = new Backoff(clock.now);
    expect(backoff.waiting()).toBe(false);
    backoff.failed(false);
    clock.advance(999);
    expect([backoff.waiting(), backoff.remaining()]).toStrictEqual([true, 1]);
    clock.advance(1);
    expect([backoff.waiting(), backoff.remaining()]).toStrictEqual([false, 0]);
  });

  it('is a minute at once when a retry cannot succeed', () => {
    const backoff = new Backoff(new Clock().now);
    backoff.failed(true);
    expect(backoff.remaining()).toBe(60_000);
  });

  it('starts again at one second after a run of at least a minute', () => {
    for (const [lasted, next] of [
      [60_000, 1],
      [59_999, 8],
    ] as const) {
      const clock = new Clock();
      const backoff = new Backoff(clock.now);
      for (let i = 0; i < 3; i += 1) {
        backoff.started();
        backoff.failed(false);
      }
      backoff.started();
      clock.advance(lasted);
      backoff.failed(false);
      expect(backoff.remaining() / 1000).toBe(next);
    }
  });

  it('ends on request', () => {
    const backoff = new Backoff(new Clock().now);
    backoff.failed(true);
    backoff.reset();
    expect(backoff.waiting()).toBe(false);
    backoff.failed(false);
    expect(backoff.remaining()).toBe(1000);
  });
});
