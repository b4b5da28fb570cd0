import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { draft, inboundDraft, one, two, userId, uuid } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const SELLER = { username: 'seller', password: 'long enough' };
const json = (value: object): string => JSON.stringify(value);
const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));

/** Inbounds 1 and 2, of which the reseller has the first. The owner's clients are `foreign-…`. */
async function start(foreign: readonly string[], own: readonly string[], quotas = NO_QUOTAS) {
  const panel = await startPanel();
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  const access = { role: 'reseller', inbounds: [one], quotas };
  const data = { username: SELLER.username, passwordHash: `plain ${SELLER.password}`, access };
  panel.given({ type: 'CreateUser', data });
  const owner = await panel.browser().login();
  const seller = await panel.browser().login(SELLER);
  const wire = (email: string, n: number, over: object = {}) => {
    const { credential, identity } = draft(email, n);
    return { id: credential.id, email, subId: identity.subId, comment: `note of ${email}`, enable: true, ...over };
  };
  const add = (browser: typeof owner, inbound: number, clients: readonly object[]) =>
    browser.post('/panel/api/inbounds/addClient', { id: inbound, settings: json({ clients }) });
  let n = 0;
  for (const [index, email] of foreign.entries()) {
    n += 1;
    await add(owner, index % 2 === 0 ? one : two, [wire(email, n)]);
    panel.given({ type: 'AdjustClientTraffic', data: { email, up: 1000, down: 2000 } });
  }
  for (const email of own) await add(seller, one, [wire(email, (n += 1))]);
  return { panel, owner, seller, wire, add };
}

const obj = async (answer: Promise<{ json: { obj: unknown } | undefined }>) => (await answer).json?.obj;

