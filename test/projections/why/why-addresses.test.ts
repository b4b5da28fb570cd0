import { describe, expect, it } from 'vitest';
import { ClientIpsBlocked, ClientIpsUnblocked } from '../../../src/events/ip-limit.js';
import { sentence } from '../../../src/projections/story.js';
import { addressRules } from '../../../src/projections/why/why-addresses.js';
import { clientAdded, first } from '../../kit/builders.js';
import { recorded } from '../../kit/spec.js';

const limited = (kept: string[], held: string[], limit = 1) =>
  ClientIpsBlocked({ client: first, limit, keep: 'newest', graceSeconds: 30, ips: { allowed: kept, blocked: held } });
const admitted = ClientIpsUnblocked({ client: first, reason: 'left' });

describe('too many addresses', () => {
  it('are told with which may connect and which may not, since when it was said first', () => {
    const history = recorded([
      clientAdded(),
      limited(['A'], ['B']),
      admitted,
      limited(['B'], ['A']),
      limited(['C'], ['A', 'B']),
    ]);
    const [rule, ...others] = addressRules({ history });
    expect(others).toStrictEqual([]);
    expect(rule).toMatchObject({
      ...{ standing: 'too many addresses', holds: true, harmless: true },
      rule: 'it may connect from 1 address at once, and the newest stay: C may, A, B may not',
    });
    expect(rule?.since()?.position).toBe(4);
  });

  it('are nothing where nobody is held back, or nobody any more', () => {
    expect(addressRules({ history: recorded([clientAdded()]) })).toStrictEqual([]);
    expect(addressRules({ history: recorded([clientAdded(), limited(['A'], ['B']), admitted]) })).toStrictEqual([]);
  });

  it('are told in the story, and when that is over', () => {
    const told = recorded([limited(['A'], ['B', 'C'], 2), limited([], []), admitted]).map(sentence);
    expect(told).toStrictEqual([
      'was connected from more than the 2 addresses that it may have at once: A may go on, B, C may not',
      'was connected from more than the 1 addresses that it may have at once: (erased) may go on, (erased) may not',
      'may connect from all of its addresses again: one that was kept left',
    ]);
  });
});
