import { describe, expect, it } from 'vitest';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { ADMIN, bare, startPanel } from '../../kit/panel.js';

const LIST = '/panel/api/inbounds/list';
const CHANGE = '/panel/api/inbounds/onlines';
const SETTINGS = '/panel/setting/all';
const XHR = { 'x-requested-with': 'XMLHttpRequest' };

describe('an unauthenticated caller', () => {
  it('gets the same bytes for a hidden path, an unknown one and one outside the base path', async () => {
    const panel = await startPanel({ basePath: '/p3x9/' });
    const nothing = bare(await panel.call('GET', '/p3x9/panel/api/nope'));
    expect(nothing).toMatchObject({ status: 404, text: '' });
    const requests: [string, string][] = [
      ['GET', `/p3x9${LIST}`],
      ['POST', `/p3x9${CHANGE}`],
      ['POST', `/p3x9${SETTINGS}`],
      ['POST', '/p3x9/logout'],
      ['GET', '/p3x9/logout'],
      ['GET', '/p3x9/login'],
      ['OPTIONS', `/p3x9${LIST}`],
      ['PUT', `/p3x9${LIST}`],
      ['GET', `/p3x9${LIST}/`],
      ['GET', `/P3X9${LIST}`],
      ['GET', '/p3x9/PANEL/API/inbounds/list'],
      ['GET', '/p3x9//panel/api/inbounds/list'],
      ['GET', '/p3x9/panel/api/inbounds/getClientTraffics/%E0%A4%A'],
      ['GET', '/p3x9'],
      ['GET', '/'],
      ['GET', '/login'],
      ['GET', '/elsewhere'],
    ];
    for (const [method, path] of requests)
      expect({ method, path, answer: bare(await panel.call(method, path)) }).toEqual({ method, path, answer: nothing });
    expect(panel.appended()).toEqual([]);
  });

  it('gets 401 when it is a script', async () => {
    const panel = await startPanel();
    for (const [method, path] of [
      ['GET', LIST],
      ['POST', CHANGE],
      ['POST', SETTINGS],
      ['POST', '/logout'],
    ] as const) {
      const answer = await panel.call(method, path, { headers: XHR });
      expect(answer).toMatchObject({ status: 401, json: { success: false, obj: null } });
      expect(answer.headers.has('x-correlation-id')).toBe(false);
    }
    expect((await panel.call('GET', LIST, { headers: { 'x-requested-with': 'xmlhttprequest' } })).status).toBe(404);
    expect((await panel.call('GET', '/panel/api/nope', { headers: XHR })).status).toBe(404);
  });

  it.each(['3x-ui=', '3x-ui=%00', `3x-ui=${'a'.repeat(8000)}`, `3x-ui=${'a'.repeat(43)}`, '3x-ui', 'other=x; =; ;;'])(
    'is a caller with the cookie %.40s',
    async (cookie) => {
      const panel = await startPanel();
      expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
    },
  );

  it('is a caller with two cookies, or with an id anywhere else', async () => {
    const panel = await startPanel();
    const { cookie } = await panel.browser().login();
    for (const both of [`${cookie}; 3x-ui=${'a'.repeat(43)}`, `3x-ui=${'a'.repeat(43)}; ${cookie}`]) {
      expect((await panel.call('GET', LIST, { headers: { cookie: both } })).status).toBe(404);
    }
    expect((await panel.call('GET', `${LIST}?${cookie}`)).status).toBe(404);
  });
});

