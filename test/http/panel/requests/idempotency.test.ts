import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reject } from '../../../../src/commands/rejection.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { operations } from '../../../../src/http/panel/openapi/document.js';
import { type Answer, type Browser, startPanel } from '../../kit/panel.js';

const CLIENT = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a11', email: 'ann@example.com', subId: 'sub-1' };
const OTHER = { id: '7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a12', email: 'bert@example.com', subId: 'sub-2' };
const KEY = { 'idempotency-key': 'once' };

const text = (clients: readonly object[]) => JSON.stringify({ clients, decryption: 'none' });
const inbound = (port: number, clients: readonly object[] = []) => ({
  ...{ enable: true, remark: 'r', port, protocol: 'vless' },
  ...{ settings: text(clients), streamSettings: '{"network":"tcp"}' },
});
const node = (name: string) => ({ name, host: '203.0.113.1', port: 443, enable: false, apiToken: 't'.repeat(40) });
const PARAMETERS: Readonly<Record<string, string>> = {
  ...{ id: '1', email: CLIENT.email, clientId: CLIENT.id, version: 'latest', fileName: 'geoip.dat', action: 'del' },
  count: '10',
};
const API = '/panel/api/inbounds';
/** Bodies with which a route changes something; each of these routes must append something. */
const CHANGES: Readonly<Record<string, object>> = {
  [`${API}/add`]: inbound(20_500),
  [`${API}/import`]: { data: JSON.stringify(inbound(20_500)) },
  [`${API}/update/:id`]: inbound(20_501, [CLIENT]),
  [`${API}/del/:id`]: {},
  [`${API}/setEnable/:id`]: { enable: false },
  [`${API}/addClient`]: { id: 1, settings: text([OTHER]) },
  [`${API}/updateClient/:clientId`]: { id: 1, settings: text([{ ...CLIENT, totalGB: 5 }]) },
  [`${API}/updateClientTraffic/:email`]: { upload: 5, download: 5 },
  [`${API}/:id/copyClients`]: { sourceInboundId: 2, clientEmails: [] },
  [`${API}/:id/delClient/:clientId`]: {},
  [`${API}/:id/delClientByEmail/:email`]: {},
  '/panel/api/nodes/add': node('other'),
  '/panel/api/nodes/update/:id': node('renamed'),
  '/panel/api/nodes/del/:id': {},
  '/panel/api/nodes/setEnable/:id': { enable: true },
  '/panel/setting/update': { subTitle: 'Changed' },
  '/panel/setting/secret': { key: 'chatBotToken', value: '123456:abcdefghijklmnopqrstuvwxyzabcdefghi' },
  '/panel/setting/regenerateApiToken': {},
  '/panel/setting/restartPanel': {},
};

/** They end the session with which a repeated request would be authenticated. */
const ENDS_SESSION: ReadonlySet<string> = new Set([
  ...['/logout', '/panel/setting/sessions/endOthers', '/panel/api/admins/endSessions/:id'],
]);

const routes: readonly Route[] = operations()
  .map(({ route }) => route)
  .filter(
    ({ method, auth, path, upload }) =>
      method === 'POST' && auth !== 'none' && !ENDS_SESSION.has(path) && upload === null,
  );
const bodyOf = ({ path }: Route): object => CHANGES[path] ?? {};
const filled = (path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(PARAMETERS[name] ?? name));

async function start() {
  const panel = await startPanel();
  const browser = await panel.browser().login();
  const must = async (path: string, body: object): Promise<void> =>
    expect((await browser.post(path, body)).json, path).toMatchObject({ success: true });
  await must(
    `${API}/add`,
    inbound(20_443, [CLIENT, { ...OTHER, email: 'carl@example.com', id: OTHER.id.replace('12', '13') }]),
  );
  await must(`${API}/add`, inbound(20_444, [{ ...OTHER, email: 'dora@example.com' }]));
  await must('/panel/api/nodes/add', node('node'));
  return { panel, browser };
}

/** Where the change is in the log; both null for an answer without a change. */
const receiptOf = ({ headers }: Answer) => [headers.get('x-portolan-position'), headers.get('x-portolan-hash')];
const send = (browser: Browser, route: Route) => browser.post(filled(route.path), bodyOf(route), KEY);

