import { hash as bcrypt } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { scryptPasswords } from '../../../../src/adapters/passwords/passwords.js';
import { UserId } from '../../../../src/events/ids.js';
import { startPanel } from '../../kit/panel.js';

/** A panel with a second admin, whose hash comes from another panel. */
async function moved() {
  const panel = await startPanel({ parts: { passwords: scryptPasswords() } });
  const old = await bcrypt('of the old panel', 4);
  panel.given({ type: 'CreateUser', data: { username: 'root', passwordHash: old } });
  const login = async (password: string) => {
    const answer = await panel.browser().post('/login', { username: 'root', password });
    return answer.json?.success;
  };
  const hash = () =>
    [...panel.read.admins.users().users.values()].find(({ username }) => username === 'root')?.passwordHash;
  return { panel, old, login, hash, types: () => panel.appended().map(({ type }) => type) };
}

describe('a password imported from another panel', () => {
  it('is accepted; its hash is replaced by one of Portolan, and the imported hash is destroyed', async () => {
    const { panel, login, hash, types } = await moved();
    expect(await login('of the old panel')).toBe(true);
    expect(types()).toEqual(['LoggedIn', 'PasswordHashUpgraded', 'DataKeyDestroyed']);
    const [began, upgraded, shredded] = panel.appended();
    expect(upgraded?.data).toMatchObject({ user: 2, epoch: 0, credentials: { username: 'root' } });
    expect(upgraded?.meta.actor).toMatchObject({ kind: 'user', id: '2', name: 'root' });
    expect(shredded?.data).toEqual({ key: 'user:2/credentials/0', reason: 'rotated' });
    expect(hash()).toMatch(/^\$scrypt\$/);
    // The session of the login continues: nothing else about the account changed.
    expect(began?.data).toMatchObject({ user: 2, epoch: 0 });
    expect(panel.read.admins.users().sessions.size).toBe(1);

    expect(await login('of the old panel')).toBe(true);
    expect(types()).toEqual(['LoggedIn']);
    panel.given({ type: 'ChangeCredentials', data: { user: UserId.parse(2), username: 'root', passwordHash: 'x' } });
    expect(panel.log.read(0, 1000).slice(-2)).toMatchObject([
      { type: 'UserCredentialsChanged', data: { epoch: 1 } },
      { type: 'DataKeyDestroyed', data: { key: 'user:2/credentials/0/upgraded' } },
    ]);
  });

  it('is compared as a whole, and a wrong password changes nothing', async () => {
    const { login, hash, old, types } = await moved();
    for (const wrong of ['of the old pane', 'of the old panel ', old]) expect(await login(wrong)).toBe(false);
    expect(types()).toEqual(['LoginFailed']);
    expect(hash()).toBe(old);
  });

  it('is accepted for concurrent logins, and its hash is replaced once', async () => {
    const { panel, login } = await moved();
    expect(await Promise.all([1, 2, 3].map(() => login('of the old panel')))).toEqual([true, true, true]);
    const upgrades = panel.log.read(0, 1000).filter(({ type }) => type === 'PasswordHashUpgraded');
    expect(upgrades).toHaveLength(1);
  });
});
