import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asSystem } from '../../../src/commands/bus.js';
import { AddressBudget, withAddressBudget } from '../../../src/commands/traffic/address-budget.js';
import { clientIps } from '../../../src/projections/models/client-ips.js';
import { clientAdded, clientNumber, DAY, draft, HOUR, inboundAdded } from '../../kit/builders.js';
import { Clock } from '../../kit/clock.js';
import { busOver, TestLog } from '../../kit/log.js';
import { folded } from '../../kit/spec.js';

const POLL_MS = 5000;
const address = (n: number): string => `198.18.${n >> 8}.${n & 255}`;
const some = (count: number, seenAt: number) => Array.from({ length: count }, (_, n) => ({ ip: address(n), seenAt }));
const of = (seen: readonly { readonly ips: readonly unknown[] }[]): readonly number[] =>
  seen.map(({ ips }) => ips.length);

describe('the budget of recorded addresses', () => {
  it('is sixty addresses an hour per client, and beyond that a common budget per minute', () => {
    const clock = new Clock();
    const budget = new AddressBudget({ now: clock.now, clients: () => 3 });
    const seen = [1, 2, 3].map((client) => ({ client, ips: some(50, 0) }));
    expect(of(budget.spend(seen))).toEqual([50, 50, 21]);
    expect(budget.spend(seen)).toEqual([]);
    clock.advance(60_000);
    expect(of(budget.spend(seen))).toEqual([10, 10, 39]);
    clock.advance(60_000);
    expect(budget.spend(seen)).toEqual([]);
    clock.advance(HOUR);
    expect(of(budget.spend(seen))).toEqual([50, 50, 21]);
  });

  it('grows with the number of clients, so that each can have an address recorded', () => {
    const budget = new AddressBudget({ now: () => 0, clients: () => 30_000 });
    const seen = Array.from({ length: 30_000 }, (_, n) => ({ client: n + 1, ips: some(1, 0) }));
    expect(budget.spend(seen)).toHaveLength(1120);
  });
});

describe.each([1, 300, 5000])('a client with %i addresses, all of them new in each poll', (addresses) => {
  it('causes a bounded number of bytes in the log per day', () => {
    const journal = new TestLog();
    const { dispatch, state } = busOver(journal.log, journal.clock);
    journal.append(inboundAdded(), clientAdded(draft('leaked', 1)));
    const budget = new AddressBudget({ now: journal.clock.now, clients: () => state.clients.size });
    const bounded = withAddressBudget(dispatch, budget);
    const ips = some(addresses, journal.clock.now());
    const size = (): number => {
      journal.log.checkpoint();
      return statSync(journal.directory.database).size;
    };
    const before = size();
    const head = journal.log.head().position;
    for (let time = 0; time < DAY; time += POLL_MS) {
      bounded(
        { type: 'RecordClientIps', data: { seen: [{ client: clientNumber(1), ips }] } },
        asSystem('traffic-intake'),
      );
      journal.clock.advance(POLL_MS);
    }
    const recorded = journal.log.read(head, 20_000);
    const counts = recorded.map((event) => (event.type === 'ClientIpsSeen' ? event.data.ips.length : 0));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(25 * 60);
    const bytes = size() - before;
    expect(bytes).toBeLessThan(2 * 1024 * 1024);
    expect(folded(clientIps, ...recorded).get(1)?.size).toBeLessThanOrEqual(100);
  });
});
