import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chunks, mergeSorted } from '../../src/projections/queries/sorted-lists.js';

const numbers = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 });

it('lists of a size contain each element once, in order', () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 9 }), (items, size) => {
      const parts = [...chunks(items, size)];
      expect(parts.flat()).toStrictEqual(items);
      expect(parts.slice(0, -1).every(({ length }) => length === size)).toBe(true);
    }),
  );
});

it('two sorted lists merge into the first elements of both, sorted', () => {
  fc.assert(
    fc.property(numbers, numbers, fc.nat(70), (some, others, limit) => {
      const ascending = (a: number, b: number): number => a - b;
      const expected = [...some, ...others].sort(ascending).slice(0, limit);
      expect(mergeSorted(some.sort(ascending), others.sort(ascending), ascending, limit)).toStrictEqual(expected);
    }),
  );
});
