import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CounterTable } from '../../../src/events/traffic/counter-table.js';
import { type Counter, zero } from '../../../src/events/traffic/counters.js';

const numbers = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(5000, 2_097_152, 900_000_000_000_000));
const counts = fc.array(fc.tuple(numbers, fc.nat(9), fc.nat(9)), { maxLength: 30 });

function sums(all: readonly (readonly [number, number, number])[]): Map<number, Counter> {
  const map = new Map<number, Counter>();
  for (const [number, up, down] of all) {
    const before = map.get(number) ?? zero;
    if (up + down > 0) map.set(number, { up: before.up + up, down: before.down + down });
  }
  return map;
}

function tableOf(all: readonly (readonly [number, number, number])[]): CounterTable {
  const table = new CounterTable();
  for (const [number, up, down] of all) table.add(number, up, down);
  return table;
}

describe('a table of counters', () => {
  it('equals a map', () => {
    fc.assert(
      fc.property(counts, (all) => {
        const [table, map] = [tableOf(all), sums(all)];
        expect([...table]).toStrictEqual([...map].sort(([one], [other]) => one - other));
        for (const [number] of all) expect(table.get(number)).toStrictEqual(map.get(number));
        expect([...CounterTable.of(map)]).toStrictEqual([...table]);
        table.clear();
        expect([...table]).toStrictEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('has numbers up to its border in an array and larger ones beside it', () => {
    const all = [2_097_150, 2_097_151, 2_097_152, 2_097_153].map((number) => [number, 1, 2] as const);
    expect([...tableOf(all)]).toStrictEqual([...sums(all)]);
    expect(tableOf(all).growthSince(tableOf(all.slice(0, 1)))).toStrictEqual(all.slice(1));
  });

  it('has no counter of which nothing was counted', () => {
    for (const number of [7, 900_000_000_000_000]) {
      const table = tableOf([[number, 0, 0]]);
      expect(table.get(number)).toBeUndefined();
      expect([...table]).toStrictEqual([]);
    }
  });

  it('finds the growth of each counter, like a comparison one by one', () => {
    fc.assert(
      fc.property(counts, counts, (now, before) => {
        const old = sums(before);
        const grown = [...sums(now)].flatMap(([number, { up, down }]) => {
          const was = old.get(number) ?? zero;
          const growth = [number, Math.max(0, up - was.up), Math.max(0, down - was.down)] as const;
          return growth[1] + growth[2] > 0 ? [growth] : [];
        });
        const sorted = (all: readonly (readonly [number, number, number])[]) =>
          all.toSorted(([one], [other]) => one - other);
        expect(sorted(tableOf(now).growthSince(tableOf(before)))).toStrictEqual(sorted(grown));
      }),
      { numRuns: 60 },
    );
  });
});
