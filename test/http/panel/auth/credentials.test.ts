import { describe, expect, it } from 'vitest';
import { ADMIN, startPanel } from '../../kit/panel.js';

const LIST = '/panel/api/inbounds/list';
const CHANGE = '/panel/api/inbounds/onlines';

describe('new credentials', () => {
  const next = {
    oldUsername: ADMIN.username,
    oldPassword: ADMIN.password,
    newUsername: 'root',
    newPassword: 'battery staple',
  };
  const UPDATE = '/panel/setting/updateUser';

  it('keep the session that set them under a new id, and end all others', async () => {
    const panel = await startPanel();
    const [one, other] = [await panel.browser().login(), await panel.browser().login()];
    const before = one.cookie;
    expect((await one.post(UPDATE, next)).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toEqual([
      'UserCredentialsChanged',
      'DataKeyDestroyed',
      'LoggedIn',
    ]);
    expect(JSON.stringify(panel.log.stored.rows(0, 100))).not.toContain(next.newPassword);
    expect(one.cookie).not.toBe(before);
    expect((await one.post(CHANGE)).status).toBe(200);
    expect((await other.get(LIST)).status).toBe(404);
    expect((await panel.call('GET', LIST, { headers: { cookie: before } })).status).toBe(404);
    expect((await panel.browser().post('/login', ADMIN)).json?.success).toBe(false);
    const fresh = { username: 'root', password: 'battery staple' };
    expect((await panel.browser().post('/login', fresh)).json?.success).toBe(true);
  });

  it.each([
    ['a wrong password', { ...next, oldPassword: 'wrong' }, 1],
    ['a wrong name', { ...next, oldUsername: 'wrong' }, 1],
    ['no new name', { ...next, newUsername: '' }, 0],
    ['a long name', { ...next, newUsername: 'x'.repeat(65) }, 0],
    ['a short password', { ...next, newPassword: 'nine-9999' }, 0],
    ['the name as password', { ...next, newUsername: 'a-long-name', newPassword: 'A-Long-Name' }, 0],
    ['lists', { ...next, newUsername: ['x'] }, 0],
  ])('are rejected with %s', async (_, body, failures) => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    expect((await browser.post(UPDATE, body)).json).toMatchObject({ success: false });
    expect(panel.appended().map(({ type }) => type)).toEqual(Array.from({ length: failures }, () => 'LoginFailed'));
    expect((await browser.get(LIST)).status).toBe(200);
  });

  it('share the failure limit of the login', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    for (let count = 0; count < 5; count += 1) await browser.post(UPDATE, { ...next, oldPassword: 'wrong' });
    expect((await browser.post(UPDATE, next)).json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
  });
});
