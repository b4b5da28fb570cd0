import { describe, expect, it } from 'vitest';
import { DAY, draft, HOUR, one } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const PATH = '/panel/api/clients';
type Row = { id: number; email: string; state: string; online: boolean; enabled: boolean };
type Page = { clients: Row[]; matched: number; used: number; counts: Record<string, number> };
type Change = {
  clients: number[];
  changed: number;
  disconnected: number;
  reconnected: number;
  sample: string[];
  undo: object | null;
};

/** Clients 1 to 6 on the first inbound: in every state. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const now = Date.now();
  const add = async (body: object) =>
    panel.call('POST', '/panel/api/inbounds/add', { headers, body: JSON.stringify(body) });
  const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{}' };
  const vless = { enable: true, protocol: 'vless', ...stream, settings: '{"clients":[],"decryption":"none"}' };
  await add({ ...vless, remark: 'home', port: 4433 });
  await add({ ...vless, remark: 'away', port: 4434 });
  const clients = [
    draft('Active', 1, { identity: { comment: 'first floor' } }),
    draft('expiring', 2, { spec: { expiresAt: now + 2 * DAY } }),
    draft('high', 3, { spec: { capBytes: 100 } }),
    draft('depleted', 4, { spec: { capBytes: 50 } }),
    draft('expired', 5, { spec: { expiresAt: now - DAY } }),
    draft('off', 6, { spec: { enabled: false } }),
  ];
  panel.given({ type: 'AddClients', data: { inbound: one, clients } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'high', up: 80, down: 5 } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'depleted', up: 50, down: 5 } });
  panel.given({ type: 'DepleteExpired', data: {} });
  const page = async (query = ''): Promise<Page> => {
    const { json } = await panel.call('GET', `${PATH}/page${query}`, { headers });
    return json?.obj as Page;
  };
  const emails = async (query: string) => (await page(query)).clients.map(({ email }) => email);
  const post = async (path: string, body: object) =>
    panel.call('POST', `${PATH}/${path}`, { headers, body: JSON.stringify(body) });
  const change = async (body: object): Promise<Change> => (await post('change', body)).json?.obj as Change;
  const since = () => panel.appended().map(({ type }) => type);
  return { panel, page, emails, post, change, since };
}

describe('a search whose text is in the body', () => {
  it('answers as the page does, and says whether the text is in a name or only in a credential', async () => {
    const { page, post } = await start();
    const search = async (body: object) => (await post('search', body)).json?.obj as Page & { named: boolean };
    expect(await search({ search: 'FLOOR', limit: 1 })).toStrictEqual(await page('?search=FLOOR&limit=1'));
    expect(await search({ search: 'floor' })).toMatchObject({ named: true, matched: 1 });
    expect(await search({ search: 'sub-off' })).toMatchObject({ named: false, matched: 1 });
    expect(await search({ search: 'nothing at all' })).toMatchObject({ named: false, matched: 0 });
    expect(await search({})).toMatchObject({ named: true, matched: 6 });
    expect((await post('search', { limit: 501 })).json?.success).toBe(false);
    const { text } = await post('export', { search: 'floor' });
    expect(text).toContain('Active');
    expect(text).not.toContain('expiring');
  });
});

describe('the clients with the most traffic of the day', () => {
  it('are counted from midnight, by email', async () => {
    const { panel } = await start();
    const top = async () => {
      const { json } = await panel.call('GET', `${PATH}/top`, { headers });
      return json?.obj as { since: number; clients: { email: string; bytes: number }[] };
    };
    const uses = (...clients: [number, number, number][]): void =>
      panel.given({ type: 'RecordTraffic', data: { run: 'r', inbounds: [], outbounds: [], clients } });
    panel.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    uses([1, 10, 5], [2, 100, 0]);
    panel.later(2 * DAY);
    expect((await top()).clients).toStrictEqual([]);
    uses([1, 10, 5], [3, 100, 0]);
    uses([1, 200, 0]);
    const { since, clients } = await top();
    expect(clients).toStrictEqual([
      { email: 'Active', bytes: 215 },
      { email: 'high', bytes: 100 },
    ]);
    expect(since).toBeLessThanOrEqual(panel.now());
    expect(panel.now() - since).toBeLessThan(DAY + HOUR);
  });
});

describe('pages of clients', () => {
  it('have a state for each client, totals and counts', async () => {
    const { page } = await start();
    const all = await page();
    expect(all.clients.map(({ email, state }) => [email, state])).toStrictEqual([
      ['Active', 'active'],
      ...['depleted', 'expired', 'expiring', 'high'].map((state) => [state, state]),
      ['off', 'disabled'],
    ]);
    expect(all).toMatchObject({
      matched: 6,
      used: 140,
      counts: {
        ...{ online: 0, offline: 6, all: 6, enabled: 5, active: 3 },
        ...{ expiring: 1, high: 1, depleted: 1, expired: 1, disabled: 1 },
      },
    });
  });

  it.each([
    ['?sort=used&order=desc&limit=2', ['high', 'depleted']],
    ['?sort=expiry&limit=2', ['expired', 'expiring']],
    ['?order=desc&offset=4', ['depleted', 'Active']],
    ['?search=FLOOR', ['Active']],
    ['?search=sub-off', ['off']],
    ['?state=active', ['Active', 'expiring', 'high']],
    ['?state=enabled', ['Active', 'depleted', 'expired', 'expiring', 'high']],
    ['?state=expired', ['expired']],
    ['?inbound=2', []],
    ['?node=0&state=expired', ['expired']],
    ['?node=3', []],
  ])('%s', async (query, wanted) => {
    expect(await (await start()).emails(query)).toStrictEqual(wanted);
  });

  it('combine connected or not with any state, also in the export and in a change', async () => {
    const { panel, page, emails, post, change } = await start();
    panel.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    const clients: [number, number, number][] = [
      [1, 10, 5],
      [3, 1, 0],
    ];
    panel.given({ type: 'RecordTraffic', data: { run: 'r', inbounds: [], outbounds: [], clients } });
    expect(await emails('?online=true')).toStrictEqual(['Active', 'high']);
    expect(await emails('?online=true&state=high')).toStrictEqual(['high']);
    expect(await emails('?online=false&state=active')).toStrictEqual(['expiring']);
    expect(await page('?online=true&state=high')).toMatchObject({
      matched: 1,
      counts: { online: 1, offline: 0, all: 2, enabled: 2, active: 2, high: 1, expiring: 0, disabled: 0 },
    });
    const { text } = await post('export', { online: true, state: 'high' });
    expect(text.match(/^(?:Active|high|off)/gm)).toStrictEqual(['high']);
    const effect = await change({ action: 'disable', online: false, state: 'active', preview: true });
    expect(effect.sample).toStrictEqual(['expiring']);
  });

  it.each(['?state=unknown', '?state=online', '?online=perhaps', '?sort=password', '?limit=501', '?offset=-1'])(
    'refuse %s',
    async (query) => {
      const { panel } = await start();
      const { json } = await panel.call('GET', `${PATH}/page${query}`, { headers });
      expect(json).toMatchObject({ success: false, code: 'INPUT_INVALID' });
    },
  );

  it('have clients whose period has not started before those that never expire', async () => {
    const { panel, page } = await start();
    const waiting = draft('waiting', 7, { spec: { expiresAt: -30 * DAY } });
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [waiting] } });
    const { clients } = await page('?sort=expiry');
    expect(clients[2]).toMatchObject({ email: 'waiting', state: 'active' });
  });

  it('leave the inbounds without their clients', async () => {
    const { panel } = await start();
    const { json } = await panel.call('GET', `${PATH}/inbounds`, { headers });
    expect(json?.obj).toMatchObject([
      { id: 1, remark: 'home', port: 4433, clients: 6, vision: false, method: '', nodeId: 0, enable: true },
      { id: 2, remark: 'away', clients: 0 },
    ]);
  });
});

describe('the export of clients', () => {
  const csv = async (panel: Awaited<ReturnType<typeof start>>['panel'], query: string) =>
    (await panel.call('GET', `${PATH}/export${query}`, { headers })).text;

  it('has all that match the filter, in order, as CSV without credentials', async () => {
    const { panel } = await start();
    const text = await csv(panel, '?state=active&sort=used&order=desc');
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^email,inbound,node,state,online,enabled,up,down,cap,expires/);
    expect(lines.map((line) => line.split(',').slice(0, 9).join())).toStrictEqual([
      'high,home,,high,no,yes,80,5,100',
      'Active,home,,active,no,yes,0,0,0',
      'expiring,home,,expiring,no,yes,0,0,0',
    ]);
    expect(text).not.toMatch(/sub-|0000-0000/);
  });

  it('contains no formula that a spreadsheet would run', async () => {
    const { panel } = await start();
    const clients = [draft('=1+1', 8, { identity: { comment: '@SUM(A1),"x"\r\n' } })];
    panel.given({ type: 'AddClients', data: { inbound: one, clients } });
    const [, line = ''] = (await csv(panel, '?search=%3D1')).split('\r\n');
    expect(line).toMatch(/^'=1\+1,/);
    expect(line).toContain("'@SUM(A1)");
  });
});

describe('the details of a client', () => {
  it('have its settings and credentials, and are refused for an unknown email', async () => {
    const { panel } = await start();
    const details = async (email: string) =>
      (await panel.call('GET', `${PATH}/${email}/details`, { headers })).json as object;
    expect(await details('ACTIVE')).toMatchObject({
      obj: [{ row: { id: 1, email: 'Active' }, client: { email: 'Active', comment: 'first floor' }, addresses: [] }],
    });
    expect(await details('unknown')).toMatchObject({ success: false, code: 'CLIENT_NOT_FOUND' });
  });
});

describe('the profiles of a client', () => {
  it('configure an app for one inbound, in each format of subscriptions', async () => {
    const { panel } = await start();
    const profiles = async (email: string, inbound: number) =>
      (await panel.call('GET', `${PATH}/${email}/profiles/${inbound}`, { headers })).json;
    const { obj } = (await profiles('ACTIVE', 1)) as { obj: { format: string; text: string }[] };
    expect(obj.map(({ format }) => format)).toStrictEqual(['json', 'clash', 'sing-box']);
    const [core, clash, singBox] = obj.map(({ text }) => text);
    expect(core).toContain('"protocol":"vless"');
    expect(clash).toContain('port: 4433');
    expect(singBox).toContain('"server_port":4433');
    expect(await profiles('ACTIVE', 2)).toMatchObject({ success: false, code: 'CLIENT_NOT_FOUND' });
    expect(await profiles('unknown', 1)).toMatchObject({ success: false, code: 'CLIENT_NOT_FOUND' });
  });
});

describe('a change of many clients', () => {
  it('says first what it would do, and changes nothing', async () => {
    const { change, since } = await start();
    since();
    expect(await change({ action: 'disable', preview: true })).toStrictEqual({
      ...{ clients: [1, 4, 5, 2, 3, 6], changed: 5, disconnected: 3, reconnected: 0, undo: null },
      ...{ used: 140, rekeyed: 0 },
      sample: ['Active', 'depleted', 'expired', 'expiring', 'high'],
      names: {
        ...{ disconnected: ['Active', 'expiring', 'high'], reconnected: [] },
        ...{ others: ['depleted', 'expired'], same: ['off'] },
      },
    });
    expect(since()).toStrictEqual([]);
  });

  it('disables the enabled ones in one append, and takes it back', async () => {
    const { change, post, since, panel, emails } = await start();
    since();
    const done = await change({ action: 'disable', state: 'active', except: [3] });
    expect(done).toMatchObject({ clients: [1, 2], changed: 2, disconnected: 2 });
    expect(panel.appended()).toMatchObject([
      { type: 'ClientUpdated', data: { client: 1, changes: { enabled: false } } },
      { type: 'ClientUpdated', data: { client: 2, changes: { enabled: false } } },
    ]);
    expect((await post('restore', done.undo ?? {})).json).toMatchObject({ success: true });
    expect(since()).toStrictEqual(['ClientUpdated', 'ClientUpdated']);
    expect(await emails('?state=disabled')).toStrictEqual(['off']);
  });

  it('extends what ends, from now where it has ended', async () => {
    const { change, since, page } = await start();
    since();
    expect(await change({ action: 'extend', days: 30 })).toMatchObject({ changed: 2, reconnected: 1 });
    expect(since()).toStrictEqual(['ClientUpdated', 'ClientUpdated', 'ClientReactivated']);
    expect((await page('?sort=expiry&limit=1')).clients).toMatchObject([{ email: 'expired', state: 'active' }]);
    expect(await change({ action: 'extend', days: 0 })).toMatchObject({ changed: 0, undo: null });
  });

  it('adds traffic to caps, which lets a depleted client connect again', async () => {
    const { change, post, since, emails } = await start();
    since();
    const done = await change({ action: 'addTraffic', bytes: 100, clients: [1, 4] });
    expect(done).toMatchObject({ changed: 1, reconnected: 1, sample: ['depleted'] });
    expect(done).toMatchObject({ names: { reconnected: ['depleted'], others: [], same: ['Active'] } });
    expect(since()).toStrictEqual(['ClientUpdated', 'ClientReactivated']);
    await post('restore', done.undo ?? {});
    expect(since()).toStrictEqual(['ClientUpdated', 'ClientDepleted']);
    expect(await emails('?state=depleted')).toStrictEqual(['depleted']);
  });

  it('resets counters, and sets them again', async () => {
    const { change, post, since, page } = await start();
    since();
    const done = await change({ action: 'reset' });
    expect(done).toMatchObject({ changed: 2, reconnected: 1 });
    expect(since()).toStrictEqual(['ClientTrafficReset', 'ClientTrafficReset', 'ClientReactivated']);
    expect((await page()).used).toBe(0);
    await post('restore', done.undo ?? {});
    expect(since()).toStrictEqual(['ClientTrafficAdjusted', 'ClientDepleted', 'ClientTrafficAdjusted']);
    expect(await page()).toMatchObject({ used: 140, counts: { depleted: 1, high: 1 } });
  });

  it('deletes clients, and adds them again with credentials and counters', async () => {
    const { change, post, since, panel, page } = await start();
    const linksOf = async () => (await panel.call('GET', `${PATH}/high/details`, { headers })).json?.obj;
    const [before] = (await linksOf()) as { client: { id: string; subId: string } }[];
    since();
    const done = await change({ action: 'delete', clients: [3, 5, 99] });
    expect(done).toMatchObject({ changed: 2, disconnected: 1 });
    expect(since()).toStrictEqual(['ClientDeleted', 'ClientDeleted']);
    expect((await post('restore', done.undo ?? {})).json).toMatchObject({ success: true });
    expect(since()).toStrictEqual(['ClientAdded', 'ClientAdded', 'ClientTrafficAdjusted']);
    expect(await linksOf()).toMatchObject([{ client: { id: before?.client.id, subId: before?.client.subId } }]);
    expect(await page()).toMatchObject({ matched: 6, used: 140 });
  });

  it.each([
    { action: 'explode' },
    { action: 'extend', days: -1 },
    { action: 'enable', clients: ['one'] },
    { action: 'addTraffic', bytes: 1.5 },
  ])('refuses %j', async (body) => {
    const { post, since } = await start();
    since();
    expect((await post('change', body)).json).toMatchObject({ success: false, code: 'INPUT_INVALID' });
    expect(since()).toStrictEqual([]);
  });
});

describe('a list of 25,000 clients', () => {
  it('is searched and sorted by the server', async () => {
    const { panel, page } = await start();
    const clients = Array.from({ length: 25_000 }, (_, n) => draft(`sailor-${n}`, n + 100));
    panel.given({ type: 'AddClients', data: { inbound: one, clients } });
    const { clients: rows, matched } = await page('?search=sailor-2499&sort=created');
    expect(matched).toBe(11);
    expect(rows.map(({ email }) => email)).toContain('sailor-24999');
    expect((await page('?sort=used&order=desc&limit=500')).clients).toHaveLength(500);
  });
});

describe('a move of clients', () => {
  it('moves clients with their credentials and counters, in one append, and back', async () => {
    const { change, post, since, panel, page } = await start();
    const preview = { action: 'move', to: 2, clients: [3, 4], preview: true };
    since();
    expect(await change(preview)).toMatchObject({ changed: 2, disconnected: 1, used: 140, rekeyed: 0, undo: null });
    expect(since()).toStrictEqual([]);
    const done = await change({ ...preview, preview: false });
    const moved = ['ClientAdded', 'ClientTrafficTransferred', 'ClientDeleted'];
    const depleted = ['ClientAdded', 'ClientDepleted', 'ClientTrafficTransferred', 'ClientDeleted'];
    expect(since()).toStrictEqual([...moved, ...depleted]);
    expect((await page('?inbound=2')).clients).toMatchObject([
      { id: 8, email: 'depleted', state: 'depleted', up: 50, down: 5 },
      { id: 7, email: 'high', state: 'high', up: 80, down: 5 },
    ]);
    expect((await post('restore', done.undo ?? {})).json).toMatchObject({ success: true });
    expect(since()).toStrictEqual([...moved, ...depleted]);
    const back = await page('?inbound=1&state=high');
    expect(back.clients).toMatchObject([{ id: 9, email: 'high', up: 80, down: 5 }]);
    expect(panel.read.clients.get(9)?.credential).toStrictEqual(draft('high', 3).credential);
  });

  it('makes new credentials where the protocol needs others, and keeps the former for the way back', async () => {
    const { change, post, panel } = await start();
    const keys = { method: '2022-blake3-aes-256-gcm', password: Buffer.alloc(32).toString('base64'), clients: [] };
    const shadowsocks = { protocol: 'shadowsocks', port: 4435, settings: JSON.stringify(keys) };
    const { json } = await panel.call('POST', '/panel/api/inbounds/add', {
      headers,
      body: JSON.stringify(shadowsocks),
    });
    expect(json?.success).toBe(true);
    const done = await change({ action: 'move', to: 3, clients: [1] });
    expect(done).toMatchObject({ changed: 1, rekeyed: 1 });
    const before = draft('Active', 1).credential;
    expect(panel.read.clients.get(7)?.credential).toMatchObject({ id: before.id });
    expect(panel.read.clients.get(7)?.credential.password).not.toBe(before.password);
    await post('restore', done.undo ?? {});
    expect(panel.read.clients.get(8)?.credential).toStrictEqual(before);
  });

  it('moves no client to an unknown inbound', async () => {
    const { post, since } = await start();
    since();
    const { json } = await post('change', { action: 'move', to: 99, clients: [1], preview: true });
    expect(json).toMatchObject({ success: false, code: 'INBOUND_NOT_FOUND' });
    expect(since()).toStrictEqual([]);
  });
});
