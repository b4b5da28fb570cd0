import { describe, expect, it } from 'vitest';
import { CAPACITY, Rings, WINDOW } from '../../../src/adapters/gauges/rings.js';

/** A slot at a multiple of five minutes. */
const FIVE = 150;
const T0 = 6_000_000 * FIVE;

/** Rings in which `cpu` is `value(slot)` in each of these slots. */
function measured(from: number, to: number, value: (slot: number) => number): Rings {
  const rings = new Rings();
  for (let slot = from; slot <= to; slot += 1) {
    rings.begin(slot);
    rings.add(slot, [['cpu', value(slot)]]);
  }
  return rings;
}

describe('the rings', () => {
  it('return the mean of each step, from boundary to boundary', () => {
    // 40 s: 0 … 19 from the border of a minute on.
    const rings = measured(T0, T0 + 19, (slot) => slot - T0);
    expect(rings.means('cpu', 30)).toStrictEqual([
      { t: T0 * 2, v: 7 },
      { t: T0 * 2 + 30, v: 17 },
    ]);
    expect(rings.means('cpu', 60)).toStrictEqual([{ t: T0 * 2, v: 9.5 }]);
    expect(rings.means('cpu', 2)).toHaveLength(20);
    expect(rings.means('cpu', 2).at(-1)).toStrictEqual({ t: (T0 + 19) * 2, v: 19 });
  });

  it('assign the last reading before a boundary and the first one after it to two steps', () => {
    const rings = measured(T0 - 1, T0, (slot) => slot - T0);
    for (const bucket of [2, 30, 60, 120, 180, 300]) {
      expect(rings.means('cpu', bucket)).toStrictEqual([
        { t: T0 * 2 - bucket, v: -1 },
        { t: T0 * 2, v: 0 },
      ]);
    }
  });

  it.each([
    [2, 10_800],
    [30, 720],
    [60, 360],
    [120, 180],
    [180, 120],
    [300, 72],
  ])('cover six hours in steps of %i s, and contain each step completely', (bucket, count) => {
    // The last slot of a step of five minutes, and of six hours in all.
    const end = T0 + 72 * FIVE - 1;
    const rings = measured(T0 - 5000, end, (slot) => slot);
    const samples = rings.means('cpu', bucket);
    expect(samples).toHaveLength(count);
    const width = bucket / 2;
    expect(samples[0]).toStrictEqual({ t: T0 * 2, v: T0 + (width - 1) / 2 });
    expect(samples.at(-1)).toStrictEqual({ t: (end - width + 1) * 2, v: end - (width - 1) / 2 });
    expect(new Set(samples.map(({ t }) => t)).size).toBe(count);
  });

  it('contain the complete first step when the window starts inside it', () => {
    const rings = measured(T0 - CAPACITY, T0 + 76, (slot) => slot);
    const [first] = rings.means('cpu', 300);
    const start = Math.floor((T0 + 76 - WINDOW + 1) / FIVE) * FIVE;
    expect(first).toStrictEqual({ t: start * 2, v: start + (FIVE - 1) / 2 });
  });

  it('omit what was never measured', () => {
    const rings = measured(T0, T0 + 4, () => 1);
    rings.begin(T0 + 60);
    rings.add(T0 + 60, [
      ['cpu', 3],
      ['mem', Number.NaN],
      ['load1', Number.POSITIVE_INFINITY],
    ]);
    expect(rings.means('cpu', 30)).toStrictEqual([
      { t: T0 * 2, v: 1 },
      { t: (T0 + 60) * 2, v: 3 },
    ]);
    expect(rings.means('mem', 30)).toStrictEqual([]);
    expect(rings.means('load1', 30)).toStrictEqual([]);
    expect(rings.means('never', 30)).toStrictEqual([]);
  });

  it('count a slot once that is measured twice', () => {
    const rings = measured(T0, T0, () => 1);
    rings.begin(T0);
    rings.add(T0, [['cpu', 5]]);
    expect(rings.means('cpu', 2)).toStrictEqual([{ t: T0 * 2, v: 5 }]);
  });

  it('accept a late value only for a slot that still exists', () => {
    const rings = measured(T0, T0 + 2, () => 1);
    rings.add(T0 + 1, [['coreAlloc', 7]]);
    rings.add(T0 - CAPACITY, [['coreAlloc', 8]]);
    expect(rings.means('coreAlloc', 2)).toStrictEqual([{ t: (T0 + 1) * 2, v: 7 }]);
  });

  it('drop future values when the clock is set back, and contain no time twice', () => {
    const rings = measured(T0, T0 + 100, () => 1);
    rings.begin(T0 + 50);
    rings.add(T0 + 50, [['cpu', 9]]);
    const samples = rings.means('cpu', 2);
    expect(samples).toHaveLength(51);
    expect(samples.at(-1)).toStrictEqual({ t: (T0 + 50) * 2, v: 9 });
    for (let slot = T0 + 51; slot <= T0 + 60; slot += 1) rings.begin(slot);
    expect(rings.means('cpu', 2)).toHaveLength(51);
  });

  it('survive a clock that jumps ahead for a moment', () => {
    const rings = measured(T0, T0 + 100, () => 1);
    rings.begin(T0 * 2);
    rings.add(T0 * 2, [['cpu', 9]]);
    expect(rings.means('cpu', 2)).toStrictEqual([{ t: T0 * 4, v: 9 }]);
    rings.begin(T0 + 101);
    rings.add(T0 + 101, [['cpu', 2]]);
    // At most the one place that the stray reading took is lost.
    expect(rings.means('cpu', 2).length).toBeGreaterThanOrEqual(101);
    expect(rings.means('cpu', 2).at(-1)).toStrictEqual({ t: (T0 + 101) * 2, v: 2 });
  });

  it('reject an invalid time', () => {
    const rings = new Rings();
    for (const slot of [-1, Number.NaN, 0.5, Number.POSITIVE_INFINITY]) {
      rings.begin(slot);
      rings.add(slot, [['cpu', 1]]);
    }
    expect(rings.newest).toBe(-1);
    expect(rings.means('cpu', 2)).toStrictEqual([]);
  });
});
