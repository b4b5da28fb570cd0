import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecountRule } from '../../src/events/traffic/traffic.js';
import { eventsOf } from '../../src/projections/capsule/capsule.js';
import { recount } from '../../src/projections/recount/recount.js';
import { draft, inboundDraft, one, two, userId } from '../kit/builders.js';
import { commandLine } from '../kit/command-line.js';
import { playedLogs, steps } from '../kit/history/history.js';
import { busOver, TestLog, temporaryFolder } from '../kit/log.js';

const DAY = 86_400_000;

/** Ann and Bob used bytes on three days, here and on a node; on the second day a poll counted Ann 1,000,000 bytes at once. */
function history() {
  const journal = new TestLog();
  const bus = busOver(journal.log, journal.clock);
  const polled = (clients: readonly (readonly [number, number, number])[]): void => {
    bus.must({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds: [], outbounds: [] } });
  };
  bus.must({ type: 'ChangeSettings', data: { changes: { timeLocation: 'UTC' } } });
  for (const port of [443, 444]) {
    bus.must({
      type: 'AddInbound',
      data: { owner: userId(1), ...inboundDraft({ spec: { port, tag: `in-${port}` } }) },
    });
  }
  bus.must({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1, { spec: { capBytes: 500_000 } })] } });
  bus.must({ type: 'AddClients', data: { inbound: two, clients: [draft('bob', 2)] } });
  polled([
    [1, 100, 200],
    [2, 10, 20],
  ]);
  journal.clock.advance(DAY);
  polled([
    [1, 1_000_000, 0],
    [2, 30, 40],
  ]);
  journal.clock.advance(DAY);
  polled([[1, 1, 1]]);
  const day = (back: number): string => new Date(journal.clock.now() - back * DAY).toISOString().slice(0, 10);
  const file = join(temporaryFolder(), 'rule.json');
  const portolan = (rules: unknown, ...args: readonly string[]) => {
    writeFileSync(file, typeof rules === 'string' ? rules : JSON.stringify(rules));
    return commandLine(['recount', '--rule', file, ...args], { PORTOLAN_DATA_DIR: journal.directory.root });
  };
  const counters = () => Object.fromEntries(busOver(journal.log, journal.clock).state.counters.clients);
  return { journal, bus, portolan, day, counters };
}

