import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { SoftAuthenticator } from '../../../kit/authenticator.js';
import { codeAt, TOKEN, wrongCode } from '../../../kit/totp.js';
import { ADMIN, type Answer, startPanel } from '../../kit/panel.js';

const STEP = 30_000;
const HELPER = { username: 'helper', password: 'long enough' };

const codesIn = ({ json }: Answer) => ((json?.obj ?? {}) as { recoveryCodes?: string[] }).recoveryCodes ?? [];
const challengeIn = ({ json }: Answer) => ((json?.obj ?? {}) as { challenge?: string }).challenge ?? '';

async function start() {
  const panel = await startPanel();
  const access = { role: 'support', inbounds: [], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'helper', passwordHash: 'plain long enough', access } });
  const browser = await panel.browser().login(HELPER);
  const enable = async () => {
    return codesIn(
      await browser.post('/panel/setting/twoFactor/enable', {
        ...{ twoFactorToken: TOKEN, twoFactorCode: codeAt(TOKEN, panel.now()) },
      }),
    );
  };
  const login = async (twoFactorCode: string, as = HELPER) =>
    (await panel.browser().post('/login', { ...as, twoFactorCode })).json?.success;
  const factors = async (of = browser) => (await of.get('/panel/setting/factors')).json?.obj;
  return { panel, browser, enable, login, factors };
}

describe('two-factor login of one admin', () => {
  it('is proposed, confirmed by a code, and needed by that admin alone', async () => {
    const { panel, browser, enable, login, factors } = await start();
    const { json } = await browser.post('/panel/setting/twoFactor/propose');
    expect(json?.obj).toMatchObject({ twoFactorToken: expect.stringMatching(/^[A-Z2-7]{32}$/) });
    expect((await panel.call('POST', '/getTwoFactorEnable')).json?.obj).toBe(false);
    const codes = await enable();
    expect(panel.appended().map(({ type }) => type)).toStrictEqual([
      ...['OwnCodeUsed', 'SecondFactorSet', 'RecoveryCodesIssued', 'SessionsRevoked', 'LoggedIn'],
    ]);
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){2}$/);
    expect(await factors()).toStrictEqual({ twoFactor: true, recoveryCodes: 10, passkeys: [] });
    expect((await panel.call('POST', '/getTwoFactorEnable')).json?.obj).toBe(true);
    panel.later(STEP);
    expect(await login('')).toBe(false);
    expect(await login(wrongCode(TOKEN, panel.now()))).toBe(false);
    expect(await login(codeAt(TOKEN, panel.now()))).toBe(true);
    expect(await login(codeAt(TOKEN, panel.now()))).toBe(false);
    expect(await login('', ADMIN)).toBe(true);
    expect(JSON.stringify(panel.log.read(0, 1000).map(({ data }) => data))).not.toContain(codes[0]);
  });

  it('takes a recovery code once, however it is typed', async () => {
    const { panel, enable, login, factors } = await start();
    const [first = '', second = ''] = await enable();
    expect(await login(` ${first.toUpperCase().replaceAll('-', ' ')}`)).toBe(true);
    expect(panel.appended()).toMatchObject([
      { type: 'RecoveryCodeUsed', data: { left: 9 }, meta: { actor: { name: 'helper', role: 'support' } } },
      { type: 'LoggedIn' },
    ]);
    expect(await login(first)).toBe(false);
    expect(await login(second)).toBe(true);
    expect(await factors()).toMatchObject({ recoveryCodes: 8 });
  });

  it('gets other recovery codes and is switched off with a code; a wrong one is refused and counted', async () => {
    const { panel, browser, enable, login, factors } = await start();
    const [old = ''] = await enable();
    panel.later(STEP);
    const wrong = { twoFactorCode: wrongCode(TOKEN, panel.now()) };
    expect((await browser.post('/panel/setting/twoFactor/disable', wrong)).json).toMatchObject({
      code: 'SECOND_FACTOR_WRONG',
    });
    expect(panel.appended()).toMatchObject([{ type: 'LoginFailed', data: { reason: 'two-factor' } }]);
    const right = { twoFactorCode: codeAt(TOKEN, panel.now()) };
    const renewed = await browser.post('/panel/setting/twoFactor/recoveryCodes', right);
    const [fresh = ''] = codesIn(renewed);
    expect(await login(old)).toBe(false);
    expect((await browser.post('/panel/setting/twoFactor/disable', { twoFactorCode: fresh })).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual([
      ...[
        'RecoveryCodeUsed',
        'SecondFactorRemoved',
        'DataKeyDestroyed',
        'DataKeyDestroyed',
        'SessionsRevoked',
        'LoggedIn',
      ],
    ]);
    expect(await factors()).toStrictEqual({ twoFactor: false, recoveryCodes: 0, passkeys: [] });
    expect(await login('')).toBe(true);
  });

  it('locks out after too many wrong codes, as for passwords', async () => {
    const { panel, browser, enable } = await start();
    await enable();
    panel.later(STEP);
    const disable = async (twoFactorCode: string) =>
      (await browser.post('/panel/setting/twoFactor/disable', { twoFactorCode })).json?.success;
    for (let i = 0; i < 5; i += 1) expect(await disable(wrongCode(TOKEN, panel.now()))).toBe(false);
    expect(await disable(codeAt(TOKEN, panel.now()))).toBe(false);
    panel.later(16 * 60_000);
    expect(await disable(codeAt(TOKEN, panel.now()))).toBe(true);
  });

  it('stays what it was after a restart', async () => {
    const { panel, enable, login } = await start();
    const [code = ''] = await enable();
    await panel.restart();
    expect(await login('')).toBe(false);
    expect(await login(code)).toBe(true);
  });
});

