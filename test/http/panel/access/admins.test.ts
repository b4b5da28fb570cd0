import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { startSelling } from '../../kit/reseller.js';

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

describe('an access token', () => {
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
