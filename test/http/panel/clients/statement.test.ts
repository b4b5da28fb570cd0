import { describe, expect, it, vi } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { alice, DAY, draft, HOUR, inboundDraft, one, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token' };
const USED = { run: 'r1', inbounds: [], outbounds: [] };

async function start(email = 'alice') {
  const timeLocation = 'Asia/Tehran';
  const panel = await startPanel({ settings: { timeLocation } });
  const { given } = panel;
  given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  given({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
  given({ type: 'AddClients', data: { inbound: one, clients: [draft(email, 1, { spec: { capBytes: 1e9 } })] } });
  given({ type: 'RecordCoreStarted', data: { run: 'r1', version: '1', reason: 'start' } });
  const uses = (up: number, down: number, client = 1): void =>
    given({ type: 'RecordTraffic', data: { ...USED, clients: [[client, up, down]] } });
  const path = `/panel/api/clients/${encodeURIComponent(email)}/statement`;
  const ask = (query = '', more: Record<string, string> = {}) =>
    panel.call('GET', `${path}${query}`, { headers: { ...headers, ...more } });
  const statement = async (query = '') => {
    const { json } = await ask(query);
    return json?.obj as {
      opening: object;
      used: object;
      changed: object;
      closing: object;
      counter: object | null;
      clients: object[];
      from: string;
      to: string;
      days: { date: string; sources: object[]; entries: { kind: string; rule: string; what: string; by: string }[] }[];
    };
  };
  const dateAt = (at: number): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone: timeLocation, dateStyle: 'short' }).format(at);
  return { panel, given, uses, ask, statement, dateAt };
}

const reset: AnyCommand = { type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } };

