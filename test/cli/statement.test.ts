import { describe, expect, it } from 'vitest';
import { ClientTrafficReset } from '../../src/events/client/client.js';
import { ClientIpsBlocked } from '../../src/events/ip-limit.js';
import { dayText } from '../../src/lib/time/days.js';
import {
  clientAdded,
  DAY,
  draft,
  first,
  inboundAdded,
  inboundDraft,
  one,
  second,
  T0,
  traffic,
  two,
  userId,
} from '../kit/builders.js';
import { commandLine } from '../kit/command-line.js';
import { busOver, TestLog } from '../kit/log.js';

/** The output of a command and its exit code, over a log that another process has open. */
const portolan = (journal: TestLog, ...args: readonly string[]) => portolanIn('en', journal, ...args);

async function portolanIn(language: string, journal: TestLog, ...args: readonly string[]) {
  const env = { PORTOLAN_DATA_DIR: journal.directory.root, PORTOLAN_LANG: language };
  const written = await commandLine(args, env);
  return { ...written, lines: written.out.split('\n').filter((line) => line !== '') };
}

/** Alice used something, was reset, used something; day by day, by the clocks of UTC. */
function history() {
  const journal = new TestLog();
  const bus = busOver(journal.log, journal.clock);
  bus.must({ type: 'ChangeSettings', data: { changes: { timeLocation: 'UTC' } } });
  journal.append(inboundAdded(), clientAdded(), traffic({ clients: [[first, 100, 200]] }));
  journal.clock.advance(DAY);
  journal.append(ClientTrafficReset({ client: first, up: 100, down: 200 }), traffic({ clients: [[first, 10, 20]] }));
  return { journal, must: busOver(journal.log, journal.clock).must };
}
const [day1, day2] = [dayText(Math.floor(T0 / DAY)), dayText(Math.floor(T0 / DAY) + 1)];

describe('JSON of the command line', () => {
  it('is in English, whatever the language', async () => {
    const { journal } = history();
    for (const command of [['why'], ['statement', '--from', day1, '--to', day2]]) {
      const ask = (language: string) =>
        portolanIn(language, journal, '--json', 'events', command[0] ?? '', 'alice', ...command.slice(1));
      const [persian, english] = [await ask('fa'), await ask('en')];
      expect(persian.code).toBe(0);
      expect(persian.out).not.toMatch(/[\u0600-\u06ff]/);
      expect(Object.keys(JSON.parse(persian.lines[0] ?? ''))).toEqual(Object.keys(JSON.parse(english.lines[0] ?? '')));
    }
  });
});

describe('events statement', () => {
  it('prints the same lines as text, as JSON and as a table', async () => {
    const { journal } = history();
    const ask = (...more: readonly string[]) =>
      portolan(journal, 'events', 'statement', 'ALICE', '--from', day1, '--to', day2, ...more);
    const spoken = await ask();
    expect(spoken).toMatchObject({ code: 0, err: '' });
    expect(spoken.lines).toStrictEqual([
      `ALICE, ${day1} to ${day2}, time zone UTC`,
      '  client #1, in-1, since 2023-11-14 22:13:20Z',
      'opening balance   0 bytes up, 0 bytes down',
      day1,
      '  100 bytes up, 200 bytes down  this machine, client #1, in-1',
      '  #3 was added to inbound 1 as alice: no cap; no expiry; enabled (by user root from 203.0.113.7)',
      day2,
      '  10 bytes up, 20 bytes down  this machine, client #1, in-1',
      '  -100 bytes up, -200 bytes down  #5 had its traffic counters reset from 100 bytes up, 200 bytes down (by user root from 203.0.113.7)',
      'used              110 bytes up, 220 bytes down',
      'other changes     -100 bytes up, -200 bytes down',
      'closing balance   10 bytes up, 20 bytes down',
    ]);
    const [json = ''] = (await ask('--json')).lines;
    expect(JSON.parse(json)).toMatchObject({
      opening: { up: 0, down: 0 },
      used: { up: 110, down: 220 },
      closing: { up: 10, down: 20 },
    });
    const table = (await ask('--csv')).out.split('\r\n');
    expect(table.at(-2)).toBe(`${day2},,closing balance,,,,10,20,30,,,`);
    const second = await portolan(journal, 'events', 'statement', 'alice', '--from', day2, '--to', day2, '--json');
    expect(JSON.parse(second.out)).toMatchObject({ opening: { up: 100, down: 200 }, closing: { up: 10, down: 20 } });
  });

  it('is separate for each client: an email that was deleted and added again has another statement', async () => {
    const { journal, must } = history();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    const deleted = await portolan(journal, 'events', 'statement', 'alice');
    expect(deleted).toMatchObject({ code: 1, out: '' });
    expect(deleted.err).toBe('portolan: alice was deleted: use #1 instead; each has its own statement\n');
    must({ type: 'AddClients', data: { inbound: one, clients: [draft('alice', 1)] } });
    const again = await portolan(journal, 'events', 'statement', 'alice', '--from', day1, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ clients: [{ client: 2 }], closing: { up: 0, down: 0 } });
    const before = await portolan(journal, 'events', 'statement', '#1', '--from', day1, '--json');
    expect(JSON.parse(before.out)).toMatchObject({
      clients: [{ client: 1, until: expect.any(Number) as number }],
      closing: { up: 10, down: 20 },
    });
  });

  it('shows the usage transferred from a deleted sibling, in the statements of the others and in its own', async () => {
    const { journal, must } = history();
    const alice = draft('alice', 2);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft({ spec: { port: 444, tag: 'in-2' } }) } });
    must({ type: 'AddClients', data: { inbound: two, clients: [alice] } });
    journal.append(traffic({ clients: [[second, 1, 2]] }));
    busOver(journal.log, journal.clock).must({
      type: 'DeleteClient',
      data: { inbound: one, client: { email: 'alice' } },
    });
    const rest = await portolan(journal, 'events', 'statement', 'alice', '--from', day1, '--json');
    expect(JSON.parse(rest.out)).toMatchObject({
      clients: [{ client: 1 }, { client: 2, until: null }],
      used: { up: 111, down: 222 },
      closing: { up: 11, down: 22 },
    });
    const gone = await portolan(journal, 'events', 'statement', '#1', '--from', day1, '--json');
    expect(JSON.parse(gone.out)).toMatchObject({ used: { up: 110, down: 220 }, closing: { up: 0, down: 0 } });
  });

  it.each([
    [1, ['nobody'], 'portolan: Client nobody not found in the log\n'],
    [1, ['#77'], 'portolan: Client #77 not found in the log\n'],
    [
      2,
      ['alice', '--from', 'soon'],
      'portolan: from: "soon" is not a valid date: write it as 2026-03-31, or as milliseconds since 1970\n',
    ],
    [2, ['alice', '--from', day2, '--to', day1], 'portolan: The first day is after the last day\n'],
  ] as const)('with exit code %i, %j is rejected with a message', async (code, args, err) => {
    const { journal } = history();
    expect(await portolan(journal, 'events', 'statement', ...args)).toMatchObject({ code, out: '', err });
  });
});