describe('a reseller', () => {
  it('sees and changes only own clients, in the inbounds given', async () => {
    const { panel, seller, add, wire } = await start(['foreign-a', 'foreign-b'], ['mine']);
    const page = (await obj(seller.get('/panel/api/clients/page'))) as { clients: { email: string }[]; counts: object };
    expect(page.clients.map(({ email }) => email)).toStrictEqual(['mine']);
    expect(page.counts).toMatchObject({ all: 1 });
    const inbounds = (await obj(seller.get('/panel/api/clients/inbounds'))) as object[];
    expect(inbounds).toMatchObject([{ id: 1, clients: 1 }]);
    expect((await add(seller, two, [wire('elsewhere', 90)])).json).toMatchObject({ code: 'INBOUND_NOT_FOUND' });
    expect((await seller.post('/panel/api/inbounds/list')).status).toBe(404);
    expect((await seller.get('/panel/api/inbounds/list')).status).toBe(403);
    const changed = await seller.post('/panel/api/clients/change', { action: 'disable', clients: [1, 2, 3] });
    expect(changed.json?.obj).toMatchObject({ changed: 1, sample: ['mine'] });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['ClientUpdated']);
    await seller.post('/panel/api/clients/change', { action: 'delete' });
    expect(panel.appended()).toMatchObject([{ type: 'ClientDeleted', data: { client: 3 } }]);
  });

  it('gets the addresses of subscriptions, to hand them out', async () => {
    const { panel, owner, seller } = await start([], ['mine']);
    const changes = {
      subEnable: true,
      subJsonEnable: true,
      subURI: 'https://links.example/in/',
      datepicker: 'jalalian',
    };
    await owner.post('/panel/setting/update', changes);
    panel.appended();
    expect((await seller.post('/panel/setting/defaultSettings')).status).toBe(403);
    expect(await obj(seller.get('/panel/api/clients/subscriptions'))).toStrictEqual({
      ...{ subEnable: true, subJsonEnable: true, subClashEnable: expect.any(Boolean) },
      ...{ subURI: 'https://links.example/in/', subJsonURI: expect.stringMatching(/\/json\/$/) },
      ...{ subClashURI: expect.any(String), datepicker: 'jalalian' },
    });
  });

  it('reads that a permission includes another one', async () => {
    const { panel, owner } = await start([], []);
    const grants = ['clients:read', 'clients:update'].map((permission) => ({ permission, scope: 'own' }));
    const account = { permission: 'account:read', scope: 'all' };
    await owner.post('/panel/api/roles/save', { name: 'desk', grants: [account, ...grants] });
    const login = { username: 'desk', password: 'a long pass phrase' };
    await owner.post('/panel/api/admins/add', { ...login, role: 'desk', inbounds: [1] });
    const desk = await panel.browser().login(login);
    const extend = { permission: 'clients:extend', scope: 'own' };
    expect(await obj(desk.get('/panel/api/admins/me'))).toMatchObject({
      grants: [account, ...grants, extend],
    });
  });

  it('is refused a moment of the past, an expected version and a dry run, which compare the whole panel', async () => {
    const { panel, seller } = await start(['foreign-a'], ['mine']);
    const head = panel.log.head().position;
    const change = { action: 'disable', clients: [2] };
    for (const answer of [
      await seller.get(`/panel/api/clients/page?at=${head}`),
      await seller.post('/panel/api/clients/change?dryRun=true', change),
      await seller.post('/panel/api/clients/change', { ...change, dryRun: true }),
      await seller.post('/panel/api/clients/change?expectedVersion=x', change),
      await seller.post(`/panel/api/events/${head}/undo`),
    ])
      expect([answer.status, answer.text.includes('foreign')], answer.text).toStrictEqual([403, false]);
  });

  it('gets the same answer for the client of another admin as for an unknown one', async () => {
    const { seller } = await start(['foreign-a', 'foreign-b'], ['mine']);
    const paths = (email: string, id: string): readonly (readonly ['GET' | 'POST', string, object?])[] => [
      ['GET', `/panel/api/inbounds/getClientTraffics/${email}`],
      ['GET', `/panel/api/inbounds/getClientTrafficsById/${id}`],
      ['GET', `/panel/api/inbounds/getClientTrafficsById/sub-${email}`],
      ['POST', `/panel/api/inbounds/clientIps/${email}`],
      ['POST', `/panel/api/inbounds/clearClientIps/${email}`],
      ['GET', `/panel/api/inbounds/getSubLinks/sub-${email}`],
      ['GET', `/panel/api/inbounds/getClientLinks/1/${email}`],
      ['POST', `/panel/api/inbounds/1/delClient/${id}`],
      ['POST', `/panel/api/inbounds/1/delClientByEmail/${email}`],
      ['POST', `/panel/api/inbounds/updateClient/${id}`, { id: 1, settings: json({ clients: [{ id, email }] }) }],
      ['GET', `/panel/api/clients/${email}/details`],
      ['GET', `/panel/api/clients/${email}/why`],
      ['GET', `/panel/api/clients/${email}/statement`],
      ['POST', '/panel/api/clients/change', { action: 'enable', search: email }],
    ];
    for (const [index, [method, path, body]] of paths('foreign-a', uuid(1)).entries()) {
      const unknown = paths('unknown-x', uuid(77))[index];
      const plain = (text: string): string => text.replaceAll('foreign-a', 'unknown-x').replaceAll(uuid(1), uuid(77));
      const mine = await seller.send(method, path, body);
      const theirs = await seller.send(method, String(unknown?.[1]), unknown?.[2]);
      expect({ path, status: mine.status, text: plain(mine.text) }).toStrictEqual({
        ...{ path, status: theirs.status, text: theirs.text },
      });
    }
  });

  it('never learns of the email of another admin by a route that reads', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{6,10}$/), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, async (all) => {
        const foreign = all.slice(1).map((name) => `foreign-${name}`);
        const { seller, owner } = await start(foreign, [`mine-${all[0]}`]);
        const known = await owner.get('/panel/api/clients/page');
        for (const email of foreign) expect(known.text).toContain(email);
        const leaks: string[] = [];
        for (const route of routes) {
          if (route.auth === 'none' || route.path.endsWith('/logout') || route.path === '/panel/api/events') continue;
          for (const value of ['1', '2', `mine-${all[0]}`, uuid(1)]) {
            const path = route.path.replaceAll(/:\w+/g, value);
            if (route.method === 'POST' && /updateUser|sessions|del|change|restore/i.test(path)) continue;
            const { text } = await seller.send(route.method, path, route.method === 'POST' ? {} : undefined);
            for (const secret of [...foreign, 'hidden inbound', ...foreign.map((email) => `sub-${email}`)])
              if (text.includes(secret)) leaks.push(`${secret} in ${route.method} ${path}`);
          }
        }
        expect(leaks).toStrictEqual([]);
      }),
      { numRuns: 2 },
    );
  });

  it('learns nothing of another client from a conflict', async () => {
    const { seller, add, wire } = await start(['foreign-a'], ['mine']);
    const sameEmail = await add(seller, one, [wire('foreign-a', 50)]);
    expect(sameEmail.json).toMatchObject({ success: false, code: 'EMAIL_UNAVAILABLE' });
    const sameId = await add(seller, one, [wire('new', 1)]);
    expect(sameId.json).toMatchObject({ success: false, code: 'EMAIL_UNAVAILABLE' });
    expect(sameId.text).not.toContain('foreign');
    const renamed = { clients: [wire('foreign-a', 2)] };
    const { text } = await seller.post(`/panel/api/inbounds/updateClient/${uuid(2)}`, {
      id: 1,
      settings: json(renamed),
    });
    expect(text).toContain('EMAIL_UNAVAILABLE');
  });

  it('is held to the quotas', async () => {
    const quotas = { clients: 2, totalBytes: 1000, clientBytes: 0, days: 30 };
    const { panel, seller, add, wire } = await start([], [], quotas);
    const soon = Date.now() + 86_400_000;
    const adding = async (email: string, n: number, over: object) =>
      (await add(seller, one, [wire(email, n, { totalGB: 400, expiryTime: soon, ...over })])).json;
    expect(await adding('a', 1, {})).toMatchObject({ success: true });
    expect(await adding('b', 2, { totalGB: 0 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { totalGB: 601 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { expiryTime: 0 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { expiryTime: soon + 31 * 86_400_000 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { expiryTime: -31 * 86_400_000 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { reset: 30 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await adding('b', 2, { totalGB: 600 })).toMatchObject({ success: true });
    expect(await adding('c', 3, { totalGB: 1 })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    const more = await seller.post('/panel/api/clients/change', { action: 'addTraffic', bytes: 1 });
    expect(more.json).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect((await obj(seller.get('/panel/api/admins/me'))) as object).toMatchObject({
      ...{ role: 'reseller', inbounds: [1], quotas, clients: 2, capBytes: 1000 },
    });
    const lower = { role: 'reseller', inbounds: [one], quotas: { ...quotas, clients: 1 } };
    const owner = await panel.browser().login();
    expect((await owner.post('/panel/api/admins/access/2', lower)).json).toMatchObject({ code: 'ACCESS_INVALID' });
  });

  it('loses and gets clients that an owner hands over', async () => {
    const { panel, owner, seller } = await start(['foreign-a'], ['mine']);
    await owner.post('/panel/api/admins/handOver', { clients: [1], owner: 2 });
    expect(panel.appended()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [1], owner: 2 } }]);
    await owner.post('/panel/api/admins/handOver', { clients: [2], owner: 0 });
    const page = (await obj(seller.get('/panel/api/clients/page'))) as { clients: { email: string }[] };
    expect(page.clients.map(({ email }) => email)).toStrictEqual(['foreign-a']);
  });

  it('loses all clients at once, and the answer names them so that they can come back', async () => {
    const { panel, owner } = await start(['foreign-a'], ['mine', 'more']);
    const { json } = await owner.post('/panel/api/admins/handOver', { from: 2, owner: 1 });
    expect(json).toMatchObject({ success: true, obj: { clients: [2, 3] } });
    expect(panel.appended()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [2, 3], owner: 1 } }]);
    await owner.post('/panel/api/admins/handOver', { ...(json?.obj as object), owner: 2 });
    expect(panel.appended()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [2, 3], owner: 2 } }]);
    const none = await owner.post('/panel/api/admins/handOver', { from: 1, owner: 1 });
    expect(none.json).toMatchObject({ success: true, obj: { clients: [] } });
    expect(panel.appended()).toStrictEqual([]);
    const seller = { id: 2, username: 'seller', clients: 2, lastLoginAt: expect.any(Number) };
    expect(await obj(owner.get('/panel/api/admins/list'))).toMatchObject([{ id: 1 }, seller]);
  });
});