describe('a request with an Idempotency-Key', () => {
  it('has test data for each route that changes something', () => {
    expect(Object.keys(CHANGES).filter((path) => !routes.some((route) => route.path === path))).toEqual([]);
  });

  it.each(routes.map((route) => [route.path, route] as const))(
    'has one effect and one answer: %s',
    async (path, route) => {
      const { panel, browser } = await start();
      const [first, meanwhile] = await Promise.all([send(browser, route), send(browser, route)]);
      const effect = panel.appended();
      if (CHANGES[path]) expect([first.json?.success, effect.length > 0], first.text).toEqual([true, true]);
      expect([meanwhile.text, receiptOf(meanwhile)]).toStrictEqual([first.text, receiptOf(first)]);
      const position = panel.log.head().position;
      const second = await send(browser, route);
      expect([second.status, second.text, receiptOf(second)]).toEqual([first.status, first.text, receiptOf(first)]);
      expect(panel.log.head().position).toBe(position);
      if (!CHANGES[path]) return;
      await panel.restart();
      const later = await send(browser, route);
      expect([later.json?.success, panel.log.head().position]).toEqual([true, position]);
      expect(receiptOf(later)).toStrictEqual(receiptOf(first));
      const other = await browser.post(filled(path), { ...bodyOf(route), more: 1 }, KEY);
      expect(other.json).toMatchObject({
        success: false,
        msg: 'This Idempotency-Key was used for another request: send a new one',
      });
    },
  );

  it('is separate for each caller, and is rejected with another body, also while the first one runs', async () => {
    const { panel, browser } = await start();
    panel.given({ type: 'IssueApiToken', data: { token: 'T'.repeat(40), replace: true } });
    const add = (port: number, headers = {}) => browser.post(`${API}/add`, inbound(port), { ...KEY, ...headers });
    const [one, two] = await Promise.all([add(20_600), add(20_601)]);
    expect(new Set([one.json?.success, two.json?.success])).toEqual(new Set([false, true]));
    const token = { authorization: `Bearer ${'T'.repeat(40)}` };
    expect((await panel.browser().post(`${API}/add`, inbound(20_602), { ...KEY, ...token })).json?.success).toBe(true);
    const elsewhere = await browser.post(`${API}/setEnable/1`, { enable: false }, KEY);
    expect(elsewhere.json).toMatchObject({ msg: 'This Idempotency-Key was used for another request: send a new one' });
  });

  it('may be repeated after a rejection', async () => {
    const { browser } = await start();
    const add = () => browser.post(`${API}/add`, inbound(20_443), KEY);
    expect((await add()).json?.success).toBe(false);
    expect((await browser.post(`${API}/del/1`)).json?.success).toBe(true);
    expect((await add()).json?.success).toBe(true);
    expect((await add()).json?.success).toBe(true);
  });

  it('calls external services once for concurrent repetitions', async () => {
    let asked = 0;
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const backupDelivery = {
      async deliver() {
        asked += 1;
        await held;
        return reject('CHAT_BOT_OFF');
      },
    };
    const panel = await startPanel({ parts: { backupDelivery } });
    const browser = await panel.browser().login();
    const all = Array.from({ length: 5 }, () => browser.post('/panel/api/backuptochatbot', {}, KEY));
    // A request has arrived once it passed the guard and was read.
    await expect.poll(() => asked).toBe(1);
    await browser.get('/panel/api/server/status');
    answer();
    expect(new Set((await Promise.all(all)).map((given) => given.text)).size).toBe(1);
  });

  it('is compared by the content of an uploaded file', async () => {
    const taken: string[] = [];
    const panel = await startPanel({
      parts: {
        backups: {
          create: async () => Promise.reject(new Error('not here')),
          keep: async () => Promise.reject(new Error('not here')),
          replace: async ({ path }) => {
            taken.push(readFileSync(path, 'utf8'));
            const contents = { inbounds: 0, clients: 0, nodes: 0, admins: 1, basePath: '/' };
            const log = { sha256: '', generation: '', position: 1 };
            return { kind: 'portolan', ...log, kept: [], report: null, origin: null, contents };
          },
          replaceFrom: async () => Promise.reject(new Error('not here')),
          latest: () => ({ last: null, lastGood: null, next: null, late: false }),
          list: () => [],
          pathOf: () => null,
        },
      },
    });
    panel.given({ type: 'IssueApiToken', data: { token: 'T'.repeat(40), replace: true } });
    const headers = { ...KEY, authorization: `Bearer ${'T'.repeat(40)}` };
    const upload = async (content: string) => {
      const body = new FormData();
      body.set('db', new Blob([content]), 'x.db');
      return (await panel.call('POST', '/panel/api/server/importDB', { headers, body })).json;
    };
    const first = await upload('one');
    expect(first?.success).toBe(true);
    expect(await upload('one')).toEqual(first);
    expect(await upload('two')).toMatchObject({
      msg: 'This Idempotency-Key was used for another request: send a new one',
    });
    expect(taken).toEqual(['one']);
  });
});
