import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { ADMIN, type Browser, startPanel } from '../../kit/panel.js';

const LIST = '/panel/api/inbounds/list';
const CHANGE = '/panel/api/inbounds/onlines';
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

describe('a session', () => {
  it('expires by the current setting if that is shorter', async () => {
    const panel = await startPanel({ settings: { sessionMaxAge: 600 } });
    const browser = await panel.browser().login();
    panel.later(20 * MINUTE);
    expect((await browser.get(LIST)).status).toBe(200);
    await browser.post('/panel/setting/update', { sessionMaxAge: 10 });
    expect((await browser.get(LIST)).status).toBe(404);
    panel.given({ type: 'ChangeSettings', data: { changes: { sessionMaxAge: 600 } } });
    expect((await browser.get(LIST)).status).toBe(200);
    panel.later(600 * MINUTE);
    expect((await browser.get(LIST)).status).toBe(404);
  });

  it('lasts at most 30 days', async () => {
    const panel = await startPanel({ settings: { sessionMaxAge: 525_600 } });
    const browser = panel.browser();
    const answer = await browser.post('/login', ADMIN);
    expect(answer.headers.getSetCookie()[0]).toContain(`Max-Age=${30 * 86_400};`);
    panel.later(30 * DAY - MINUTE);
    expect((await browser.get(LIST)).status).toBe(200);
    panel.later(MINUTE + 1);
    expect((await browser.get(LIST)).status).toBe(404);
  });

  it('starts after the clock was wrong for a while', async () => {
    const panel = await startPanel();
    panel.later(365 * DAY);
    await panel.browser().login();
    panel.later(-365 * DAY);
    const browser = await panel.browser().login();
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it('is not found by a cookie with one changed character', async () => {
    const panel = await startPanel();
    const { cookie } = await panel.browser().login();
    const [name = '', id = ''] = cookie.split('=');
    const changed = [...id].map((letter, at) => `${id.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`);
    const others = [id.slice(1), id.slice(0, -1), `${id}A`, `${id}%00`, `"${id}"`, id.toUpperCase(), `${id}.${id}`];
    const place = panel.log.head().position;
    for (const value of [...changed.slice(0, 5), ...changed.slice(-5), ...others])
      expect([value, (await panel.call('GET', LIST, { headers: { cookie: `${name}=${value}` } })).status]).toEqual([
        value,
        404,
      ]);
    expect(panel.log.head().position).toBe(place);
    expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(200);
  });

  it('is not found among several cookies after it has ended', async () => {
    const panel = await startPanel();
    const [gone, alive] = [await panel.browser().login(), await panel.browser().login()];
    const old = gone.cookie;
    await gone.post('/logout');
    for (const cookie of [`${old}; ${alive.cookie}`, `${alive.cookie}; ${old}`, `${old}; ${old}`])
      expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
  });

  it('is not changed by a GET with any headers', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const method = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' };
    for (const path of ['/logout?_method=POST', '/panel/setting/update?_method=POST', `${CHANGE}?_method=POST`])
      expect((await browser.get(path, method)).status).toBe(404);
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it('has a CSRF token that ends with it', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { token } = browser;
    await browser.post('/logout');
    browser.token = '';
    await browser.post('/login', ADMIN);
    browser.token = token;
    expect((await browser.post(CHANGE)).status).toBe(403);
  });

  it('gets a new id after a login with a chosen cookie', async () => {
    const panel = await startPanel();
    const chosen = `3x-ui=${'A'.repeat(43)}`;
    const browser = panel.browser();
    browser.cookie = chosen;
    expect((await browser.post('/login', ADMIN)).json?.success).toBe(true);
    expect(browser.cookie).not.toBe(chosen);
    expect((await panel.call('GET', LIST, { headers: { cookie: chosen } })).status).toBe(404);
  });
});

describe('the sessions of an admin', () => {
  interface Row {
    readonly id: string;
    readonly device: string;
    readonly ip: string;
    readonly startedAt: number;
    readonly usedAt: number | null;
    readonly expiresAt: number;
    readonly current: boolean;
  }
  const SESSIONS = '/panel/setting/sessions';
  const list = async (browser: Browser) => ((await browser.get(SESSIONS)).json as { obj: Row[] }).obj;
  const start = async () => {
    const panel = await startPanel();
    const own = await panel.browser().login();
    panel.later(MINUTE);
    const other = panel.browser();
    other.token = String((await other.get('/csrf-token')).json?.obj);
    await other.post('/login', ADMIN, { 'user-agent': `Phone \u00ff${'x'.repeat(300)}` });
    panel.later(MINUTE);
    return { panel, own, other };
  };
  const shown = (panel: { readonly appended: () => readonly RecordedEvent[] }) =>
    panel.appended().map(({ type, data }) => ({ type, data }));

  it('are listed with device, address and last use, and without their secrets', async () => {
    const { panel, own, other } = await start();
    const rows = await list(own);
    expect(rows.map(({ current }) => current)).toEqual([false, true]);
    const [phone, mine] = rows;
    expect(phone).toMatchObject({ ip: '127.0.0.1', device: expect.stringMatching(/^Phone .x+$/) as string });
    expect(phone?.device).toHaveLength(200);
    expect(mine?.usedAt).toBeGreaterThan(phone?.startedAt ?? 0);
    expect(phone?.usedAt).toBeNull();
    expect(Object.keys(phone ?? {})).toEqual(['id', 'device', 'ip', 'startedAt', 'usedAt', 'expiresAt', 'current']);
    const text = JSON.stringify(rows);
    for (const { cookie, token } of [own, other]) {
      expect(text).not.toContain(cookie.split('=')[1]);
      expect(text).not.toContain(token);
    }
    await other.get(LIST);
    expect((await list(own))[0]?.usedAt).toBeGreaterThan(phone?.startedAt ?? 0);
    expect(panel.appended()).toEqual([]);
  });

  it('belong to an account that has a name', async () => {
    const { own } = await start();
    const account = { username: ADMIN.username, twoFactorEnable: false };
    expect((await own.get('/panel/setting/account')).json?.obj).toEqual(account);
  });

  it('end one at a time', async () => {
    const { panel, own, other } = await start();
    const { id } = (await list(own)).find(({ current }) => !current) as Row;
    const answer = await own.post(`${SESSIONS}/end`, { id });
    expect(answer.json).toMatchObject({ success: true, msg: 'The session was ended.' });
    expect(panel.appended()).toMatchObject([
      { type: 'LoggedOut', data: { user: 1 }, meta: { actor: { name: 'admin' } } },
    ]);
    expect((await other.get(LIST)).status).toBe(404);
    expect((await own.get(LIST)).status).toBe(200);
    expect((await own.post(`${SESSIONS}/end`, { id })).json).toMatchObject({
      success: false,
      code: 'SESSION_NOT_FOUND',
    });
    expect(panel.appended()).toEqual([]);
  });

  it('all end at once, except that of the caller', async () => {
    const { panel, own, other } = await start();
    const before = own.cookie;
    const answer = await own.post(`${SESSIONS}/endOthers`);
    expect(answer.json).toMatchObject({ success: true, msg: 'All other sessions were ended.' });
    expect(shown(panel)).toMatchObject([
      { type: 'SessionsRevoked', data: { user: 1, epoch: 1, reason: 'requested' } },
      { type: 'LoggedIn', data: { user: 1, epoch: 1 } },
    ]);
    expect((await other.get(LIST)).status).toBe(404);
    expect((await list(own)).map(({ current }) => current)).toEqual([true]);
    expect((await panel.call('GET', LIST, { headers: { cookie: before } })).status).toBe(404);
    const again = await panel.browser().login();
    expect(await list(again)).toHaveLength(2);
  });

  it('of another admin are not listed and cannot be ended', async () => {
    const { panel, own } = await start();
    panel.given({ type: 'CreateUser', data: { username: 'second', passwordHash: 'plain another horse' } });
    const second = panel.browser();
    second.token = String((await second.get('/csrf-token')).json?.obj);
    await second.post('/login', { username: 'second', password: 'another horse' });
    const [row] = await list(own);
    expect((await list(second)).map(({ current }) => current)).toEqual([true]);
    const answer = await second.post(`${SESSIONS}/end`, { id: row?.id });
    expect(answer.json).toMatchObject({ success: false, code: 'SESSION_NOT_FOUND' });
    expect(panel.appended()).toEqual([]);
    await second.post(`${SESSIONS}/endOthers`);
    expect(await list(own)).toHaveLength(2);
  });

  it('are not open to the API token', async () => {
    const { panel, own } = await start();
    const token = ((await own.get('/panel/setting/getApiToken')).json as { obj: string }).obj;
    const headers = { authorization: `Bearer ${token}` };
    expect((await panel.call('GET', SESSIONS, { headers })).status).toBe(404);
    expect((await panel.call('POST', `${SESSIONS}/endOthers`, { headers })).status).toBe(404);
  });
});

describe('a new password', () => {
  const change = async (newPassword: string, newUsername = ADMIN.username) => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const body = { oldUsername: ADMIN.username, oldPassword: ADMIN.password, newUsername, newPassword };
    const { json } = await browser.post('/panel/setting/updateUser', body);
    return { json, types: panel.appended().map(({ type }) => type) };
  };

  it.each([
    ['the old one', ADMIN.password, 'The new password must differ from the old one'],
    ['the name', 'administrator', 'The password must not be the user name', 'Administrator'],
    ['admin', 'admin', 'A password must have at least 10 characters', 'root'],
    ['nothing', '', 'A password must have at least 10 characters'],
    ['of nine characters', 'x7-nine-c', 'A password must have at least 10 characters'],
    ['endless', 'x'.repeat(1025), 'A password must have at most 1024 characters'],
  ])('is not %s', async (_, password, why, name = ADMIN.username) => {
    const { json, types } = await change(password, name);
    expect(json).toEqual({ success: false, msg: why, obj: null, code: 'CREDENTIALS_WEAK' });
    expect(types).toEqual([]);
  });

  it('may stay the same when the name changes', async () => {
    const { json, types } = await change(ADMIN.password, 'root');
    expect(json?.success).toBe(true);
    expect(types).toEqual(['UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn']);
  });
});

describe('a read', () => {
  const reads = Object.values(tables)
    .flatMap((table) => Object.values(table) as Route[])
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path, aliases }) => [path, ...aliases])
    .filter((path) => path !== '/panel/setting/getApiToken');

  it('changes nothing on any route', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    await browser.get('/panel/setting/getApiToken');
    const { position } = panel.log.head();
    expect(reads.length).toBeGreaterThan(20);
    for (const path of reads) await browser.get(path.replaceAll(/:\w+/g, '2'));
    expect(panel.log.read(position, 10)).toEqual([]);
  });
});
