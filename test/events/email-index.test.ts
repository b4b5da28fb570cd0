import { array, assert as check, constantFrom, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmailIndex } from '../../src/events/client/email-index.js';
import type { ClientNumber } from '../../src/events/ids.js';
import { clientNumber, first, second } from '../kit/builders.js';

const third = clientNumber(3);

describe('the index of emails', () => {
  it('finds the clients of an email regardless of case, the lowest number first', () => {
    const index = new EmailIndex();
    index.add('Alice', third);
    index.add('alice', first);
    index.add('ALICE', second);
    index.add('alice', second);
    expect([index.get('aLICE'), index.first('Alice'), index.size]).toStrictEqual([[1, 2, 3], 1, 1]);
    expect([index.get('bob'), index.first('bob')]).toStrictEqual([[], undefined]);
    expect([...index]).toStrictEqual([['alice', [1, 2, 3]]]);
  });

  it('returns the siblings of a client, if it has any', () => {
    const index = new EmailIndex();
    index.add('alice', first);
    expect(index.siblings(first)).toBeUndefined();
    index.add('alice', second);
    expect([index.siblings(first), index.siblings(second)]).toStrictEqual([
      [1, 2],
      [1, 2],
    ]);
    index.remove('alice', first);
    expect([index.siblings(first), index.siblings(second), index.get('alice')]).toStrictEqual([
      undefined,
      undefined,
      [2],
    ]);
    index.remove('alice', first);
    index.remove('alice', second);
    expect([index.size, index.first('alice')]).toStrictEqual([0, undefined]);
  });

  it('equals a plain map of sets, in any order of additions and removals', () => {
    const step = record({
      put: constantFrom(true, true, false),
      email: constantFrom('a', 'A', 'b'),
      number: constantFrom(1, 2, 3, 4),
    });
    check(
      property(array(step, { maxLength: 60 }), (steps) => {
        const index = new EmailIndex();
        const plain = new Map<string, Set<number>>();
        for (const { put, email, number } of steps) {
          const key = email.toLowerCase();
          const has = [...plain].find(([, numbers]) => numbers.has(number))?.[0];
          if (put ? has !== undefined && has !== key : has !== key) continue; // one client has one email
          const numbers = plain.get(key) ?? new Set();
          plain.set(key, numbers);
          if (put) numbers.add(number);
          else numbers.delete(number);
          if (numbers.size === 0) plain.delete(key);
          if (put) index.add(email, number as ClientNumber);
          else index.remove(email, number as ClientNumber);
        }
        const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
        expect(new Map(index)).toStrictEqual(new Map([...plain].map(([key, numbers]) => [key, sorted(numbers)])));
        for (const numbers of plain.values()) {
          const expected = numbers.size > 1 ? sorted(numbers) : undefined;
          for (const number of numbers) expect(index.siblings(number as ClientNumber)).toStrictEqual(expected);
        }
      }),
    );
  });
});