describe('portolan recount', () => {
  it('shows who would have used how much, and changes nothing', async () => {
    const { portolan, journal, day } = history();
    const head = journal.log.head();
    const { code, out, err } = await portolan([{ from: day(1), to: day(1), count: 0.5 }], '--all');
    expect([code, err]).toStrictEqual([0, '']);
    expect(out.split('\n')).toStrictEqual([
      'Clients whose counters would change: 2',
      '  ann: 1,000,302 → 500,302 bytes (-500,000)',
      '  bob: 100 → 65 bytes (-35)',
      'Nothing was changed; --apply sets the counters',
      '',
    ]);
    expect(journal.reopen().log.head()).toStrictEqual(head);
  });

  it('ignores a jump, sets the counters on request, and finds nothing to change afterwards', async () => {
    const { portolan, counters, journal } = history();
    const rules = [{ moreThan: 500_000, count: 0 }];
    journal.log.close();
    const { code, out, err } = await portolan(rules, '--client', 'ann', '--apply');
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toContain('Counters set: 1; clients that reached their caps: 0; clients that may connect again: 1');
    const { log } = journal.reopen();
    expect(counters()).toStrictEqual({ 1: { up: 101, down: 201 }, 2: { up: 40, down: 60 } });
    const [recounted, adjusted, reactivated] = log.read(log.head().position - 3, 3);
    expect([recounted?.type, adjusted?.type, reactivated?.type]).toStrictEqual([
      ...['TrafficRecounted', 'ClientTrafficAdjusted', 'ClientReactivated'],
    ]);
    expect(recounted?.data).toStrictEqual({ rules, position: log.head().position - 3, clients: 1 });
    expect(adjusted?.meta.causationId).toBe(recounted?.id);
    log.close();
    const again = await portolan(rules, '--client', 'ann', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ changes: [], applied: null });
  });

  it('can be undone', async () => {
    const { portolan, counters, journal } = history();
    const before = counters();
    journal.log.close();
    await portolan([{ count: 0.1 }], '--all', '--apply');
    const env = { PORTOLAN_DATA_DIR: journal.directory.root };
    const position = String(journal.reopen().log.head().position);
    journal.log.close();
    const { code, err } = await commandLine(['undo', position], env);
    expect([code, err]).toStrictEqual([0, '']);
    journal.reopen();
    expect(counters()).toStrictEqual(before);
  });

  it('recounts the clients of an inbound', async () => {
    const { portolan } = history();
    const { out } = await portolan([{ node: 'local', count: 2 }], '--inbound', '2', '--json');
    const { changes } = JSON.parse(out);
    expect(changes).toMatchObject([{ client: 2, email: 'bob', recounted: { up: 80, down: 120 } }]);
  });

  it.each([
    [[{ count: 0 }], [], 2, 'Give one of --client EMAIL, --inbound NUMBER and --all'],
    [[{ count: 0 }], ['--all', '--client', 'ann'], 2, 'Give one of'],
    [[{ count: 0 }], ['--client', 'zoe'], 1, 'zoe'],
    [[{ count: 0 }], ['--inbound', '9'], 1, '9'],
    [[], ['--all'], 1, 'rules: has no rule'],
    [[{ count: -1 }], ['--all'], 1, '0.count: '],
    [[{}], ['--all'], 1, '0.count: '],
    [[{ count: 1, from: 'yesterday' }], ['--all'], 1, '0.from: is not a day such as 2026-03-31'],
    [[{ count: 1, node: 'far' }], ['--all'], 1, '0.node: node "far" is not known'],
    [[{ count: 1, month: 3 }], ['--all'], 1, 'month'],
    [{ count: 1 }, ['--all'], 1, 'rules: '],
    ['{', ['--all'], 1, 'is not valid JSON'],
  ])('refuses %j with %j', async (rules, args, code, text) => {
    const { portolan, journal } = history();
    const head = journal.log.head();
    const done = await portolan(rules, ...args);
    expect([done.code, done.out]).toStrictEqual([code, '']);
    expect(done.err).toContain(text);
    expect(journal.reopen().log.head()).toStrictEqual(head);
  });
});

describe('a recount of any history', () => {
  it('equals the counters under the rule that changes nothing, and is 0 where nothing counts and nothing was set', () => {
    const next = playedLogs();
    fc.assert(
      fc.property(steps(60), (played) => {
        const { journal, bus, player } = next();
        player.play(played);
        const under = (...rules: RecountRule[]) => recount(eventsOf(journal.log), rules, bus.state.rolledTo);
        const { counted, recounted } = under({ count: 1 });
        expect(counted).toStrictEqual(bus.state.counters.clients);
        expect(recounted).toStrictEqual(counted);
        const none = under({ count: 0 }).recounted;
        for (const [client, { up, down }] of none) {
          expect(up).toBeLessThanOrEqual(counted.get(client)?.up ?? 0);
          expect(down).toBeLessThanOrEqual(counted.get(client)?.down ?? 0);
        }
        journal.log.close();
      }),
      { numRuns: 40 },
    );
  });

  it('says how many sums a rule for single measurements could not be applied to', () => {
    const { journal } = history();
    const rolledTo = journal.log.head().position;
    const rules = [{ moreThan: 500_000, count: 0 }];
    expect(recount(eventsOf(journal.log), rules, rolledTo)).toMatchObject({ unchecked: 3 });
    expect(recount(eventsOf(journal.log), [{ count: 0 }], rolledTo)).toMatchObject({ unchecked: 0 });
  });
});