describe('a passkey', () => {
  const headers = { 'x-forwarded-host': 'panel.test', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
  const key = () => new SoftAuthenticator('https://panel.test', 'panel.test');
  async function registered() {
    const started = await start();
    const { browser } = started;
    const authenticator = key();
    const options = (await browser.post('/panel/setting/passkeys/options', {}, headers)).json?.obj as {
      challenge: string;
      rp: { id: string };
    };
    expect(options.rp.id).toBe('panel.test');
    const add = (over: object = {}) =>
      browser.post(
        '/panel/setting/passkeys/add',
        { name: 'phone', password: HELPER.password, response: authenticator.create(options.challenge), ...over },
        headers,
      );
    return { ...started, authenticator, options, add };
  }
  const challengeOf = async (panel: Awaited<ReturnType<typeof startPanel>>) =>
    challengeIn(await panel.browser().post('/passkey/options', {}, headers));

  it('is added with the password, and logs in without name, password and code', async () => {
    const { panel, add, authenticator, factors, enable } = await registered();
    expect((await panel.call('GET', '/passkey/used')).json?.obj).toBe(false);
    expect((await add({ password: 'wrong password' })).json).toMatchObject({ code: 'CREDENTIALS_WRONG' });
    expect((await add()).json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'PasskeyAdded', data: { credential: { id: authenticator.id } } }]);
    expect((await panel.call('GET', '/passkey/used')).json?.obj).toBe(true);
    await enable();
    const browser = panel.browser();
    const response = authenticator.get(await challengeOf(panel));
    expect((await browser.post('/passkey/login', { response }, headers)).json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([
      { type: 'PasskeyUsed', data: { passkey: 1 }, meta: { actor: { name: 'helper', role: 'support' } } },
      { type: 'LoggedIn' },
    ]);
    expect(await factors(browser)).toMatchObject({ passkeys: [{ id: 1, name: 'phone', host: 'panel.test' }] });
    const again = await panel.browser().post('/passkey/login', { response }, headers);
    expect(again.json).toMatchObject({ code: 'LOGIN_WRONG' });
  });

  it('is refused for another site, another challenge, an unknown key, a counter that goes back, and after its removal', async () => {
    const { panel, browser, add, authenticator } = await registered();
    authenticator.count = 4;
    await add();
    const login = async (make: (challenge: string) => object) =>
      (await panel.browser().post('/passkey/login', { response: make(await challengeOf(panel)) }, headers)).json
        ?.success;
    expect(await login((challenge) => authenticator.get(challenge, 'https://evil.test'))).toBe(false);
    expect(await login(() => authenticator.get('AAAA'))).toBe(false);
    expect(await login((challenge) => key().get(challenge))).toBe(false);
    panel.later(60_000);
    const late = await challengeOf(panel);
    panel.later(5 * 60_000);
    expect(await login(() => authenticator.get(late))).toBe(false);
    panel.later(16 * 60_000);
    authenticator.count = 5;
    expect(await login((challenge) => authenticator.get(challenge))).toBe(true);
    expect(await login((challenge) => authenticator.get(challenge))).toBe(false);
    await browser.login(HELPER);
    expect((await browser.post('/panel/setting/passkeys/remove/1')).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['PasskeyRemoved', 'DataKeyDestroyed']);
    authenticator.count = 9;
    expect(await login((challenge) => authenticator.get(challenge))).toBe(false);
  });

  it('needs the code instead of the password if the admin has two-factor login', async () => {
    const { panel, enable, add } = await registered();
    await enable();
    panel.later(STEP);
    expect((await add({ twoFactorCode: '' })).json).toMatchObject({ code: 'SECOND_FACTOR_WRONG' });
    expect((await add({ twoFactorCode: codeAt(TOKEN, panel.now()) })).json).toMatchObject({ success: true });
  });

  it('is not offered without HTTPS and a name', async () => {
    const { browser } = await start();
    const { json } = await browser.post('/passkey/options');
    expect(json).toMatchObject({ code: 'PASSKEY_INVALID' });
    expect(json?.msg).toContain('http://127.0.0.1');
  });

  it('counts as a failed login when it is wrong', async () => {
    const { panel } = await registered();
    const response = key().get(await challengeOf(panel));
    for (let i = 0; i < 6; i += 1) await panel.browser().post('/passkey/login', { response }, headers);
    const failed = panel.log.read(0, 1000).filter(({ type }) => type === 'LoginFailed');
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ data: { reason: 'credentials', attempt: { username: '' } } });
  });
});

describe('an operator', () => {
  it('removes the second factors of an admin who is locked out', async () => {
    const { panel, enable, login } = await start();
    await enable();
    panel.given({ type: 'RemoveFactors', data: { user: 2 as never } });
    expect(await login('')).toBe(true);
  });
});
