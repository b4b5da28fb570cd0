import { describe, expect, it } from 'vitest';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { one, userId } from '../../../kit/builders.js';
import { startSelling } from '../../kit/reseller.js';

const CHANGE = '/panel/api/clients/change';

/** The owner's client 1, the reseller's client 2, and client 3 without an owner; all in inbound 1. */
async function start() {
  const all = await startSelling(['foreign-a'], ['mine', 'orphan']);
  const { panel, owner } = all;
  await owner.post('/panel/api/admins/handOver', { clients: [3], owner: 0 });
  panel.appended();
  const ownerOf = (email: string): number | null => {
    const { number } = panel.read.clients.firstByEmail(email) ?? expect.fail(email);
    return panel.read.admins.access().owners.get(number) ?? null;
  };
  const owners = () => ['foreign-a', 'mine', 'orphan'].map(ownerOf);
  return { ...all, owners };
}

describe('the owner of a client', () => {
  it('stays when an admin or a token moves it, also no owner', async () => {
    const { panel, owner, owners } = await start();
    const { secret, ...stored } = newTokenSecret();
    const token = { name: 'shop', role: 'operator', inbounds: [], admin: userId(1), expiresAt: 0, addresses: [] };
    panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
    expect(owners()).toStrictEqual([1, 2, null]);
    await owner.post(CHANGE, { action: 'move', to: 2, inbound: 1 });
    expect(owners()).toStrictEqual([1, 2, null]);
    const assigned = panel.appended().filter(({ type }) => type === 'OwnerAssigned');
    expect(assigned.map(({ data }) => data)).toStrictEqual([
      { clients: [5], owner: 2 },
      { clients: [6], owner: null },
    ]);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ action: 'move', to: 1, inbound: 2 });
    expect((await panel.call('POST', CHANGE, { headers, body })).json).toMatchObject({ success: true });
    expect(owners()).toStrictEqual([1, 2, null]);
  });

  it('comes back with a deleted client or inbound that another admin restores', async () => {
    const { panel, owner, owners } = await start();
    const deleted = await owner.post(CHANGE, { action: 'delete', inbound: 1 });
    const { undo } = (deleted.json ?? expect.fail()).obj as { undo: object };
    expect((await owner.post('/panel/api/clients/restore', undo)).json).toMatchObject({ success: true });
    expect(owners()).toStrictEqual([1, 2, null]);
    const inbound = await owner.post('/panel/api/inbounds/delete/1');
    const { position } = (inbound.json ?? expect.fail()).obj as { position: number };
    expect((await owner.post(`/panel/api/events/${position}/undo`, {})).json).toMatchObject({ success: true });
    expect(owners()).toStrictEqual([1, 2, null]);
    expect(panel.complaints).toStrictEqual([]);
  });

  it('is none if its account was deleted meanwhile', async () => {
    const { owner, owners } = await start();
    const deleted = await owner.post(CHANGE, { action: 'delete', clients: [2] });
    const { undo } = (deleted.json ?? expect.fail()).obj as { undo: object };
    await owner.post('/panel/api/admins/del/2');
    await owner.post('/panel/api/clients/restore', undo);
    expect(owners()).toStrictEqual([1, null, null]);
  });

  it('is the reseller for what the reseller restores, within the quotas', async () => {
    const { panel, owner, seller, owners } = await start();
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'mine', up: 70, down: 7 } });
    const deleted = await seller.post(CHANGE, { action: 'delete', clients: [2] });
    const { undo } = (deleted.json ?? expect.fail()).obj as { undo: object };
    const restored = await seller.post('/panel/api/clients/restore', undo);
    expect(restored.json, restored.text).toMatchObject({ success: true });
    expect(owners()).toStrictEqual([1, 2, null]);
    expect((await seller.get('/panel/api/inbounds/getClientTraffics/mine')).json?.obj).toMatchObject({
      up: 70,
      down: 7,
    });
    // A client of another admin that was deleted with the same email is not the reseller's.
    await owner.post(CHANGE, { action: 'delete', clients: [1] });
    const wire = { id: '11111111-2222-4333-8444-000000000077', email: 'foreign-a', enable: true };
    await seller.post('/panel/api/clients/restore', { deleted: [{ inbound: one, client: wire }] });
    expect(owners()).toStrictEqual([2, 2, null]);
  });
});
