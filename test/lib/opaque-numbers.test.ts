import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpaqueNumbers } from '../../src/lib/opaque-numbers.js';

const numbers = new OpaqueNumbers(randomBytes(32));

describe('a hidden number', () => {
  it('is an integer of 15 digits that the same key reveals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (number) => {
        const shown = numbers.hide(number);
        expect(String(shown)).toMatch(/^\d{15}$/);
        expect(numbers.reveal(shown)).toBe(number);
      }),
    );
  });

  it('says nothing of the order: successive numbers go up as often as down', () => {
    const shown = Array.from({ length: 400 }, (_, number) => numbers.hide(number));
    const up = shown.filter((one, index) => one > (shown[index - 1] ?? 0)).length;
    expect(new Set(shown).size).toBe(400);
    expect(up).toBeGreaterThan(120);
    expect(up).toBeLessThan(280);
  });

  it('is not revealed by another key, and a plain number is not one', () => {
    const other = new OpaqueNumbers(randomBytes(32));
    expect(other.reveal(numbers.hide(7))).not.toBe(7);
    for (const plain of [0, 7, 2 ** 48 - 1, 2 ** 49, 2 ** 48 + 0.5, -1, Number.NaN])
      expect(numbers.reveal(plain)).toBeNull();
  });
});
