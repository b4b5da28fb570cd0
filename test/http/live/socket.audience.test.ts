import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import type { PermissionName } from '../../../src/lib/permissions.js';
import { verbatim } from '../../../src/messages/message.js';
import { draft, inboundDraft, one, userId } from '../../kit/builders.js';
import { eventually } from '../../kit/wait.js';
import { startPanel } from '../kit/panel.js';
import { startSelling } from '../kit/reseller.js';

type Said = { readonly type: string; readonly [key: string]: unknown };

describe('the WebSocket of a reseller', () => {
  it('says nothing of the clients of others, of the machine or of the core', async () => {
    const panel = await startPanel();
    panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
    const access = { role: 'reseller', inbounds: [one], quotas: NO_QUOTAS };
    panel.given({ type: 'CreateUser', data: { username: 'seller', passwordHash: 'plain long enough', access } });
    const owner = await panel.browser().login();
    const seller = await panel.browser().login({ username: 'seller', password: 'long enough' });
    const listen = async ({ cookie }: typeof owner) => {
      const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie } });
      const said: Said[] = [];
      ws.on('message', (data) => said.push(JSON.parse(String(data)) as Said));
      await once(ws, 'open');
      onTestFinished(() => ws.terminate());
      return said;
    };
    const add = async (browser: typeof owner, email: string, n: number) => {
      const { credential, identity } = draft(email, n);
      const clients = [{ id: credential.id, email, subId: identity.subId, enable: true }];
      const answer = await browser.post('/panel/api/inbounds/addClient', {
        id: one,
        settings: JSON.stringify({ clients }),
      });
      expect(answer.json).toMatchObject({ success: true });
    };
    await add(seller, 'mine', 1);
    await add(owner, 'foreign', 2);
    const [all, own] = [await listen(owner), await listen(seller)];
    const grow = (client: number) =>
      panel.given({
        type: 'RecordTraffic',
        data: { run: 'r', clients: [[client, 5, 7]], inbounds: [[one, 5, 7]], outbounds: [] },
      });
    panel.tick();
    panel.given({ type: 'RecordCoreFailed', data: { reason: verbatim('the port is taken'), run: null } });
    panel.given({ type: 'ChangeSettings', data: { changes: { subTitle: 'Another' } } });
    await add(owner, 'foreign-too', 3);
    grow(2);
    grow(1);
    const traffic = (said: readonly Said[]) => said.filter(({ type }) => type === 'traffic');
    await eventually(() => expect(traffic(own)).toHaveLength(1));
    await eventually(() => expect(traffic(all)).toHaveLength(2));
    expect(new Set(all.map(({ type }) => type))).toStrictEqual(
      new Set(['status', 'notification', 'xrayState', 'invalidate', 'traffic']),
    );
    expect(own.filter(({ type }) => type !== 'traffic')).toStrictEqual([]);
    expect(traffic(own)[0]).toMatchObject({ clients: [[1, 5, 7]], inbounds: [] });
  });

  it('says that a client was deleted, taken away or moved by another admin, and nothing more', async () => {
    const { panel, owner, seller } = await startSelling(['foreign-a', 'foreign-b', 'foreign-c'], ['x', 'y', 'z', 'w']);
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: seller.cookie } });
    onTestFinished(() => ws.terminate());
    const said: string[] = [];
    ws.on('message', (data) => said.push(String(data)));
    await once(ws, 'open');
    /** What arrives because of this. The messages of a socket arrive in order. */
    const saidBy = async (happen: () => Promise<unknown>): Promise<readonly string[]> => {
      const before = said.length;
      await happen();
      ws.ping();
      await once(ws, 'pong');
      return said.slice(before);
    };
    const change = (body: object) => saidBy(() => owner.post('/panel/api/clients/change', body));
    const hand = (clients: readonly number[], to: number) =>
      saidBy(() => owner.post('/panel/api/admins/handOver', { clients, owner: to }));
    const stale = ['{"type":"invalidate","resource":"inbounds"}'];
    expect(await change({ action: 'delete', clients: [1] })).toStrictEqual([]);
    expect(await hand([2], 0)).toStrictEqual([]);
    expect(await change({ action: 'move', to: 2, clients: [3] })).toStrictEqual([]);

    expect(await change({ action: 'delete', clients: [2, 4] })).toStrictEqual(stale);
    expect(await hand([5], 1)).toStrictEqual(stale);
    // It is not hers any more.
    expect(await change({ action: 'delete', clients: [5] })).toStrictEqual([]);
    expect(await change({ action: 'move', to: 2, clients: [6] })).toStrictEqual(stale);
    expect(await saidBy(() => owner.post('/panel/api/inbounds/del/1'))).toStrictEqual(stale);
    expect(await saidBy(() => owner.post('/panel/api/inbounds/del/2'))).toStrictEqual([]);
  });

  it('says that an inbound of hers was switched, changed, given or taken away by another admin, not another one', async () => {
    const { panel, owner, seller } = await startSelling(['foreign-a', 'foreign-b'], ['x']);
    const said: string[] = [];
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: seller.cookie } });
    onTestFinished(() => ws.terminate());
    ws.on('message', (data) => said.push(String(data)));
    await once(ws, 'open');
    const saidBy = async (path: string, body: object): Promise<readonly string[]> => {
      const before = said.length;
      expect((await owner.post(`/panel/api/${path}`, body)).json).toMatchObject({ success: true });
      ws.ping();
      await once(ws, 'pong');
      return said.slice(before);
    };
    const stale = ['{"type":"invalidate","resource":"inbounds"}'];
    const change = async (id: number, changes: object) => {
      const { obj } = (await owner.get(`/panel/api/inbounds/get/${id}`)).json as { obj: object };
      return saidBy(`inbounds/update/${id}`, { ...obj, ...changes });
    };
    expect(await saidBy('inbounds/setEnable/2', { enable: false })).toStrictEqual([]);
    expect(await change(2, { remark: 'hidden still' })).toStrictEqual([]);
    expect(await saidBy('inbounds/1/resetTraffic', {})).toStrictEqual([]);

    expect(await saidBy('inbounds/setEnable/1', { enable: false })).toStrictEqual(stale);
    expect(await saidBy('inbounds/setEnable/1', { enable: true })).toStrictEqual(stale);
    expect(await change(1, { remark: 'new name' })).toStrictEqual(stale);
    const access = (inbounds: readonly number[]) => ({ role: 'reseller', inbounds });
    expect(await saidBy('admins/access/2', access([1, 2]))).toStrictEqual(stale);
    expect(await saidBy('inbounds/setEnable/2', { enable: true })).toStrictEqual(stale);
    expect(await saidBy('admins/access/2', access([2]))).toStrictEqual(stale);
    expect(await saidBy('inbounds/setEnable/1', { enable: false })).toStrictEqual([]);
    expect(await saidBy('inbounds/del/1', {})).toStrictEqual([]);
    expect(await saidBy('inbounds/del/2', {})).toStrictEqual(stale);
  });

  it('says that webhooks and legal holds changed to an admin who may read them, not to one who may not', async () => {
    const panel = await startPanel();
    const listen = async (role: string, permissions: readonly PermissionName[]) => {
      const grants = permissions.map((permission) => ({ permission, scope: 'all' as const }));
      panel.given({ type: 'DefineRole', data: { role, grants } });
      const access = { role, inbounds: [], quotas: NO_QUOTAS };
      panel.given({ type: 'CreateUser', data: { username: role, passwordHash: 'plain long enough', access } });
      const { cookie } = await panel.browser().login({ username: role, password: 'long enough' });
      const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie } });
      onTestFinished(() => ws.terminate());
      const said: string[] = [];
      ws.on('message', (data) => said.push(String(data)));
      await once(ws, 'open');
      return { ws, said };
    };
    const reader = await listen('reader', ['webhooks:read', 'personalData:read']);
    const other = await listen('other', ['settings:read']);
    /** What arrives at each because of this. */
    const saidBy = async (command: Parameters<typeof panel.given>[0]): Promise<readonly (readonly string[])[]> => {
      const before = [reader.said.length, other.said.length];
      panel.given(command);
      for (const { ws } of [reader, other]) {
        ws.ping();
        await once(ws, 'pong');
      }
      return [reader.said.slice(before[0]), other.said.slice(before[1])];
    };
    const stale = (resource: string) => [JSON.stringify({ type: 'invalidate', resource })];
    const hook = {
      name: 'billing',
      url: 'https://hooks.example/1',
      types: ['clients'],
      secret: 'whsec_1',
      after: null,
    };
    expect(await saidBy({ type: 'AddWebhook', data: hook })).toStrictEqual([stale('webhooks'), []]);
    const hold = { clients: [], from: 1, to: 2, reason: 'an audit' };
    expect(await saidBy({ type: 'PlaceLegalHold', data: hold })).toStrictEqual([stale('personal-data'), []]);
  });

  it('says it as well to an admin whose role was limited while the socket was open', async () => {
    const { panel, owner } = await startSelling([], []);
    const login = { username: 'second', password: 'long enough' };
    panel.given({ type: 'CreateUser', data: { username: login.username, passwordHash: `plain ${login.password}` } });
    const second = await panel.browser().login(login);
    const { credential, identity } = draft('hers', 7);
    const clients = [{ id: credential.id, email: 'hers', subId: identity.subId, enable: true }];
    await second.post('/panel/api/inbounds/addClient', { id: one, settings: JSON.stringify({ clients }) });
    const ws = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: second.cookie } });
    onTestFinished(() => ws.terminate());
    const said: string[] = [];
    ws.on('message', (data) => said.push(String(data)));
    await once(ws, 'open');
    const access = { role: 'reseller', inbounds: [one], quotas: NO_QUOTAS };
    await owner.post('/panel/api/admins/access/3', access);
    await owner.post('/panel/api/clients/change', { action: 'delete', clients: [1] });
    await eventually(() => expect(said.at(-1)).toBe('{"type":"invalidate","resource":"inbounds"}'));
  });
});
