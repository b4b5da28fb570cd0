import { array, assert as check, constantFrom, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutboxItem } from '../../../../src/commands/reactors/nodes/parts.js';
import { RefusalReports } from '../../../../src/commands/reactors/nodes/refusal-reports.js';
import { refusals } from '../../../../src/commands/reactors/nodes/steps.js';
import { RateLimiter } from '../../../../src/commands/reactors/rate-limiter.js';
import { type Text, verbatim } from '../../../../src/messages/message.js';
import { HOUR, inboundId, T0 } from '../../../kit/builders.js';

const MINUTE = 60_000;

/** The recorded refusals of some inbounds of a node. */
class Recorder {
  now = T0;
  count = 0;
  readonly #refusals = new RefusalReports(() => this.now);
  readonly #entries = new Map<number, OutboxItem>();

  refuse(id: number, reason: Text, waiting: readonly number[] = []): number {
    const before = this.count;
    const entry = { ...this.#entry(id), waiting };
    this.#refusals.report(entry, reason, () => {
      this.#entries.set(id, { ...entry, refused: { reason, since: this.now } });
      this.count += 1;
      return true;
    });
    return this.count - before;
  }

  take(id: number): boolean {
    const isOver = this.#refusals.isResolved(inboundId(id)) && this.#entry(id).refused !== null;
    if (isOver) this.#entries.set(id, { ...this.#entry(id), refused: null });
    return isOver;
  }

  #entry(id: number): OutboxItem {
    const nothing = { tag: `in-${id}`, tags: [], deleted: false, removed: false, adopted: false, waiting: [] };
    return this.#entries.get(id) ?? { inbound: inboundId(id), ...nothing, applied: null, refused: null };
  }
}

describe('a refusal', () => {
  it('is recorded at once after a change, whatever was refused before', () => {
    const recorder = new Recorder();
    expect([recorder.refuse(1, verbatim('no'), [5]), recorder.refuse(1, verbatim('no'), [5])]).toStrictEqual([1, 0]);
    for (const position of [6, 7, 8, 9]) expect(recorder.refuse(1, verbatim(`no ${position}`), [5, position])).toBe(1);
  });

  it('with a new reason each time is recorded once in ten minutes', () => {
    const recorder = new Recorder();
    for (const end = T0 + HOUR - MINUTE; recorder.now < end; recorder.now += 5000)
      recorder.refuse(1, verbatim(`no ${recorder.now}`), [5]);
    expect(recorder.count).toBe(1 + 6);
  });

  it('of an unreadable inbound is recorded if it lasts, or after a change', () => {
    const recorder = new Recorder();
    expect(recorder.refuse(1, refusals.unreadable)).toBe(0);
    recorder.now += 19_000;
    expect(recorder.refuse(1, refusals.unreadable)).toBe(0);
    recorder.now += 1000;
    expect([recorder.refuse(1, refusals.unreadable), recorder.refuse(2, refusals.unreadable, [7])]).toStrictEqual([
      1, 1,
    ]);
  });

  it('is resolved when every listing was good for a minute', () => {
    const recorder = new Recorder();
    recorder.refuse(1, verbatim('no'));
    expect(recorder.take(1)).toBe(false);
    recorder.now += 59_000;
    expect(recorder.take(1)).toBe(false);
    recorder.refuse(1, verbatim('no'));
    expect(recorder.take(1)).toBe(false);
    recorder.now += MINUTE;
    expect([recorder.take(1), recorder.take(1)]).toStrictEqual([true, false]);
  });

  const look = record({
    id: constantFrom(1, 2, 3),
    reason: constantFrom(null, null, verbatim('no'), verbatim('never'), refusals.unreadable),
    afterMs: constantFrom(1000, 5000, 20_000, MINUTE, 11 * MINUTE),
  });

  it('that alternates is recorded once per inbound and hour, and otherwise once in ten minutes', () => {
    check(
      property(array(look, { minLength: 1, maxLength: 30 }), (looks) => {
        const recorder = new Recorder();
        let over = 0;
        while (recorder.now < T0 + HOUR - 11 * MINUTE)
          for (const { id, reason, afterMs } of looks) {
            if (reason !== null) recorder.refuse(id, reason);
            else if (recorder.take(id)) over += 1;
            if (recorder.now + afterMs < T0 + HOUR) recorder.now += afterMs;
          }
        expect(recorder.count).toBeLessThanOrEqual(3 + 6);
        expect(over).toBeLessThanOrEqual(recorder.count);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a rate limiter', () => {
  it('allows a burst, then one call per interval, and does not count calls without effect', () => {
    let now = T0;
    const limiter = new RateLimiter(() => now, { atOnce: 2, everyMs: 1000 });
    const done = (act = () => true): number => {
      let times = 0;
      for (let n = 0; n < 5; n += 1) limiter.try(() => act() && (times += 1) > 0);
      return times;
    };
    expect(done(() => false)).toBe(0);
    expect(done()).toBe(2);
    now += 999;
    expect(done()).toBe(0);
    now += 1;
    expect(done()).toBe(1);
    now += 60_000;
    expect(done()).toBe(2);
    // A clock that was set back does not hold it down for good.
    now -= 30_000;
    expect(done()).toBe(2);
  });
});