describe('the statement of a client', () => {
  it('leads from the opening to the closing balance by days, machines and changes of the counter', async () => {
    const { panel, given, uses, statement, dateAt } = await start();
    const began = dateAt(panel.now());
    uses(100, 200);
    uses(1, 2);
    panel.later(DAY);
    uses(10, 20);
    given(reset);
    uses(5, 6);
    given({ type: 'AdjustClientTraffic', data: { email: 'alice', up: 7, down: 7 } });
    const today = dateAt(panel.now());
    const all = await statement(`?from=${began}`);
    expect(all).toMatchObject({
      from: began,
      to: today,
      opening: { up: 0, down: 0 },
      used: { up: 116, down: 228 },
      changed: { up: -109, down: -221 },
      closing: { up: 7, down: 7 },
      counter: { up: 7, down: 7 },
      clients: [{ client: 1, inbound: 'in-1', until: null }],
    });
    const source = {
      source: 'this machine',
      sourceCode: 'history.thisMachine',
      client: 1,
      inbound: 'in-1',
      inboundCode: null,
    };
    expect(all.days.map(({ date, sources }) => [date, sources])).toStrictEqual([
      [began, [{ ...source, up: 101, down: 202 }]],
      [today, [{ ...source, up: 15, down: 26 }]],
    ]);
    expect(all.days.flatMap(({ entries }) => entries)).toMatchObject([
      { kind: 'added', rule: '', by: 'the panel (test)', up: 0, down: 0 },
      { kind: 'reset', rule: 'manual', by: 'the panel (test)', up: -111, down: -222 },
      {
        kind: 'adjusted',
        rule: '',
        what: 'had its traffic counters set to 7 bytes up, 7 bytes down',
        up: 2,
        down: 1,
      },
    ]);
    // It appends nothing, and a statement that ends before today does not have the current counter.
    expect(panel.appended()).toStrictEqual([]);
    expect(await statement(`?from=${began}&to=${began}`)).toMatchObject({
      closing: { up: 101, down: 202 },
      counter: null,
    });
    expect(await statement(`?from=${today}`)).toMatchObject({ opening: { up: 101, down: 202 }, closing: { up: 7 } });
  });

  it('names the resets made by a rule', async () => {
    const { panel, given, uses, statement } = await start();
    given({
      type: 'UpdateInbound',
      data: { inbound: one, ...inboundDraft({ spec: { trafficReset: 'daily' } }), clients: [alice] },
    });
    uses(1, 2);
    panel.later(2 * DAY);
    given({ type: 'BeginPeriods', data: {} });
    const { days } = await statement('?from=2020-01-01');
    expect(days.flatMap(({ entries }) => entries).at(-1)).toMatchObject({
      ...{ kind: 'reset', rule: 'period', up: -1, down: -2 },
      what: 'a new period started: its counters were reset',
    });
  });

  it('starts again for a client that was deleted and added again', async () => {
    const { panel, given, uses, statement } = await start();
    uses(100, 200);
    given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    panel.later(HOUR);
    given({ type: 'AddClients', data: { inbound: one, clients: [alice] } });
    uses(1, 2, 2);
    expect(await statement('?from=2020-01-01')).toMatchObject({
      clients: [{ client: 2 }],
      opening: { up: 0, down: 0 },
      closing: { up: 1, down: 2 },
    });
  });

  it('belongs to the last deleted client if no client has the email, or to the requested number', async () => {
    const { panel, given, uses, ask, statement } = await start();
    const remove: AnyCommand = { type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } };
    uses(100, 200);
    given(remove);
    // Open connections transferred more bytes.
    uses(7, 8);
    expect(await statement('?from=2020-01-01')).toMatchObject({
      ...{ email: 'alice', counter: null, closing: { up: 107, down: 208 } },
      clients: [{ client: 1, inbound: 'in-1', until: expect.any(Number) as number }],
    });
    given({ type: 'AddClients', data: { inbound: one, clients: [alice] } });
    uses(1, 2, 2);
    const mine = { clients: [{ client: 2, until: null }], closing: { up: 1, down: 2 } };
    expect(await statement('?from=2020-01-01')).toMatchObject({ ...mine, counter: { up: 1, down: 2 } });
    expect(await statement('?from=2020-01-01&client=2')).toMatchObject(mine);
    expect(await statement('?from=2020-01-01&client=1')).toMatchObject({
      clients: [{ client: 1 }],
      closing: { up: 107 },
    });
    given(remove);
    expect(await statement('?from=2020-01-01')).toMatchObject({ clients: [{ client: 2 }] });
    const table = await ask('?client=1&from=2020-01-01&format=csv');
    expect(table.headers.get('content-disposition')).toContain('statement-alice-');
    expect(table.text).toContain('closing balance,,,,107,208,315');
    // The number of another client, and an unknown number.
    given({ type: 'AddClients', data: { inbound: one, clients: [draft('bob', 3)] } });
    for (const client of [3, 99])
      expect((await ask(`?client=${client}`)).json).toMatchObject({ msg: 'Client alice not found' });
    panel.later(31 * DAY);
    given({ type: 'EraseDeleted', data: {} });
    expect((await ask('?client=1')).json).toMatchObject({ success: false, msg: 'Client alice not found' });
  });

  it('starts with the month by default, and accepts days in ms', async () => {
    const { panel, uses, statement, dateAt } = await start();
    uses(1, 2);
    const today = dateAt(panel.now());
    expect(await statement()).toMatchObject({ from: `${today.slice(0, 8)}01`, to: today });
    expect(await statement(`?from=${panel.now()}&to=${panel.now() + 9 * DAY}`)).toMatchObject({
      from: today,
      to: today,
      closing: { up: 1, down: 2 },
    });
  });

  const wrong = [
    ['?from=yesterday', 'from: "yesterday" is not a valid date: write it as 2026-03-31, or as milliseconds since 1970'],
    ['?to=2026-02-30', 'to: "2026-02-30" is not a valid date: write it as 2026-03-31, or as milliseconds since 1970'],
    [
      '?from=999999999999999',
      'from: "999999999999999" is not a valid date: write it as 2026-03-31, or as milliseconds since 1970',
    ],
    ['?from=2026-03-31&to=2026-03-30', 'The first day is after the last day'],
    ['?from=2999-01-01', 'The first day is after the last day'],
    ['?from=1999-01-01', 'A statement covers 10 years at most'],
    ['?format=xml', 'The input is not valid: format: must be one of json, csv (value: "xml")'],
    ['?from=-1', 'from: "-1" is not a valid date: write it as 2026-03-31, or as milliseconds since 1970'],
  ] as const;

  it('is rejected with a reason for an invalid day or range', async () => {
    const { ask } = await start();
    for (const [query, msg] of wrong) {
      const { json } = await ask(query);
      expect([query, json?.success, json?.msg]).toStrictEqual([query, false, msg]);
    }
  });

  it('requires an existing client and an authorized caller', async () => {
    const { panel } = await start();
    const path = '/panel/api/clients/nobody/statement';
    const { json } = await panel.call('GET', path, { headers });
    expect(json).toMatchObject({ success: false, msg: 'Client nobody not found' });
    expect((await panel.call('GET', path)).status).toBe(404);
  });

  it('waits for a ledger that is being built, and reports if that takes long', async () => {
    const { panel, ask } = await start();
    Object.assign(panel.ledger, { query: async () => ({ unavailable: 'unready' }) });
    expect((await ask()).json?.msg).toBe('The statements are still being built from the log: try again in a minute');
  });

  it('is not returned when it disagrees with the counter, also after a rebuild', async () => {
    const { panel, uses, ask } = await start();
    uses(1, 2);
    vi.spyOn(panel.read.usage, 'client').mockReturnValue({ up: 500, down: 0 });
    expect((await ask()).json).toMatchObject({
      success: false,
      msg: 'The statement does not match the counter, even after it was rebuilt from the log: run portolan events verify',
    });
    vi.restoreAllMocks();
    expect((await ask()).json).toMatchObject({ success: true, obj: { closing: { up: 1, down: 2 } } });
  });
});

