import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { codeAt, OTHER_TOKEN, stepAt, TOKEN, wrongCode } from '../../../kit/totp.js';
import { ADMIN, type Browser, startPanel } from '../../kit/panel.js';

const UPDATE = '/panel/setting/update';
const SECRET = '/panel/setting/secret';
const LIST = '/panel/api/inbounds/list';
const STEP = 30_000;
const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** A panel with a manual clock, and the codes of an app with the same clock. */
async function start() {
  const panel = await startPanel();
  let offset = 0;
  const later = (ms: number): void => {
    offset += ms;
    panel.later(ms);
  };
  // Start in the middle of a step, so that no step ends during a test.
  later(STEP / 2 - (Date.now() % STEP) + STEP);
  const now = () => Date.now() + offset;
  const code = (away = 0, token = TOKEN) => codeAt(token, now() + away * STEP);
  const wrong = (token = TOKEN) => wrongCode(token, now());
  const login = (browser: Browser, twoFactorCode: unknown, over: object = {}) =>
    browser.post('/login', { ...ADMIN, twoFactorCode, ...over });
  return { panel, later, now, code, wrong, login };
}

/** The same with two-factor login on, and the browser that switched it on. */
async function startOn() {
  const parts = await start();
  const browser = await parts.panel.browser().login();
  const body = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: parts.code() };
  expect((await browser.post(UPDATE, body)).json?.success).toBe(true);
  parts.later(STEP * 2);
  return { ...parts, browser };
}