describe('events why', () => {
  it('prints state, rule, since when, by whom and what would change it, before the history', async () => {
    const { journal, must } = history();
    const spec = { capBytes: 20 };
    must({
      type: 'UpdateClient',
      data: { inbound: one, client: { email: 'alice' }, draft: draft('alice', 1, { spec }) },
    });
    must({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
    const used = { run: 'r1', clients: [[1, 1, 1]] as const, inbounds: [], outbounds: [] };
    must({ type: 'RecordTraffic', data: used });
    const { code, lines } = await portolan(journal, 'events', 'why', 'Alice');
    expect(code).toBe(0);
    expect(lines.slice(0, 6)).toStrictEqual([
      'alice (client #1, inbound in-1): cap reached',
      '  It may not connect: it used 30 bytes of 20 bytes (now 32 bytes).',
      '  Since 2023-11-15 22:13:20Z, by user root from 203.0.113.7 (#8).',
      '  How to fix it: reset its traffic; raise or remove its cap.',
      '  History:',
      '2023-11-14 22:13:20Z  #3  was added to inbound 1 as alice: no cap; no expiry; enabled  (by user root from 203.0.113.7)',
    ]);
    const [json = ''] = (await portolan(journal, 'events', 'why', '#1', '--json')).lines;
    expect(JSON.parse(json)).toMatchObject({
      ...{ client: 1, email: 'alice', inbound: { id: 1, tag: 'in-1' }, status: 'cap reached', mayConnect: false },
      since: { position: 8, by: 'user root from 203.0.113.7' },
    });
  });

  it('prints once that a client may connect, and every rule for one that may not', async () => {
    const { journal, must } = history();
    must({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
    const spoken = async () => (await portolan(journal, 'events', 'why', 'alice')).lines;
    expect((await spoken())[1]).toBe('  It may connect: no cap, no expiry.');
    const addresses = { allowed: ['A'], blocked: ['B'] };
    journal.append(ClientIpsBlocked({ client: first, limit: 1, keep: 'newest', graceSeconds: 30, ips: addresses }));
    expect((await spoken())[1]).toBe(
      '  It may connect: at most 1 address at a time, the newest are kept: A may connect, B may not.',
    );
    must({
      type: 'UpdateClient',
      data: { inbound: one, client: { email: 'alice' }, draft: draft('alice', 1, { spec: { enabled: false } }) },
    });
    must({ type: 'SetInboundEnabled', data: { inbound: one, enabled: false } });
    const lines = await spoken();
    expect(lines.slice(0, lines.indexOf('  History:'))).toStrictEqual([
      'alice (client #1, inbound in-1): disabled',
      '  It may not connect: the client is disabled.',
      '  Since 2023-11-15 22:13:20Z, by user root from 203.0.113.7 (#9).',
      '  How to fix it: enable the client.',
      '  Also inbound disabled: inbound in-1 is disabled.',
      '  Since 2023-11-15 22:13:20Z, by user root from 203.0.113.7 (#10).',
      '  How to fix it: enable the inbound.',
      expect.stringMatching(/^ {2}Also too many addresses: at most 1 address/) as string,
      expect.stringMatching(/^ {2}Since /) as string,
      expect.stringMatching(/^ {2}How to fix it: disconnect one/) as string,
    ]);
  });

  it('prints who deleted a client and when, and finds a later client with the same email', async () => {
    const { journal, must } = history();
    must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    const { code, lines } = await portolan(journal, 'events', 'why', 'alice');
    expect([code, lines[0]]).toStrictEqual([
      0,
      'Client #1 was deleted at 2023-11-15 22:13:20Z by user root from 203.0.113.7 (#7)',
    ]);
    must({ type: 'AddClients', data: { inbound: one, clients: [draft('alice', 1)] } });
    const both = (await portolan(journal, 'events', 'why', 'alice', '--json')).lines.map(
      (line) => JSON.parse(line) as object,
    );
    expect(both).toMatchObject([
      { client: 2, status: 'core not running' },
      { client: 1, status: 'deleted', since: { position: 7 } },
    ]);
  });

  it('reports an unknown client', async () => {
    const { journal } = history();
    for (const name of ['nobody', '#9'])
      expect(await portolan(journal, 'events', 'why', name)).toMatchObject({
        ...{ code: 1, out: '', err: `portolan: Client ${name} not found in the log\n` },
      });
  });
});
