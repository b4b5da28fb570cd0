import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type History, violations, type Write } from './history.js';

/** Writes in the order of the log, of which each takes effect at a moment between its beginning and its end. */
const histories = fc
  .array(fc.record({ step: fc.nat(5), before: fc.nat(20), after: fc.nat(20) }), { minLength: 2, maxLength: 30 })
  .map((steps) => {
    let moment = 0;
    return steps.map(({ step, before, after }, n): Write => {
      moment += step + 1;
      const [position, began, ended] = [10 * (n + 1), moment - before - 0.5, moment + after + 0.5];
      return { email: `c${n}`, began, ended, outcome: 'acknowledged', position, hash: `h${n}` };
    });
  });

const finalOf = (writes: readonly Write[]) => ({
  hashes: new Map(writes.map(({ position, hash }) => [position, hash])),
  emails: writes.map(({ email }) => email),
});
const check = (history: Partial<History>, final = finalOf(history.writes ?? [])) =>
  violations({ writes: [], reads: [], ...history }, final);
const write = (over: Partial<Write>): Write => ({
  ...{ email: 'a', began: 0, ended: 1, outcome: 'acknowledged', position: 10, hash: 'h' },
  ...over,
});

it('accepts every history in which each change takes effect at a moment between request and answer', () => {
  fc.assert(
    fc.property(histories, (writes) => {
      expect(check({ writes })).toEqual([]);
    }),
  );
});

it('finds two changes whose order contradicts real time', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (writes, n) => {
      const at = n % (writes.length - 1);
      const [first, second] = [writes[at], writes[at + 1]] as [Write, Write];
      fc.pre(first.ended < second.began);
      const swapped = [
        { ...first, position: second.position },
        { ...second, position: first.position },
      ];
      expect(check({ writes: swapped })).toEqual([`${second.email} began after ${first.email} and is before it`]);
    }),
  );
});

it('finds an acknowledged change that is lost, twice there, or elsewhere', () => {
  const writes = [write({})];
  const { hashes } = finalOf(writes);
  expect(check({ writes }, { hashes, emails: [] })).toEqual(['a was acknowledged and is there 0 times']);
  expect(check({ writes }, { hashes, emails: ['a', 'a'] })).toEqual(['a was acknowledged and is there 2 times']);
  expect(check({ writes }, { hashes: new Map([[10, 'x']]), emails: ['a'] })).toEqual([
    'the event of a is not at position 10',
  ]);
});

it('finds a refused change that took effect, and accepts one of unknown outcome once', () => {
  const unknown = write({ outcome: 'unknown' });
  expect(check({ writes: [write({ outcome: 'refused' })] })).toEqual(['a was refused and is there 1 times']);
  for (const emails of [[], ['a']]) expect(check({ writes: [unknown] }, { hashes: new Map(), emails })).toEqual([]);
  expect(check({ writes: [unknown] }, { hashes: new Map(), emails: ['a', 'a'] })).toHaveLength(1);
});

it('finds reads that are too old, and reads that do not show what the position contains', () => {
  const read = { member: 'two', email: 'a', atLeast: 10, position: 10, found: true };
  const writes = [write({})];
  expect(check({ writes, reads: [read] })).toEqual([]);
  expect(check({ writes, reads: [{ ...read, position: 9 }] })).toEqual(['two answered with position 9, not 10']);
  expect(check({ writes, reads: [{ ...read, found: false }] })).toEqual(['two did not show a at position 10']);
  expect(check({ writes, reads: [{ ...read, atLeast: 5, position: 9, found: false }] })).toEqual([]);
});
