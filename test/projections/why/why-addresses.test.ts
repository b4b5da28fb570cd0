import { describe, expect, it } from 'vitest';
import { ClientIpsBlocked, ClientIpsUnblocked } from '../../../src/events/ip-limit.js';
import { message } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { textOfEvent } from '../../../src/projections/why/event-texts.js';
import { addressRules } from '../../../src/projections/why/why-addresses.js';
import { clientAdded, first } from '../../kit/builders.js';
import { recorded } from '../../kit/spec.js';

const limited = (kept: string[], held: string[], limit = 1) =>
  ClientIpsBlocked({ client: first, limit, keep: 'newest', graceSeconds: 30, ips: { allowed: kept, blocked: held } });
const admitted = ClientIpsUnblocked({ client: first, reason: 'left' });

describe('too many addresses', () => {
  it('list allowed and blocked addresses since the first block', () => {
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
      ...{ status: 'too many addresses', holds: true, harmless: true },
      rule: message('why.tooManyAddresses', {
        ...{ count: 1, kept: message('why.newestKept') },
        ...{
          allowed: message('common.list', { items: ['C'] }),
          blocked: message('common.list', { items: ['A', 'B'] }),
        },
      }),
    });
    expect(rule?.since()?.position).toBe(4);
  });

  it('do not apply when nothing is blocked, or no longer', () => {
    expect(addressRules({ history: recorded([clientAdded()]) })).toStrictEqual([]);
    expect(addressRules({ history: recorded([clientAdded(), limited(['A'], ['B']), admitted]) })).toStrictEqual([]);
  });

  it('are in the history, with their end', () => {
    const history = recorded([limited(['A'], ['B', 'C'], 2), limited([], []), admitted]);
    expect(history.map((event) => render(textOfEvent(event), 'en'))).toStrictEqual([
      'exceeded its IP limit of 2: A may connect, B, C may not',
      'exceeded its IP limit of 1: (erased) may connect, (erased) may not',
      'may connect from all its addresses again: an address disconnected',
    ]);
  });
});
