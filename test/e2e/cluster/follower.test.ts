import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { withoutNats } from '../../kit/real/nats/server.js';
import { type Admin, must, type PanelProcess } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound, startTwo } from './panels.js';

const LIST = '/panel/api/inbounds/list';

/** A response with the position that it shows. */
async function at(admin: Admin, path: string, headers: Record<string, string> = {}) {
  const response = await admin.raw('GET', path, { headers });
  return { response, position: Number(response.headers.get('x-portolan-position')) };
}

/** The messages that a WebSocket of a panel gets, as they come. */
async function messagesOf(panel: PanelProcess, admin: Admin): Promise<readonly { readonly type: string }[]> {
  const socket = new WebSocket(`${panel.url.replace('http', 'ws')}/ws`, { headers: { cookie: admin.cookieHeader() } });
  onTestFinished(() => socket.terminate());
  const messages: { readonly type: string }[] = [];
  socket.on('message', (data) => void messages.push(JSON.parse(String(data)) as { type: string }));
  await once(socket, 'open');
  return messages;
}

describe.skipIf(withoutNats('a follower that answers'))('a follower', () => {
  it('shows changes of the leader in its WebSocket, its event feed and its subscriptions', async () => {
    const { leader, follower } = await startTwo();
    const [ofLeader, ofFollower] = [await leader.admin(), await follower.admin()];
    const messages = await messagesOf(follower, ofFollower);
    const { position } = await at(ofFollower, LIST);
    const waiting = ofFollower.get<{ events: { type: string }[] }>(`/panel/api/events?after=${position}&wait=20`);

    const client = { id: '11111111-2222-4333-8444-000000000001', email: 'ann', subId: 'sub-of-ann', enable: true };
    const settings = JSON.stringify({ clients: [client], decryption: 'none' });
    await must(ofLeader.post('/panel/api/inbounds/add', { ...inbound(await freePort(), 'seen'), settings }));

    await until('an invalidation', () => messages.some(({ type }) => type === 'invalidate'));
    const { events } = await must(waiting);
    expect(events.map(({ type }) => type)).toContain('InboundAdded');
    const links = await until('a subscription', async () => {
      const answer = await fetch(`${follower.subUrl}/sub/sub-of-ann`);
      return answer.ok ? answer.text() : undefined;
    });
    expect(Buffer.from(links, 'base64').toString()).toMatch(/^vless:\/\/11111111-2222-4333-8444-000000000001@/);
    const metrics = await (await fetch(`${follower.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^portolan_cluster_leader(?:\{[^}]*\})? 0$/m);
  });

  it('answers with at least the position that a caller asks for, or says that it does not have it', async () => {
    const { leader, follower } = await startTwo();
    const [ofLeader, ofFollower] = [await leader.admin(), await follower.admin()];
    for (let n = 1; n <= 5; n += 1) {
      await must(ofLeader.post('/panel/api/inbounds/add', inbound(await freePort(), `inbound ${n}`)));
      const { position } = await at(ofLeader, LIST);
      const read = await at(ofFollower, LIST, { 'x-portolan-at-least': String(position) });
      expect(read.response.status).toBe(200);
      expect(read.position).toBeGreaterThanOrEqual(position);
      expect(((await read.response.json()) as { obj: unknown[] }).obj).toHaveLength(n);
    }
    const { response: behind } = await at(ofFollower, LIST, { 'x-portolan-at-least': '900000000' });
    expect([behind.status, behind.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(await behind.json()).toMatchObject({ success: false, code: 'CLUSTER_BEHIND' });
    const { response: invalid } = await at(ofFollower, LIST, { 'x-portolan-at-least': 'now' });
    expect(invalid.status).toBe(400);
    expect(await invalid.json()).toMatchObject({ success: false, code: 'AT_LEAST_INVALID' });
  });

  it('lets a reseller read the own change, by a receipt that does not tell the position of the log', async () => {
    const { leader, follower } = await startTwo();
    const owner = await leader.admin();
    await must(owner.post('/panel/api/inbounds/add', inbound(await freePort(), 'shared')));
    const maria = { username: 'maria', password: 'a long pass phrase', role: 'reseller', inbounds: [1] };
    await must(owner.post('/panel/api/admins/add', maria));
    const token = { name: 'shop', role: 'reseller', inbounds: [1], admin: 2, days: 0, addresses: [] };
    const { secret } = await must(owner.post<{ secret: string }>('/panel/api/tokens/add', token));
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const clients = [{ id: '11111111-2222-4333-8444-000000000001', email: 'hers', subId: 'hers', enable: true }];
    const added = await fetch(`${leader.url}/panel/api/inbounds/addClient`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ id: 1, settings: JSON.stringify({ clients }) }),
    });
    const receipt = added.headers.get('x-portolan-position') ?? '';
    expect(receipt).toMatch(/^\d{15}$/);
    const page = (atLeast: string) =>
      fetch(`${follower.url}/panel/api/clients/page`, { headers: { ...headers, 'x-portolan-at-least': atLeast } });
    const read = await page(receipt);
    expect([read.status, read.headers.has('x-portolan-position')]).toEqual([200, false]);
    const { position } = await at(owner, LIST);
    for (const plain of [1, position, position + 100]) {
      const refused = await page(String(plain));
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'AT_LEAST_INVALID']);
    }
  });

  it('counts no change that the cluster has not confirmed, also on the leader', async () => {
    const { nats, leader } = await startTwo();
    const admin = await leader.admin();
    await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'confirmed')));
    await nats.stop();
    const { position } = await at(admin, LIST);
    const late = await admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'late'));
    expect(late).toMatchObject({ success: false, code: 'CHANGE_UNCONFIRMED' });
    expect((await at(admin, LIST)).position).toBe(position);
    const { response } = await at(admin, LIST, { 'x-portolan-at-least': String(position + 1) });
    expect(response.status).toBe(503);
  });

  it('refuses to restore a backup, as the leader does', async () => {
    const { leader, follower } = await startTwo();
    for (const panel of [leader, follower]) {
      const admin = await panel.admin();
      const backup = await (await admin.raw('GET', '/panel/api/server/getDb')).blob();
      const { position } = await at(await leader.admin(), LIST);
      const answer = await admin.multipart('/panel/api/server/importDB', { db: backup });
      expect(answer).toMatchObject({
        success: false,
        code: 'IMPORT_REFUSED',
        msg: expect.stringContaining('cluster') as string,
      });
      const after = await must(
        (await leader.admin()).get<{ events: { type: string }[] }>(`/panel/api/events?after=${position}`),
      );
      expect(after.events.map(({ type }) => type)).not.toContain('BackupRestored');
    }
  });
});