describe('the setup of two-factor login', () => {
  it('begins with a proposal, and takes effect only once a code confirms it', async () => {
    const { panel, code } = await start();
    const browser = await panel.browser().login();
    const first = await browser.post(UPDATE, { twoFactorEnable: true, twoFactorToken: '' });
    expect(panel.appended()).toEqual([]);
    expect(first.json).toMatchObject({
      success: true,
      msg: 'Two-factor login is not enabled yet: add the token to an app and confirm it with a code.',
    });
    const { twoFactorToken, otpauthUrl, qr } = (first.json as { obj: Record<string, string> }).obj;
    expect(otpauthUrl).toContain(`secret=${twoFactorToken}`);
    expect(otpauthUrl).toContain('admin');
    expect(qr).toMatch(/^<svg /);
    expect((await panel.browser().post('/getTwoFactorEnable')).json?.obj).toBe(false);

    const body = { twoFactorEnable: true, twoFactorToken, twoFactorCode: code(0, twoFactorToken) };
    expect((await browser.post(UPDATE, body)).json).toMatchObject({ success: true, obj: null });
    expect(types(panel.appended())).toEqual([
      ...['TwoFactorCodeUsed', 'SettingsChanged', 'SecretSettingChanged', 'SessionsRevoked', 'LoggedIn'],
    ]);
    expect(JSON.stringify(panel.log.stored.rows(0, 100))).not.toContain(twoFactorToken);
    expect((await panel.browser().post('/getTwoFactorEnable')).json?.obj).toBe(true);
  });

  it('saves the other settings of the body with a proposal and without one', async () => {
    const { panel } = await start();
    const browser = await panel.browser().login();
    const both = await browser.post(UPDATE, { twoFactorEnable: true, pageSize: 50, webPort: 9090 });
    expect(both.json).toMatchObject({
      success: true,
      obj: { restart: ['webPort'], twoFactorToken: expect.any(String) },
    });
    expect(panel.appended()).toMatchObject([
      { type: 'SettingsChanged', data: { changes: { pageSize: 50, webPort: 9090 } } },
    ]);
    const refused = await browser.post(UPDATE, { twoFactorEnable: true, pageSize: -1 });
    expect(refused.json).toMatchObject({ success: false, obj: { errors: [{ key: 'pageSize' }] } });
  });

  it('accepts a token of the admin, in upper or lower case and with spaces', async () => {
    const { panel, code } = await start();
    const browser = await panel.browser().login();
    const written = `${TOKEN.toLowerCase().match(/.{4}/g)?.join(' ')}==`;
    const body = { twoFactorEnable: 'true', twoFactorToken: written, twoFactorCode: code() };
    expect((await browser.post(UPDATE, body)).json?.success).toBe(true);
    expect(panel.read.settings.secrets().twoFactorToken).toBe(TOKEN);
  });

  it('uses the proposed token once it receives a code of it, and proposes another token without a code', async () => {
    const { panel, code, wrong } = await start();
    const browser = await panel.browser().login();
    expect((await browser.post(SECRET, { key: 'twoFactorToken', value: TOKEN })).json?.success).toBe(true);
    const proposed = await browser.post(UPDATE, { twoFactorEnable: true });
    expect((proposed.json as { obj: Record<string, string> }).obj['twoFactorToken']).not.toBe(TOKEN);
    expect((await browser.post(UPDATE, { twoFactorEnable: true, twoFactorCode: wrong() })).json?.success).toBe(false);
    expect((await browser.post(UPDATE, { twoFactorEnable: true, twoFactorCode: code() })).json?.success).toBe(true);
    expect(panel.read.settings.current().twoFactorEnable).toBe(true);
  });

  it.each([
    ['no code', () => ''],
    ['a wrong code', wrongCode],
    ['the code of another token', (_: string, now: number) => codeAt(OTHER_TOKEN, now)],
    ['an old code', (token: string, now: number) => codeAt(token, now - 2 * STEP)],
  ])('is rejected with %s', async (_, make) => {
    const { panel, now } = await start();
    const browser = await panel.browser().login();
    const body = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: make(TOKEN, now()), pageSize: 50 };
    expect((await browser.post(UPDATE, body)).json).toMatchObject({
      success: false,
      obj: { errors: [{ key: 'twoFactorCode' }] },
    });
    expect(panel.appended()).toEqual([]);
  });

  it('ends all other sessions and their sockets, and gives the current session a new id', async () => {
    const { panel, code } = await start();
    const [one, other] = [await panel.browser().login(), await panel.browser().login()];
    const before = one.cookie;
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: other.cookie } });
    await once(ws, 'open');
    const closed = once(ws, 'close');
    await one.post(UPDATE, { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: code() });
    expect((await closed)[0]).toBe(1008);
    expect((await other.get(LIST)).status).toBe(404);
    expect(one.cookie).not.toBe(before);
    expect((await panel.call('GET', LIST, { headers: { cookie: before } })).status).toBe(404);
    expect((await one.get(LIST)).status).toBe(200);
    expect((await one.post('/panel/api/inbounds/onlines')).status).toBe(200);
  });

  it('is not allowed with the API token, even with a valid code', async () => {
    const { panel, code } = await start();
    const browser = await panel.browser().login();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
    const body = JSON.stringify({ twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: code() });
    const answer = await panel.call('POST', '/panel/api/setting/update', { headers, body });
    expect(answer.json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
    expect((await browser.get(LIST)).status).toBe(200);
  });
});

