import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Browser, startPanel } from '../../kit/panel.js';

const SERVER = '/panel/api/server';
const AT = Date.UTC(2026, 4, 13, 12);
const template = {
  outbounds: [
    { tag: 'direct', protocol: 'freedom' },
    { tag: 'blocked', protocol: 'blackhole' },
    { tag: 'away', protocol: 'vless' },
  ],
};

/** A panel and a core, both with log lines. */
async function logged(settings: Readonly<Record<string, unknown>> = {}, running: object | null = template) {
  const core = { process: { appliedTemplate: () => running as typeof template } };
  const panel = await startPanel({ settings: { timeLocation: 'UTC', ...settings }, core });
  for (const [index, level] of [20, 30, 40, 50].entries())
    panel.lines.add(JSON.stringify({ level, time: AT + index * 1000, msg: `said ${level}` }));
  const access = (second: number, outbound: string, email: string) =>
    `2026/05/13 12:00:0${second}.000001 from 1.2.3.4:5 accepted tcp:${email}.example:443 [in-1 -> ${outbound}] email: ${email}`;
  const written = [access(1, 'direct', 'ann'), access(2, 'blocked', 'bob'), access(3, 'away', 'Ann')];
  writeFileSync(join(panel.folder, 'access.log'), `${written.join('\n')}\n`);
  const browser = await panel.browser().login();
  return { ...panel, written, ask: asking(browser), form: form(panel, browser) };
}

const asking = (browser: Browser) => async (path: string, body?: object) =>
  (await browser.post(SERVER + path, body)).json;
type Panel = Awaited<ReturnType<typeof startPanel>>;
/** The same as a form. */
const form =
  (panel: Pick<Panel, 'call'>, { cookie, token }: Browser) =>
  async (path: string, fields: object) => {
    const body = new URLSearchParams(Object.entries(fields));
    return (await panel.call('POST', SERVER + path, { headers: { cookie, 'x-csrf-token': token }, body })).json;
  };

describe('the log of the panel', () => {
  const LINES = [
    '2026/05/13 12:00:00 DEBUG - said 20',
    '2026/05/13 12:00:01 INFO - said 30',
    '2026/05/13 12:00:02 WARNING - said 40',
    '2026/05/13 12:00:03 ERROR - said 50',
  ];

  it('is one text, with the oldest line first', async () => {
    const { ask, appended } = await logged();
    expect(await ask('/logs/10', {})).toStrictEqual({ success: true, msg: '', obj: LINES.join('\n') });
    expect((await ask('/logs/2', { level: 'debug', syslog: false }))?.obj).toBe(LINES.slice(2).join('\n'));
    expect(appended()).toStrictEqual([]);
  });

  it.each([
    ['debug', 4],
    ['INFO', 3],
    ['notice', 2],
    ['warning', 2],
    ['warn', 2],
    ['error', 1],
    ['err', 1],
    ['4', 2],
  ])('has the lines of level %s and above', async (level, count) => {
    const { ask } = await logged();
    expect((await ask('/logs/10', { level }))?.obj).toBe(LINES.slice(4 - count).join('\n'));
  });

  it('is a list for clients of 3x-ui, with the newest line first', async () => {
    const { form } = await logged({ apiDialect: '3x-ui' });
    const answer = await form('/logs/3', { level: 'debug', syslog: 'false' });
    expect(answer?.obj).toStrictEqual(LINES.slice(1).toReversed());
  });

  it.each(['x;id', '--all', '-1', '8', 'debug info', '__proto__', 'constructor'])(
    'rejects the level %j',
    async (level) => {
      const { ask } = await logged();
      const msg = `Invalid level "${level}": choose debug, info, notice, warning or error`;
      expect(await ask('/logs/10', { level })).toStrictEqual({ success: false, msg, obj: null, code: 'LEVEL_INVALID' });
    },
  );

  it.each([[['debug']], [{ a: 1 }], [true]])('rejects the level %j', async (level) => {
    const { ask } = await logged();
    expect(await ask('/logs/10', { level })).toMatchObject({ success: false, obj: null });
  });

  const COUNTS = ['0', '-1', '10001', '1e3', '2.0', '0x10', '%2010', 'all', '__proto__', '99999999999999999999'];
  it.each(COUNTS)('rejects the count %s', async (count) => {
    const { ask } = await logged();
    const refused = {
      success: false,
      msg: `Invalid count "${decodeURIComponent(count)}": it must be a number from 1 to 10000`,
      obj: null,
      code: 'COUNT_INVALID',
    };
    for (const route of ['logs', 'corelogs', 'xraylogs'])
      expect(await ask(`/${route}/${count}`)).toStrictEqual(refused);
  });

  it('reports that there is no journal', async () => {
    const { ask } = await logged();
    const answer = await ask('/logs/10', { syslog: true });
    expect(answer).toMatchObject({ success: false, obj: null });
    expect(answer?.msg).toMatch(/journal/);
  });
});