describe('the statement as CSV', () => {
  it.each([
    ['?format=csv', ''],
    ['', 'text/csv'],
  ])('is a file whose lines add up, with %s and Accept: %s', async (query, accept) => {
    const { panel, given, uses, ask, dateAt } = await start();
    uses(100, 200);
    given(reset);
    uses(3, 4);
    const { status, headers: answered, text } = await ask(query, { accept });
    const today = dateAt(panel.now());
    expect(status).toBe(200);
    expect(answered.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answered.get('content-disposition')).toBe(
      `attachment; filename="statement-alice-${today.slice(0, 8)}01-${today}.csv"`,
    );
    const lines = text.split('\r\n');
    expect(lines.pop()).toBe('');
    const [header, ...rows] = lines.map((line) => line.split(','));
    expect(header?.slice(0, 9)).toStrictEqual([
      'date',
      'time',
      'line',
      'source',
      'client',
      'inbound',
      'up',
      'down',
      'total',
    ]);
    expect(rows.map((row) => [row[2], ...row.slice(6, 9).map(Number)])).toStrictEqual([
      ['opening balance', 0, 0, 0],
      ['used', 103, 204, 307],
      ['added', 0, 0, 0],
      ['reset (manual)', -100, -200, -300],
      ['closing balance', 3, 4, 7],
    ]);
  });

  it('has a file name that is valid on any system', async () => {
    const { ask } = await start('a+b@é"x.org');
    const { headers: answered } = await ask('?format=csv');
    expect(answered.get('content-disposition')).toMatch(/^attachment; filename="statement-a_b___x\.org-[\d-]+\.csv"$/);
  });
});

describe('the statement at an earlier moment', () => {
  it('is what it was then, also in the middle of a day, and adds up', async () => {
    const { panel, given, uses, ask, dateAt } = await start();
    const from = dateAt(panel.now());
    const asked: { at: number; body: unknown }[] = [];
    for (const [later, work] of [
      [0, () => uses(100, 200)],
      [DAY, () => uses(1, 2)],
      [1000, () => given(reset)],
      [1000, () => uses(10, 20)],
      [3 * HOUR, () => uses(5, 6)],
      [1000, () => given({ type: 'AdjustClientTraffic', data: { email: 'alice', up: 7, down: 7 } })],
    ] as const) {
      panel.later(later);
      work();
      asked.push({ at: panel.log.head().position, body: (await ask(`?from=${from}`)).json });
    }
    panel.later(2 * DAY);
    uses(1000, 1000);
    for (const { at, body } of asked) {
      const { json, text } = await ask(`?from=${from}&at=${at}`);
      expect(json, text).toStrictEqual(body);
    }
  });

  it('is read from the whole log when the clock was set back or the zone changed', async () => {
    const { panel, given, uses, ask, dateAt } = await start();
    panel.later(DAY);
    uses(100, 200);
    panel.later(-DAY);
    uses(1, 2);
    const [at, from, body] = [panel.log.head().position, dateAt(panel.now() - DAY), (await ask()).json];
    given({ type: 'ChangeSettings', data: { changes: { timeLocation: 'UTC' } } });
    panel.later(DAY);
    uses(3, 4);
    const past = await ask(`?at=${at}`);
    expect(past.json, `${past.text} since ${from}`).toStrictEqual(body);
  });
});
