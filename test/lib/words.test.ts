import { describe, expect, it } from 'vitest';
import { spanText } from '../../src/lib/words.js';

describe('a span of time in words', () => {
  it.each([
    [60_000, '1 minute'],
    [7 * 86_400_000, '7 days'],
    [86_400_000 + 1_800_000, '1 day 30 minutes'],
    [90_061_000, '1 day 1 hour 1 minute 1 second'],
    [1, '1 second'],
    [0, '1 second'],
  ])('%i ms', (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });
});