describe('the log of the core', () => {
  it('is one text of the last lines, with the oldest first', async () => {
    const { ask, written } = await logged();
    expect(await ask('/corelogs/10')).toStrictEqual({ success: true, msg: '', obj: written.join('\n') });
    expect((await ask('/xraylogs/1'))?.obj).toBe(written[2]);
  });

  it.each<[Record<string, string>, readonly number[]]>([
    [{}, [0, 1, 2]],
    [{ filter: 'ann' }, [0, 2]],
    [{ filter: '.*' }, []],
    [{ showDirect: 'true' }, [0]],
    [{ showBlocked: 'true' }, [1]],
    [{ showProxy: 'true' }, [2]],
    [{ showDirect: 'true', showProxy: 'true', showBlocked: 'false' }, [0, 2]],
    [{ showDirect: 'false' }, [1, 2]],
    [{ showDirect: 'false', showBlocked: 'false', showProxy: 'false' }, []],
    [{ showDirect: '', showBlocked: '', showProxy: '' }, [0, 1, 2]],
    [{ filter: 'ann', showProxy: 'true' }, [2]],
  ])('is filtered by %j', async (fields, chosen) => {
    const { form, written } = await logged();
    const answer = await form('/corelogs/10', fields);
    expect(answer?.obj).toBe(chosen.map((index) => written[index]).join('\n'));
  });

  it('is a list of objects for clients of 3x-ui, where a flag can only exclude lines', async () => {
    const { form } = await logged({ apiDialect: '3x-ui' });
    const at = new Date(2026, 4, 13, 12, 0, 3).toISOString().slice(0, 19);
    expect((await form('/xraylogs/10', { filter: 'Ann', showDirect: 'false' }))?.obj).toStrictEqual([
      {
        DateTime: `${at}.000001Z`,
        FromAddress: '1.2.3.4:5',
        ToAddress: 'tcp:Ann.example:443',
        Inbound: 'in-1',
        Outbound: 'away',
        Email: 'Ann',
        Event: 2,
      },
    ]);
    const all = await form('/xraylogs/10', { showBlocked: 'true' });
    expect((all?.obj as { Event: number }[] | undefined)?.map(({ Event }) => Event)).toStrictEqual([0, 1, 2]);
  });

  it.each(['spec', '3x-ui'])('describes how to enable it (%s)', async (apiDialect) => {
    const { ask } = await logged({ apiDialect }, { ...template, log: { access: 'none' } });
    const answer = await ask('/corelogs/10');
    expect(answer).toMatchObject({ success: true, obj: apiDialect === 'spec' ? '' : [] });
    expect(answer?.msg).toContain('The access log is off');
  });

  it('depends on the stored template while no core runs', async () => {
    const { ask } = await logged({}, null);
    expect((await ask('/corelogs/10'))?.msg).toContain('The access log is off');
  });

  it('is rejected if it is not a plain file', async () => {
    const { ask, folder } = await logged({}, { ...template, log: { access: 'x.log' } });
    expect((await ask('/corelogs/10'))?.obj).toBe('');
    mkdirSync(join(folder, 'x.log'));
    expect(await ask('/corelogs/10')).toStrictEqual({
      success: false,
      msg: 'The access log is not a plain file',
      obj: null,
      code: 'LOG_UNREADABLE',
    });
  });
});
