import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { SELLER as SELLER_LOGIN, startSelling } from '../../kit/reseller.js';

const LOGIN = { username: 'maria', password: 'a long pass phrase' };
const SELLER = { role: 'reseller', inbounds: [1], quotas: { ...NO_QUOTAS, clients: 5, days: 30 } };

/** An owner, and admin 2: a reseller of inbound 1 with two quotas. */
async function start() {
  const { panel, owner } = await startSelling([], [], SELLER.quotas);
  const accessOf = async (id: number) => {
    const listed = (await owner.get('/panel/api/admins/list')).json?.obj as { id: number }[];
    return listed.find((admin) => admin.id === id);
  };
  panel.appended();
  return { panel, owner, accessOf };
}

describe('the role of an admin', () => {
  it.each([{}, { role: '' }])('is required for a new one, and the sentence lists the roles: %j', async (role) => {
    const { panel, owner } = await start();
    await owner.post('/panel/api/roles/save', { name: 'desk', grants: [{ permission: 'logs:read' }] });
    panel.appended();
    const { json } = await owner.post('/panel/api/admins/add', { ...LOGIN, ...role });
    expect(json).toMatchObject({
      ...{ success: false, code: 'ACCESS_INVALID' },
      msg: 'An admin needs a role: choose one of owner, operator, support, auditor, reseller, metrics, monitoring, desk',
    });
    expect(panel.appended()).toStrictEqual([]);
  });

  it.each([
    [{}, {}],
    [{ quotas: { clients: 50 } }, { quotas: { ...SELLER.quotas, clients: 50 } }],
    [{ quotas: {} }, {}],
    [{ role: 'support' }, { role: 'support' }],
    [{ inbounds: [1, 2] }, { inbounds: [1, 2] }],
    [{ quotas: { days: 0 } }, { quotas: { ...SELLER.quotas, days: 0 } }],
  ])('and its limits stay as they are in a change that does not name them: %j', async (change, different) => {
    const { panel, owner, accessOf } = await start();
    const answer = await owner.post('/panel/api/admins/access/2', change);
    expect(answer.json, answer.text).toMatchObject({ success: true });
    const expected = { ...SELLER, ...different };
    const isSame = Object.keys(different).length === 0;
    expect(panel.appended().map(({ type, data }) => [type, data])).toStrictEqual(
      isSame ? [] : [['AdminAccessChanged', { user: 2, ...expected }]],
    );
    expect(await accessOf(2)).toMatchObject(expected);
  });

  it('is not emptied by a change', async () => {
    const { panel, owner } = await start();
    const { json } = await owner.post('/panel/api/admins/access/2', { role: '' });
    expect(json).toMatchObject({ success: false, code: 'ACCESS_INVALID' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('of an owner stays with a change of the quotas', async () => {
    const { panel, owner, accessOf } = await start();
    await owner.post('/panel/api/admins/access/1', { quotas: { clients: 9 } });
    expect(panel.appended()).toStrictEqual([]);
    expect(await accessOf(1)).toMatchObject({ role: 'owner' });
  });
});

describe('the sessions of another admin', () => {
  it('are listed with device, address and last use, and end one by one or together', async () => {
    const { panel, owner } = await start();
    const seller = await panel.browser().login(SELLER_LOGIN);
    panel.appended();
    const listed = async () =>
      (await owner.get('/panel/api/admins/sessions/2')).json?.obj as { id: string; current: boolean }[];
    const [newest, ...older] = await listed();
    expect(newest).toMatchObject({ device: expect.any(String), ip: expect.any(String), current: false });
    expect(Object.keys(newest ?? {}).sort()).toStrictEqual(
      ['current', 'device', 'expiresAt', 'id', 'ip', 'startedAt', 'usedAt'].sort(),
    );
    expect(older).toHaveLength(1);

    expect((await owner.post('/panel/api/admins/endSessions/2', { session: newest?.id })).json?.success).toBe(true);
    expect(panel.appended()).toMatchObject([{ type: 'LoggedOut', data: { user: 2 } }]);
    expect(await listed()).toStrictEqual(older);
    // Without a session the panel hides its routes.
    expect((await seller.get('/panel/api/admins/me')).status).toBe(404);

    expect((await owner.post('/panel/api/admins/endSessions/2', {})).json?.success).toBe(true);
    expect(panel.appended()).toMatchObject([{ type: 'SessionsRevoked', data: { user: 2 } }]);
    expect(await listed()).toStrictEqual([]);

    expect((await owner.post('/panel/api/admins/endSessions/1', {})).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['SessionsRevoked', 'LoggedIn']);
    expect((await owner.get('/panel/api/admins/sessions/1')).json?.obj).toMatchObject([{ current: true }]);
  });

  it('are refused for an unknown admin, an unknown session and a role without the permission', async () => {
    const { panel, owner } = await start();
    const seller = await panel.browser().login(SELLER_LOGIN);
    panel.appended();
    expect((await owner.get('/panel/api/admins/sessions/9')).json).toMatchObject({ code: 'ADMIN_NOT_FOUND' });
    const end = (id: number, body: object) => owner.post(`/panel/api/admins/endSessions/${id}`, body);
    expect((await end(9, {})).json).toMatchObject({ code: 'ADMIN_NOT_FOUND' });
    expect((await end(2, { session: 'ffffffffffffffff' })).json).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(panel.appended()).toStrictEqual([]);
    expect((await seller.get('/panel/api/admins/sessions/1')).status).toBe(403);
    expect((await seller.post('/panel/api/admins/endSessions/1', {})).status).toBe(403);
  });
});

describe('handing clients over', () => {
  it('is refused above a quota of the new owner, and for an unknown former one', async () => {
    const { panel, owner } = await startSelling(['a', 'b'], ['mine'], { ...NO_QUOTAS, clients: 2 });
    const handOver = async (body: object) => (await owner.post('/panel/api/admins/handOver', body)).json;
    panel.appended();
    expect(await handOver({ clients: [1, 2], owner: 2 })).toMatchObject({
      ...{ success: false, code: 'ACCESS_INVALID' },
      msg: 'The admin may own at most 2 clients and would own 3: hand over fewer, or raise the quota',
    });
    expect(await handOver({ from: 999, owner: 2 })).toMatchObject({ success: false, code: 'ADMIN_NOT_FOUND' });
    expect(panel.appended()).toStrictEqual([]);
    expect(await handOver({ clients: [1], owner: 2 })).toMatchObject({ success: true, obj: { clients: [1] } });
    expect(panel.appended()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [1], owner: 2 } }]);
  });

  it('is refused without a cap where the new owner has a quota of bytes', async () => {
    const { panel, owner } = await startSelling(['a'], [], { ...NO_QUOTAS, totalBytes: 1000 });
    const answer = await owner.post('/panel/api/admins/handOver', { clients: [1], owner: 2 });
    expect(answer.json).toMatchObject({ success: false, code: 'ACCESS_INVALID' });
    expect(panel.appended()).toStrictEqual([]);
  });
});

describe('a role name', () => {
  it('is shortened in the sentence that refuses it', async () => {
    const { owner } = await start();
    const name = 'x'.repeat(5000);
    const requests = [
      owner.post('/panel/api/roles/save', { name, grants: [{ permission: 'logs:read' }] }),
      owner.post('/panel/api/admins/add', { ...LOGIN, role: name }),
      owner.post(`/panel/api/roles/del/${name}`),
    ];
    for (const { text, json } of await Promise.all(requests)) {
      expect(json).toMatchObject({ success: false });
      expect(text.length).toBeLessThan(400);
    }
  });
});

describe('an access token', () => {
  it('is told the limits that apply to it', async () => {
    const { panel, owner } = await start();
    const chosen = { name: 'shop', role: 'reseller', inbounds: [1], admin: 2 };
    const { json } = await owner.post('/panel/api/tokens/add', chosen);
    const { secret } = (json?.obj ?? {}) as { secret: string };
    const headers = { authorization: `Bearer ${secret}` };
    const me = await panel.call('GET', '/panel/api/admins/me', { headers });
    expect(me.json?.obj).toMatchObject({ username: 'shop', ...SELLER, clients: 0, capBytes: 0 });
  });

  it('keeps what a change does not name', async () => {
    const { panel, owner } = await start();
    const chosen = { name: 'shop', role: 'reseller', inbounds: [1], admin: 2, addresses: ['127.0.0.1'] };
    const expiresAt = panel.now() + 3_600_000;
    await owner.post('/panel/api/tokens/add', { ...chosen, expiresAt });
    panel.appended();
    await owner.post('/panel/api/tokens/update/1', {});
    expect(panel.appended()).toStrictEqual([]);
    await owner.post('/panel/api/tokens/update/1', { name: 'kiosk' });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['TokenChanged']);
    const { json } = await owner.get('/panel/api/tokens/list');
    expect(json?.obj).toMatchObject([{ ...chosen, name: 'kiosk', expiresAt }]);
  });
});
