import { describe, expect, it } from 'vitest';
import { ADMIN, startPanel } from '../../kit/panel.js';

const SESSION = /^3x-ui=[\w-]{43}; Path=\/; Max-Age=21600; HttpOnly; SameSite=Lax$/;
const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

describe('login', () => {
  it('sets the cookie and appends one event, which has the id only as a hash', async () => {
    const panel = await startPanel({ slow: true });
    const browser = panel.browser();
    const answer = await browser.post('/login', ADMIN);
    expect(answer.json).toMatchObject({ success: true, obj: null });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(SESSION)]);
    const [event, ...more] = panel.appended();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'LoggedIn',
      data: { user: 1, epoch: 0 },
      meta: { actor: { kind: 'user', id: '1', ip: '127.0.0.1' } },
    });
    expect(JSON.stringify(event)).not.toContain(browser.cookie.slice(6));
  });

  it.each([
    ['a wrong password', { ...ADMIN, password: 'wrong' }],
    ['an unknown user', { username: 'nobody', password: 'wrong' }],
    ['another case', { ...ADMIN, username: 'Admin' }],
  ])('rejects %s with the same reply, and records the attempt', async (_, body) => {
    const panel = await startPanel();
    const answer = await panel.browser().post('/login', body);
    expect(answer).toMatchObject({
      status: 200,
      json: { success: false, msg: 'Invalid username or password or two-factor code.' },
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(panel.appended()).toMatchObject([
      {
        type: 'LoginFailed',
        data: { attempt: { username: body.username, ip: '127.0.0.1' }, reason: 'credentials', count: 1 },
      },
    ]);
    expect(JSON.stringify(panel.appended())).not.toContain(body.password);
  });

  it.each([
    [{ username: '', password: 'x' }, 'Username is required'],
    [{ username: 'x' }, 'Password is required'],
    [{ username: ['admin'], password: 'x' }, 'username: must be a string'],
    [{ username: { x: 1 }, password: 'x' }, 'username: must be a string'],
    [{ username: null, password: 'x' }, 'username: must be a string'],
    [{ username: 5, password: 'x' }, 'username: must be a string'],
  ])('rejects %j and counts no failure', async (body, reason) => {
    const panel = await startPanel();
    const answer = await panel.browser().post('/login', body);
    expect(answer.json?.success).toBe(false);
    expect(answer.json?.msg).toContain(reason);
    expect(panel.appended()).toEqual([]);
  });

  it('accepts a form, with or without an earlier CSRF token', async () => {
    const panel = await startPanel();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(ADMIN).toString();
    const answer = await panel.call('POST', '/login', { headers, body });
    expect(answer.json?.success).toBe(true);
    expect(answer.headers.getSetCookie()).toHaveLength(1);
  });

  it('keeps the CSRF token from before the login and sets a new id', async () => {
    const panel = await startPanel();
    const browser = panel.browser();
    const first = await browser.get('/csrf-token');
    expect(first.headers.getSetCookie()).toHaveLength(1);
    expect((await browser.get('/csrf-token')).json?.obj).toBe(first.json?.obj);
    const before = browser.cookie;
    browser.token = String(first.json?.obj);
    await browser.post('/login', ADMIN);
    expect(browser.cookie).not.toBe(before);
    const again = await browser.get('/csrf-token');
    expect(again.headers.getSetCookie()).toHaveLength(1);
    expect(again.json?.obj).toBe(browser.token);
    expect((await browser.post('/panel/api/inbounds/onlines')).json?.success).toBe(true);
    const old = await panel.call('GET', '/panel/api/inbounds/list', { headers: { cookie: before } });
    expect(old.status).toBe(404);
  });

  it('ends the previous session of the same browser', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const before = browser.cookie;
    await browser.post('/login', ADMIN);
    expect(types(panel.appended())).toEqual(['LoggedIn', 'LoggedOut']);
    expect((await panel.call('GET', '/panel/api/inbounds/list', { headers: { cookie: before } })).status).toBe(404);
    expect((await browser.get('/panel/api/inbounds/list')).status).toBe(200);
  });

  it.each([
    ['a wrong token', { 'x-csrf-token': 'wrong' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('rejects %s', async (_, headers) => {
    const panel = await startPanel();
    const answer = await panel.browser().post('/login', ADMIN, headers);
    expect(answer).toMatchObject({ status: 403, json: { success: false, obj: null } });
    expect(panel.appended()).toEqual([]);
  });

  it('reports that two-factor login is off, and supports no other method', async () => {
    const panel = await startPanel();
    expect((await panel.browser().post('/getTwoFactorEnable')).json).toEqual({ success: true, msg: '', obj: false });
    expect((await panel.browser().post('/panel/api/login', ADMIN)).status).toBe(404);
    expect((await panel.browser().get('/login')).status).toBe(404);
  });
});

describe('the lock-out', () => {
  const attempt = (
    panel: Awaited<ReturnType<typeof startPanel>>,
    password: string,
    ip = '198.51.100.1',
    username = 'admin',
  ) => panel.browser().post('/login', { username, password }, { 'x-forwarded-for': ip });

  it('gives the same answer after 5 failures, records no more of them, and ends after 15 minutes', async () => {
    const panel = await startPanel();
    for (let count = 0; count < 5; count += 1) await attempt(panel, 'wrong');
    const position = panel.log.head().position;
    expect((await attempt(panel, ADMIN.password)).json).toEqual((await attempt(panel, 'wrong')).json);
    expect(panel.log.head().position).toBe(position);
    expect((await attempt(panel, ADMIN.password, '198.51.100.2')).json?.success).toBe(true);
    panel.later(15 * 60_000 + 1);
    expect((await attempt(panel, ADMIN.password)).json?.success).toBe(true);
  });

  it('applies to a burst of attempts', async () => {
    const panel = await startPanel({ slow: true });
    await Promise.all(Array.from({ length: 40 }, (_, at) => attempt(panel, `guess ${at}`)));
    expect(panel.log.read(1, 100).filter(({ type }) => type === 'LoginFailed')).toHaveLength(5);
  });

  it('counts an address over all names', async () => {
    const panel = await startPanel();
    for (let count = 0; count < 40; count += 1) await attempt(panel, 'wrong', '198.51.100.1', `name ${count}`);
    expect((await attempt(panel, ADMIN.password)).json?.success).toBe(false);
    await panel.web.close();
    const counts = { credentials: 0, 'two-factor': 0, locked: 0 };
    for (const event of panel.log.read(1, 100))
      if (event.type === 'LoginFailed') counts[event.data.reason] += event.data.count;
    expect(counts).toEqual({ credentials: 30, 'two-factor': 0, locked: 11 });
  });

  it('records the rejected attempts as one count', async () => {
    const panel = await startPanel();
    for (let count = 0; count < 12; count += 1) await attempt(panel, 'wrong');
    const position = panel.log.head().position;
    await panel.web.close();
    expect(panel.log.read(position, 10)).toMatchObject([
      { type: 'LoginFailed', data: { attempt: { username: 'admin', ip: '198.51.100.1' }, reason: 'locked', count: 7 } },
    ]);
  });
});
