import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDirectory } from '../../../../src/adapters/directory/directory.js';
import type { Directory } from '../../../../src/commands/ports/directory.js';
import {
  BASE_DN,
  BIND_DN,
  BIND_PASSWORD,
  type Slapd,
  startSlapd,
  withoutSlapd,
} from '../../../kit/real/servers/slapd.js';
import { codeAt, TOKEN } from '../../../kit/totp.js';
import { ADMIN, startPanel } from '../../kit/panel.js';

const PASSWORD = 'as the directory has it';
const WRONG = {
  success: false,
  msg: 'Invalid username or password or two-factor code.',
  obj: null,
  code: 'LOGIN_WRONG',
};

const settingsFor = (port: number) => ({
  ldapEnable: true,
  ldapHost: '127.0.0.1',
  ldapPort: port,
  ldapBindDN: BIND_DN,
  ldapPassword: BIND_PASSWORD,
  ldapBaseDN: BASE_DN,
  ldapUserAttr: 'uid',
});

const SUITE = 'logins by a real directory';
describe.skipIf(withoutSlapd(SUITE))(SUITE, () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd();
    await slapd.add(
      { uid: ADMIN.username, mail: 'admin@home', userPassword: PASSWORD },
      { uid: 'stranger', mail: 'stranger@home', userPassword: PASSWORD },
    );
  });
  afterAll(() => slapd?.cleanUp());

  async function start(settings: object = {}) {
    const warnings: string[] = [];
    const directory = createDirectory({ warn: (message) => warnings.push(message) });
    const panel = await startPanel({ settings: { ...settingsFor(slapd.port), ...settings }, parts: { directory } });
    const login = (username: unknown, password: string, twoFactorCode = '') =>
      panel.browser().post('/login', { username, password, twoFactorCode });
    return { panel, login, warnings };
  }

  it('log an admin in with either password', async () => {
    const { panel, login } = await start();
    for (const password of [ADMIN.password, PASSWORD]) {
      expect((await login(ADMIN.username, password)).json?.success).toBe(true);
      expect(panel.appended().map(({ type }) => type)).toEqual(['LoggedIn']);
    }
    expect(JSON.stringify(panel.log.stored.rows(0, 100))).not.toContain(BIND_PASSWORD);
  });

  it.each<[string, string, string]>([
    ['a wrong password', ADMIN.username, 'of nobody'],
    ['an entry that is not an admin of the panel', 'stranger', PASSWORD],
    ['a filter for a name', '*)(uid=*', PASSWORD],
    ['a name in another case', ADMIN.username.toUpperCase(), PASSWORD],
  ])('reject %s without further details', async (_, username, password) => {
    const { panel, login, warnings } = await start();
    expect((await login(username, password)).json).toEqual(WRONG);
    expect(panel.appended()).toMatchObject([
      { type: 'LoginFailed', data: { attempt: { username }, reason: 'credentials', count: 1 } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('count as failures towards the lock-out', async () => {
    const { login } = await start();
    for (let n = 0; n < 5; n += 1) expect((await login(ADMIN.username, 'of nobody')).json).toEqual(WRONG);
    for (const password of [PASSWORD, ADMIN.password])
      expect((await login(ADMIN.username, password)).json).toEqual(WRONG);
  });

  it('require the two-factor code', async () => {
    const { panel, login } = await start();
    const browser = await panel.browser().login();
    const code = codeAt(TOKEN, Date.now());
    const on = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: code };
    expect((await browser.post('/panel/setting/update', on)).json?.success).toBe(true);
    panel.later(60_000);
    expect((await login(ADMIN.username, PASSWORD)).json).toEqual(WRONG);
    expect(panel.appended()).toMatchObject([{ type: 'LoginFailed', data: { reason: 'two-factor' } }]);
    const answer = await login(ADMIN.username, PASSWORD, codeAt(TOKEN, Date.now() + 60_000));
    expect(answer.json?.success).toBe(true);
  });

  it('are disabled by the setting', async () => {
    const { login } = await start({ ldapEnable: false });
    expect((await login(ADMIN.username, PASSWORD)).json).toEqual(WRONG);
  });
});

describe('a failing directory', () => {
  const settings = settingsFor(1);

  it('is not queried for a password that the panel itself accepts', async () => {
    const asked: string[] = [];
    let answer: (right: boolean) => void = () => undefined;
    const directory: Directory = {
      verifyPassword(_, name) {
        asked.push(name);
        return new Promise((resolve) => (answer = resolve));
      },
      entries: async () => [],
    };
    const panel = await startPanel({ settings, parts: { directory } });
    // The directory hangs during a guess: a login with a valid password succeeds meanwhile.
    const guess = panel.browser().post('/login', { username: ADMIN.username, password: 'of nobody' });
    await expect.poll(() => asked).toEqual([ADMIN.username]);
    expect((await panel.browser().post('/login', ADMIN)).json?.success).toBe(true);
    expect(asked).toHaveLength(1);
    answer(false);
    expect((await guess).json).toEqual(WRONG);
  });

  it('has the same reply as a wrong password', async () => {
    const panel = await startPanel({
      settings,
      parts: { directory: createDirectory({ warn: () => undefined }) },
    });
    const answer = await panel.browser().post('/login', { username: ADMIN.username, password: PASSWORD });
    expect(answer.json).toEqual(WRONG);
    expect(panel.appended()).toMatchObject([{ type: 'LoginFailed', data: { reason: 'credentials' } }]);
  });
});
