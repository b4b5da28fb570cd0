import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueQueue } from '../../src/lib/due-queue.js';

const steps = fc.array(fc.tuple(fc.nat(30), fc.option(fc.nat(50))), { maxLength: 200 });

it('a queue of due times equals a scan', () => {
  fc.assert(
    fc.property(steps, fc.nat(60), (all, now) => {
      const queue = new DueQueue<number>();
      const times = new Map<number, number>();
      const scan = (at: number) => [...times].filter(([, due]) => due <= at).map(([key]) => key);
      const sorted = (keys: readonly number[]) => [...keys].sort((one, other) => one - other);
      for (const [key, at] of all) {
        queue.set(key, at);
        if (at === null) times.delete(key);
        else times.set(key, at);
        expect(sorted(queue.due(now))).toStrictEqual(sorted(scan(now)));
      }
      const copy = queue.copy();
      for (const key of times.keys()) queue.set(key, null);
      expect(queue.due(60)).toStrictEqual([]);
      expect(sorted(copy.due(60))).toStrictEqual(sorted(scan(60)));
    }),
  );
});