describe('a session', () => {
  it('allows reads, and changes with its CSRF token', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const read = await browser.get(LIST);
    expect(read.json).toEqual({ success: true, msg: '', obj: [] });
    expect(read.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/);
    expect((await browser.post(CHANGE)).json?.success).toBe(true);
  });

  it.each([
    ['none', ''],
    ['another', 'x'.repeat(43)],
    ['a short one', 'x'],
  ])('allows no change with %s', async (_, token) => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    browser.token = token;
    for (const path of [CHANGE, SETTINGS, '/logout', '/panel/api/inbounds/resetAllTraffics']) {
      expect(await browser.post(`${path}?_csrf=1`, { _csrf: 'x' })).toMatchObject({
        status: 403,
        json: { success: false },
      });
      expect(panel.appended()).toEqual([]);
    }
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it('cannot be used with the token of another session, or from another site', async () => {
    const panel = await startPanel();
    const [one, other] = [await panel.browser().login(), await panel.browser().login()];
    expect((await one.post(CHANGE, {}, { 'x-csrf-token': other.token })).status).toBe(403);
    expect((await one.post(CHANGE, {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await one.post(CHANGE, {}, { origin: `http://127.0.0.1:${panel.port + 1}` })).status).toBe(403);
    expect((await one.post(CHANGE, {}, { origin: panel.origin })).status).toBe(200);
  });

  it('ends permanently with logout', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { cookie, token } = browser;
    const answer = await browser.post('/logout');
    expect(answer.json?.success).toBe(true);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^3x-ui=; Path=\/; Max-Age=0/);
    expect(panel.appended()).toMatchObject([{ type: 'LoggedOut', meta: { actor: { name: 'admin' } } }]);
    Object.assign(browser, { cookie, token });
    expect((await browser.get(LIST)).status).toBe(404);
    expect((await browser.post(CHANGE)).status).toBe(404);
    expect((await browser.post('/login', ADMIN)).status).toBe(403);
  });

  it('ends when it expires, and setting the clock back does not revive it', async () => {
    const panel = await startPanel({ settings: { sessionMaxAge: 10 } });
    const browser = await panel.browser().login();
    panel.later(10 * 60_000 - 5000);
    expect((await browser.get(LIST)).status).toBe(200);
    panel.later(5001);
    expect((await browser.get(LIST)).status).toBe(404);
    panel.later(-86_400_000);
    expect((await browser.get(LIST)).status).toBe(404);
  });

  it('without a maximum age lasts as long as the browser, at most a day', async () => {
    const panel = await startPanel({ settings: { sessionMaxAge: 0 } });
    const browser = panel.browser();
    const answer = await browser.post('/login', ADMIN);
    expect(answer.headers.getSetCookie()[0]).not.toContain('Max-Age');
    panel.later(86_400_001);
    expect((await browser.get(LIST)).status).toBe(404);
  });

  it('gets an error for a path that cannot be decoded', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const answer = await browser.get('/panel/api/inbounds/getClientTraffics/%E0%A4%A');
    expect(answer).toMatchObject({ status: 400, json: { success: false } });
  });
});

describe('the API token', () => {
  const withToken = async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const send = (method: string, path: string, authorization: string) =>
      panel.call(method, path, { headers: { authorization } });
    return { panel, send };
  };

  it('grants access to the API without a CSRF token, and its events record that', async () => {
    const { panel, send } = await withToken();
    expect((await send('GET', LIST, 'Bearer secret-token')).json?.success).toBe(true);
    expect((await send('GET', LIST, 'bEARER secret-token')).json?.success).toBe(true);
    expect((await send('POST', '/panel/api/setting/update', 'Bearer secret-token')).json?.success).toBe(true);
    const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
    await panel.call('POST', '/panel/api/setting/update', { headers, body: '{"subTitle":"Mine"}' });
    expect(panel.appended()).toMatchObject([
      { type: 'SettingsChanged', meta: { actor: { kind: 'token', ip: '127.0.0.1' } } },
    ]);
  });

  it.each([
    'Bearer wrong',
    'Bearer ',
    'Bearer  secret-token',
    'Basic secret-token',
    'secret-token',
    'Bearer secret-token, Bearer secret-token',
  ])('is not %j', async (authorization) => {
    const { send } = await withToken();
    expect((await send('GET', LIST, authorization)).status).toBe(404);
  });

  it('grants access to nothing else, and is accepted in no other place', async () => {
    const { panel, send } = await withToken();
    for (const path of [SETTINGS, '/panel/setting/updateUser', '/panel/xray/', '/panel/core/', '/logout']) {
      expect({ path, status: (await send('POST', path, 'Bearer secret-token')).status }).toEqual({ path, status: 404 });
    }
    expect((await panel.call('GET', `${LIST}?token=secret-token`)).status).toBe(404);
    const twice: [string, string][] = [
      ['authorization', 'Bearer secret-token'],
      ['authorization', 'Bearer secret-token'],
    ];
    expect((await panel.call('GET', LIST, { headers: twice })).status).toBe(404);
  });

  it('is only for paths of the API, as the tables define', () => {
    for (const route of Object.values(tables).flatMap((table) => Object.values(table))) {
      if (route.auth !== 'panel') continue;
      for (const path of [route.path, ...route.aliases]) expect(path).toMatch(/^\/panel\/api\//);
    }
  });

  it('is not checked while there is none', async () => {
    const panel = await startPanel();
    expect((await panel.call('GET', LIST, { headers: { authorization: 'Bearer null' } })).status).toBe(404);
  });
});
