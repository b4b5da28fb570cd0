import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../../src/commands/ports/directory.js';
import type { Passwords } from '../../../../src/commands/ports/passwords.js';
import { UserId } from '../../../../src/events/ids.js';
import { codeAt, TOKEN } from '../../../kit/totp.js';
import { ADMIN, startPanel } from '../../kit/panel.js';

const OF_DIRECTORY = 'as the directory has it';
const WRONG = {
  success: false,
  msg: 'Invalid username or password or two-factor code.',
  obj: null,
  code: 'LOGIN_WRONG',
};

/** A panel with two-factor login, a user without a hash, and a count of the work of a login. */
async function start(ldapEnable: boolean) {
  const work = { hashes: [] as unknown[], questions: [] as [string, string][] };
  const passwords: Passwords = {
    hash: async (password) => `plain ${password}`,
    async verify(password, hash, others) {
      work.hashes.push(others);
      return hash === `plain ${password}`;
    },
    isForeign: () => false,
  };
  const directory: Directory = {
    async verifyPassword(_, name, password) {
      work.questions.push([name, password]);
      return name === ADMIN.username && password === OF_DIRECTORY;
    },
    entries: async () => [],
  };
  const panel = await startPanel({ settings: { ldapEnable, ldapHost: '127.0.0.1' }, parts: { passwords, directory } });
  panel.given({ type: 'CreateUser', data: { username: 'empty', passwordHash: '' } });
  const browser = await panel.browser().login();
  const on = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: codeAt(TOKEN, Date.now()) };
  expect((await browser.post('/panel/setting/update', on)).json?.success).toBe(true);
  panel.later(60_000);
  const reset = (): void => void [(work.hashes.length = 0), (work.questions.length = 0)];
  reset();
  return { panel, work, reset };
}

describe.each([false, true])('a login that fails (directory: %j)', (ldap) => {
  it('does the same work for every kind of error', async () => {
    const { panel, work, reset } = await start(ldap);
    const cases: [string, string, string][] = [
      [ADMIN.username, ADMIN.password, ''],
      [ADMIN.username, ADMIN.password, '000000'],
      [ADMIN.username, 'wrong', ''],
      [ADMIN.username, 'wrong', codeAt(TOKEN, Date.now() + 60_000)],
      [ADMIN.username, OF_DIRECTORY, ''],
      ['nobody', 'wrong', ''],
      ['nobody', ADMIN.password, '000000'],
      ['empty', 'wrong', ''],
      ['empty', '\u200b ', ''],
    ];
    const hashes = [...panel.read.admins.users().users.values()].map(({ passwordHash }) => passwordHash);
    for (const [username, password, twoFactorCode] of cases) {
      const answer = await panel.browser().post('/login', { username, password, twoFactorCode });
      expect(answer.json).toEqual(WRONG);
      const { length } = work.questions;
      expect([work.hashes, length], `${username} ${password} ${twoFactorCode}`).toEqual([[hashes], ldap ? 1 : 0]);
      expect(panel.appended().map(({ type }) => type)).toEqual(['LoginFailed']);
      // The panel's own password is not sent to the directory.
      expect(JSON.stringify(work.questions)).not.toContain(username === ADMIN.username ? ADMIN.password : '\0');
      reset();
      // The lock-out is not what is tested here.
      panel.later(6 * 60_000);
    }
  });

  it('does not include a login with the right code', async () => {
    const { panel } = await start(ldap);
    const twoFactorCode = codeAt(TOKEN, Date.now() + 60_000);
    const password = ldap ? OF_DIRECTORY : ADMIN.password;
    const answer = await panel.browser().post('/login', { username: ADMIN.username, password, twoFactorCode });
    expect(answer.json?.success).toBe(true);
  });
});

describe('new credentials', () => {
  it('cost the same work for every kind of wrong old ones', async () => {
    const { panel, work, reset } = await start(false);
    const browser = panel.browser();
    const password = ADMIN.password;
    await browser.get('/csrf-token').then(({ json }) => (browser.token = String(json?.obj)));
    await browser.post('/login', { ...ADMIN, twoFactorCode: codeAt(TOKEN, Date.now() + 60_000) });
    const fresh = { newUsername: 'root', newPassword: 'quite another one' };
    for (const [oldUsername, oldPassword] of [
      [ADMIN.username, 'wrong'],
      ['nobody', password],
      ['nobody', 'wrong'],
      ['empty', password],
    ]) {
      reset();
      const answer = await browser.post('/panel/setting/updateUser', { oldUsername, oldPassword, ...fresh });
      expect(answer.json?.success).toBe(false);
      expect(work.hashes).toHaveLength(1);
    }
    expect(panel.read.admins.users().users.get(UserId.parse(1))?.username).toBe(ADMIN.username);
  });
});

describe('too many concurrent logins', () => {
  it('are rejected with a message, and do not count as failures', async () => {
    const held: (() => void)[] = [];
    const passwords: Passwords = {
      hash: async (password) => `plain ${password}`,
      verify: (password, hash) => new Promise((resolve) => held.push(() => resolve(hash === `plain ${password}`))),
      isForeign: () => false,
    };
    const trustedProxyCIDRs = '127.0.0.1/32';
    const panel = await startPanel({ settings: { trustedProxyCIDRs }, parts: { passwords } });
    const login = (n: number) => panel.browser().post('/login', ADMIN, { 'x-forwarded-for': `198.51.100.${n}` });
    const first = Array.from({ length: 64 }, (_, n) => login(n));
    await expect.poll(() => held.length).toBe(64);
    const said = 'Too many logins are being checked. Try again in a few seconds.';
    expect((await login(100)).json).toEqual({ success: false, msg: said, obj: null, code: 'LOGIN_BUSY' });
    for (const answer of held) answer();
    expect(new Set((await Promise.all(first)).map(({ json }) => json?.success))).toEqual(new Set([true]));
  });
});