describe('a login with a second factor', () => {
  it('accepts the code in the same step as the session', async () => {
    const { panel, code, login, now } = await startOn();
    const browser = panel.browser();
    const answer = await login(browser, code());
    expect(answer.json).toMatchObject({ success: true, msg: 'You have successfully logged into your account.' });
    expect(panel.appended()).toMatchObject([
      { type: 'TwoFactorCodeUsed', data: { user: 1, keyVersion: 1, timeStep: stepAt(now()) } },
      { type: 'LoggedIn', data: { user: 1, epoch: 1 } },
    ]);
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it.each([-1, 1])('accepts a code that is %i step away', async (away) => {
    const { panel, code, login } = await startOn();
    expect((await login(panel.browser(), code(away))).json?.success).toBe(true);
  });

  it('gives the same reply to a wrong code, a missing code and a wrong password', async () => {
    const { panel, code, wrong, login, later } = await startOn();
    const password = await login(panel.browser(), code(), { password: 'wrong' });
    const old = () => code(-2);
    const early = () => code(2);
    const foreign = () => code(0, OTHER_TOKEN);
    const codes = [() => undefined, () => '', wrong, old, early, foreign, () => '٠٠٠٠٠٠', () => 'x'.repeat(6000)];
    for (const [index, give] of codes.entries()) {
      later(60_000); // only some failures of a minute are recorded one by one
      const given = give();
      const headers = { 'x-forwarded-for': `198.51.100.${index}` };
      const answer = await panel.browser().post('/login', { ...ADMIN, twoFactorCode: given }, headers);
      expect([index, answer.status, answer.text]).toEqual([index, 200, password.text]);
      expect([...answer.headers.keys()]).toEqual([...password.headers.keys()]);
      expect(panel.appended()).toMatchObject([{ type: 'LoginFailed', data: { reason: 'two-factor', count: 1 } }]);
    }
    const text = JSON.stringify(panel.log.read(0, 100));
    expect(text).not.toContain(wrong());
  });

  it.each([[['1']], [{ x: 1 }], [123_456], [null]])('rejects the code %j as a wrong type', async (given) => {
    const { panel, login } = await startOn();
    const answer = await login(panel.browser(), given);
    expect(answer).toMatchObject({ status: 200, json: { success: false } });
    expect(answer.json?.msg).toContain('twoFactorCode: must be a string');
    expect(panel.appended()).toEqual([]);
  });

  it('accepts a code once, even for two requests at the same time', async () => {
    const { panel, code, login, later } = await startOn();
    const both = await Promise.all([login(panel.browser(), code()), login(panel.browser(), code())]);
    expect(both.filter(({ json }) => json?.success)).toHaveLength(1);
    const again = code();
    later(STEP);
    expect((await login(panel.browser(), again)).json?.success).toBe(false);
    expect((await login(panel.browser(), code())).json?.success).toBe(true);
  });

  it('does not accept a code that was already used to change the settings', async () => {
    const { panel, code, login } = await start();
    const browser = await panel.browser().login();
    const twoFactorCode = code();
    await browser.post(UPDATE, { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode });
    expect((await login(panel.browser(), twoFactorCode)).json?.success).toBe(false);
    expect((await login(panel.browser(), code(1))).json?.success).toBe(true);
  });

  it('keeps a code used when the clock is set back, and then follows the clock', async () => {
    const { panel, code, login, later } = await startOn();
    const taken = code();
    expect((await login(panel.browser(), taken)).json?.success).toBe(true);
    later(-STEP);
    expect((await login(panel.browser(), taken)).json?.success).toBe(false);
    later(-2 * STEP);
    expect((await login(panel.browser(), taken)).json?.success).toBe(false);
    expect((await login(panel.browser(), code(-1))).json?.success).toBe(true);
    later(600_000);
    expect((await login(panel.browser(), code())).json?.success).toBe(true);
  });

  it('is locked after wrong codes, even if the password is right', async () => {
    const { panel, code, wrong, login, later } = await startOn();
    for (let count = 0; count < 5; count += 1) await login(panel.browser(), wrong());
    expect(types(panel.log.read(0, 100)).filter((type) => type === 'LoginFailed')).toHaveLength(5);
    expect((await login(panel.browser(), code())).json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
    later(15 * 60_000 + 1);
    expect((await login(panel.browser(), code())).json?.success).toBe(true);
  });
});

describe('a change of settings while two-factor login is on', () => {
  const attacks: [string, string, object][] = [
    ['off, by update', UPDATE, { twoFactorEnable: false }],
    ['off, by a form', UPDATE, { twoFactorEnable: 'off' }],
    ['another token, by update', UPDATE, { twoFactorToken: OTHER_TOKEN }],
    ['another token, as if it were set up', UPDATE, { twoFactorEnable: true, twoFactorToken: OTHER_TOKEN }],
    ['another token, by secret', SECRET, { key: 'twoFactorToken', value: OTHER_TOKEN }],
    ['no token, by secret', SECRET, { key: 'twoFactorToken', value: '' }],
  ];

  it.each(attacks)('to %s requires a code of the current token', async (_, path, body) => {
    const { panel, browser, code, wrong } = await startOn();
    for (const twoFactorCode of [undefined, '', wrong(), code(-2), code(0, OTHER_TOKEN)]) {
      const answer = await browser.post(path, { ...body, twoFactorCode });
      expect(answer.json).toMatchObject({ success: false, obj: { errors: [{ key: 'twoFactorCode' }] } });
      expect(types(panel.appended()).filter((type) => type !== 'LoginFailed')).toEqual([]);
    }
    expect(panel.read.settings.current().twoFactorEnable).toBe(true);
    expect(panel.read.settings.secrets().twoFactorToken).toBe(TOKEN);
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it.each(attacks)('to %s is accepted once with that code, and ends the other sessions', async (_, path, body) => {
    const { panel, browser, code, login } = await startOn();
    const other = panel.browser();
    await login(other, code(-1));
    expect((await browser.post(path, { ...body, twoFactorCode: code() })).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(
      expect.arrayContaining(['TwoFactorCodeUsed', 'SessionsRevoked', 'LoggedIn']),
    );
    expect(panel.read.settings.secrets().twoFactorToken).not.toBe(TOKEN);
    expect(panel.read.settings.current().twoFactorEnable).toBe(panel.read.settings.secrets().twoFactorToken !== '');
    expect((await browser.get(LIST)).status).toBe(200);
    expect((await other.get(LIST)).status).toBe(404);
  });

  it('is locked after wrong codes, as a login is', async () => {
    const { panel, browser, code, wrong, login } = await startOn();
    const attempt = (twoFactorCode: string) => browser.post(UPDATE, { twoFactorEnable: false, twoFactorCode });
    for (let count = 0; count < 5; count += 1) await attempt(wrong());
    expect((await attempt(code())).json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
    expect((await login(panel.browser(), code())).json?.success).toBe(false);
    expect(panel.read.settings.current().twoFactorEnable).toBe(true);
  });

  it('needs no code for other settings, and ignores a wrong one', async () => {
    const { panel, browser, wrong } = await startOn();
    for (let count = 0; count < 6; count += 1)
      expect((await browser.post(UPDATE, { pageSize: count, twoFactorCode: wrong() })).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(['SettingsChanged']);
  });

  it('of name and password leaves two-factor login on', async () => {
    const { panel, browser, code, login } = await startOn();
    const next = {
      oldUsername: ADMIN.username,
      oldPassword: ADMIN.password,
      newUsername: 'root',
      newPassword: 'battery staple',
    };
    expect((await browser.post('/panel/setting/updateUser', next)).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(['UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn']);
    expect(panel.appended()[1]?.data).toEqual({ key: 'user:1/credentials/0', reason: 'rotated' });
    expect((await browser.get(LIST)).status).toBe(200);
    const fresh = { username: 'root', password: 'battery staple' };
    expect((await login(panel.browser(), '', fresh)).json?.success).toBe(false);
    expect((await login(panel.browser(), code(), fresh)).json?.success).toBe(true);
  });

  it('has no effect if it sends back what was read', async () => {
    const { panel, browser } = await startOn();
    const all = (await browser.post('/panel/setting/all')).json?.obj as Record<string, unknown>;
    expect(all).toMatchObject({ twoFactorEnable: true, twoFactorToken: '', hasTwoFactorToken: true });
    expect((await browser.post(UPDATE, all)).json?.success).toBe(true);
    expect(panel.appended()).toEqual([]);
  });
});
