import { describe, expect, it } from 'vitest';
import { isDeeper } from '../../src/lib/json.js';
import { shownText } from '../../src/lib/words.js';

const nested = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`);

describe('a JSON value', () => {
  it('has its real depth, even if recursion would overflow', () => {
    expect(isDeeper(1, 0)).toBe(false);
    expect(isDeeper({}, 0)).toBe(true);
    expect(isDeeper(nested(100), 100)).toBe(false);
    expect(isDeeper(nested(102), 100)).toBe(true);
    expect(isDeeper({ wide: Array.from({ length: 50_000 }, () => ({ b: [1] })), deep: nested(100) }, 100)).toBe(true);
    expect(isDeeper(nested(200_000), 100)).toBe(true);
  });
});

describe('an untrusted name', () => {
  it('is printed with its invisible and direction characters escaped', () => {
    expect(shownText('in-1 β 😀')).toBe('in-1 β 😀');
    expect(shownText('a\u0000\u202e\u2028\ud800b\u{e0001}')).toBe('a\\u0000\\u202e\\u2028\\ud800b\\udb40\\udc01');
  });
});
