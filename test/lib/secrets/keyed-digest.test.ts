import { describe, expect, it } from 'vitest';
import { KeyedDigest } from '../../../src/lib/secrets/keyed-digest.js';

const digest = new KeyedDigest(Buffer.alloc(32, 1));

describe('a keyed digest', () => {
  it('is the same for equal values, whatever the order of their members, in each process with the key', () => {
    const value = { a: 1, b: ['x'] };
    expect(digest.of('inbound-1', value)).toMatch(/^[0-9a-f]{64}$/);
    expect(new KeyedDigest(Buffer.alloc(32, 1)).of('inbound-1', { b: ['x'], a: 1 })).toBe(
      digest.of('inbound-1', value),
    );
  });

  it('differs with the key, the document and the value', () => {
    const all = [
      digest.of('inbound-1', 'x'),
      digest.of('inbound-2', 'x'),
      digest.of('inbound-1', 'y'),
      new KeyedDigest(Buffer.alloc(32, 2)).of('inbound-1', 'x'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
