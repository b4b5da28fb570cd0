import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listClients } from '../../src/projections/queries/client-list.js';
import { LogReadModels } from '../../src/projections/read-models.js';
import { draft, inboundDraft, one, userId } from '../kit/builders.js';
import { playedLogs, steps } from '../kit/history/history.js';
import { busOver, TestLog } from '../kit/log.js';

const EVERYTHING = { search: '', state: 'all', inbound: 0 } as const;

it('a list that needs only the first clients has the first ones of the whole list, and all counts', () => {
  const played = playedLogs();
  const order = fc.record({
    sort: fc.constantFrom('email', 'used', 'seen', 'state', 'created' as const),
    desc: fc.boolean(),
  });
  fc.assert(
    fc.property(steps(40), order, fc.nat(6), (history, by, limit) => {
      const { journal, player } = played();
      player.play(history);
      const read = new LogReadModels(journal.log);
      const own = new Set(read.inbounds.all().map(({ id }) => id));
      const now = journal.clock.now();
      const whole = listClients(read, own, EVERYTHING, by, now);
      const first = listClients(read, own, EVERYTHING, { ...by, limit }, now);
      expect(first).toStrictEqual({ ...whole, clients: whole.clients.slice(0, limit) });
      expect(whole.matched).toBe([...read.clients.all()].length);
      const online = new Set(read.usage.onlineEmails(now));
      const connected = [...read.clients.all()].filter(({ identity }) => online.has(identity.email));
      expect(whole.counts.online).toBe(connected.length);
      journal.log.close();
    }),
    { numRuns: 30 },
  );
});

it('thousands of clients are in the order of their emails, whatever the order in which they were added', () => {
  const journal = new TestLog();
  const { must } = busOver(journal.log, journal.clock);
  must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  const drafts = Array.from({ length: 2500 }, (_, n) => draft(`client-${(n * 7919) % 2500}`, n + 1));
  must({ type: 'AddClients', data: { inbound: one, clients: drafts } });
  const { clients } = listClients(
    new LogReadModels(journal.log),
    new Set([one]),
    EVERYTHING,
    { sort: 'email', desc: true },
    journal.clock.now(),
  );
  const emails = clients.map(({ identity }) => identity.email);
  expect(emails).toStrictEqual(
    drafts
      .map(({ identity }) => identity.email)
      .sort()
      .reverse(),
  );
});
