import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { one, two, userId, uuid } from '../../../kit/builders.js';
import { startSelling } from '../../kit/reseller.js';

const json = (value: object): string => JSON.stringify(value);
const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));

interface Story {
  readonly story: readonly { readonly by: string; readonly byCode: string; readonly position: number }[];
}

const obj = async (answer: Promise<{ json: { obj: unknown } | undefined }>) => (await answer).json?.obj;

describe('a reseller', () => {
  it('sees and changes only own clients, in the inbounds given', async () => {
    const { panel, seller, add, wire } = await startSelling(['foreign-a', 'foreign-b'], ['mine']);
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
    const { panel, owner, seller } = await startSelling([], ['mine']);
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
      ...{ subURI: 'https://links.example/in/', zone: 'UTC', subJsonURI: expect.stringMatching(/\/json\/$/) },
      ...{ subClashURI: expect.any(String), datepicker: 'jalalian' },
    });
  });

  it('reads that a permission includes another one', async () => {
    const { panel, owner } = await startSelling([], []);
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

  it('reads who changed own clients: own changes in full, others as another admin', async () => {
    const { panel, owner, seller } = await startSelling([], ['mine']);
    const { secret, ...stored } = newTokenSecret();
    const token = { name: 'warehouse', role: 'owner', inbounds: [], admin: null, expiresAt: 0, addresses: [] };
    panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
    const own = newTokenSecret();
    const { secret: ownSecret, ...ownStored } = own;
    const shop = { ...token, name: 'shop', role: 'reseller', inbounds: [one], admin: userId(2) };
    panel.given({ type: 'CreateToken', data: { ...shop, ...ownStored } });
    const change = '/panel/api/clients/change';
    const by = (bearer: string, body: object) =>
      panel.call('POST', change, {
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: json(body),
      });
    const etag = String((await seller.get('/panel/api/clients/mine/details')).headers.get('etag'));
    await owner.post('/panel/api/inbounds/updateClientTraffic/mine', { upload: 7, download: 8 });
    await by(secret, { action: 'disable', clients: [1] });
    await by(ownSecret, { action: 'enable', clients: [1] });
    await by(secret, { action: 'disable', clients: [1] });
    const stale = await seller.post(change, { action: 'enable', clients: [1] }, { 'if-match': etag });
    const why = await seller.get('/panel/api/clients/mine/why');
    const statement = await seller.get('/panel/api/clients/mine/statement');
    const story = (why.json?.obj as Story | undefined)?.story ?? [];
    expect(story.map((entry) => entry.by)).toContain('user seller (reseller) from 127.0.0.1');
    expect(story.some((entry) => entry.by.startsWith('token shop (reseller)'))).toBe(true);
    expect(story.filter(({ byCode }) => byCode === 'history.byOtherAdmin').length).toBeGreaterThan(1);
    for (const { position } of story) expect(position).toBeGreaterThan(panel.log.head().position * 1000);
    for (const { text } of [why, statement, stale]) {
      expect(text).not.toMatch(/warehouse|admin \(|user admin|API token/);
      expect(text).toContain('another admin');
    }
    const inPersian = await seller.get('/panel/api/clients/mine/why', { 'accept-language': 'fa' });
    expect(inPersian.text).toContain('مدیر دیگری');
    expect((await owner.get('/panel/api/clients/mine/why')).text).toContain('warehouse');
  });

  it('can expect a version of an own client, and of nothing else', async () => {
    const { panel, owner, seller } = await startSelling(['foreign-a'], ['mine']);
    const details = await seller.get('/panel/api/clients/mine/details');
    const etag = String(details.headers.get('etag'));
    // Changes of others do not change the version.
    await owner.post('/panel/api/clients/change', { action: 'disable', search: 'foreign' });
    expect((await seller.get('/panel/api/clients/mine/details')).headers.get('etag')).toBe(etag);
    const change = (body: object, tag: string) => seller.post('/panel/api/clients/change', body, { 'if-match': tag });
    expect((await change({ action: 'disable', clients: [2] }, etag)).json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'ClientUpdated', data: { client: 2 } }]);
    const stale = await change({ action: 'enable', clients: [2] }, etag);
    expect([stale.status, stale.json?.obj]).toMatchObject([
      412,
      {
        current: expect.stringMatching(/^client-2@\d{15}-/),
        changes: [{ field: 'enabled', by: 'user seller (reseller)' }],
      },
    ]);
    const answersTo = async (documents: readonly string[]) => {
      const answers = new Set<string>();
      for (const document of documents) {
        const { status, text } = await change({ action: 'enable', clients: [2] }, `"${document}@0-${'0'.repeat(20)}"`);
        answers.add(`${status} ${text.replaceAll(document, 'DOCUMENT')}`);
      }
      return [...answers];
    };
    expect(await answersTo(['client-1', 'client-77', 'inbound-2', 'inbound-9'])).toStrictEqual([
      expect.stringMatching(/^412 .*"current":null,"changes":\[\]/),
    ]);
    // The request does not change these, whether they exist or not.
    expect(await answersTo(['settings', 'core', 'node-1', 'admins', 'tokens'])).toStrictEqual([
      expect.stringMatching(/^400 .*VERSION_ELSEWHERE/),
    ]);
  });

  it('can try out changes of own clients', async () => {
    const { panel, owner, seller, wire } = await startSelling(['foreign-a'], ['mine']);
    const dry = await seller.post('/panel/api/clients/change?dryRun=true', { action: 'disable' });
    expect(dry.json?.obj).toMatchObject({
      ...{ dryRun: true, total: 1, head: { position: 0, hash: '' } },
      events: [{ type: 'ClientUpdated', subject: { number: 2, name: 'mine' }, data: { client: 2 } }],
    });
    // The number of a new client would count the clients of others.
    const settings = json({ clients: [wire('next', 70)] });
    const adding = () => seller.post('/panel/api/inbounds/addClient?dryRun=true', { id: 1, settings });
    const before = await adding();
    expect(before.json?.obj).toMatchObject({
      events: [{ type: 'ClientAdded', subject: { number: 0 }, data: { client: 0 } }],
    });
    const more = json({ clients: [wire('foreign-b', 80), wire('foreign-c', 81)] });
    await owner.post('/panel/api/inbounds/addClient', { id: 2, settings: more });
    expect((await adding()).text).toBe(before.text);
    const refused = await seller.post('/panel/api/clients/change?dryRun=true', { action: 'disable', clients: [1] });
    expect(refused.json?.obj).toMatchObject({ total: 0 });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('gets receipts that do not count the changes of others', async () => {
    const { panel, owner, seller } = await startSelling(['foreign-a'], ['mine']);
    const receipts: number[] = [];
    for (const action of ['disable', 'enable']) {
      const { headers } = await seller.post('/panel/api/clients/change', { action, clients: [2] });
      receipts.push(Number(headers.get('x-portolan-position')));
      expect(headers.get('x-portolan-hash')).toMatch(/^[0-9a-f]{64}$/);
      expect(panel.services.positions.reveal(receipts.at(-1) ?? 0)).toBe(panel.log.head().position);
    }
    for (const receipt of receipts) expect(String(receipt)).toMatch(/^\d{15}$/);
    const { headers } = await owner.post('/panel/api/clients/change', { action: 'disable', clients: [1] });
    expect(headers.get('x-portolan-position')).toBe(String(panel.log.head().position));
  });

  it('gets the same answer for the client of another admin as for an unknown one', async () => {
    const { seller } = await startSelling(['foreign-a', 'foreign-b'], ['mine']);
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
      ['GET', `/panel/api/clients/${email}/profiles/1`],
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

  it('never learns of the email of another admin by a route that reads', { timeout: 120_000 }, async () => {
    const { seller, owner, wire, add } = await startSelling(['foreign-first'], ['mine-first']);
    let n = 10;
    const name = fc.stringMatching(/^[a-z]{6,10}$/);
    const names = fc.uniqueArray(name, { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, async ([first = '', ...others]) => {
        n += 1;
        const [own, foreign] = [`mine-${first}-${n}`, others.map((other) => `foreign-${other}-${n}`)];
        for (const [index, email] of foreign.entries())
          await add(owner, index % 2 === 0 ? one : two, [wire(email, n * 10 + index)]);
        await add(seller, one, [wire(own, n * 10 + 9)]);
        const known = await owner.get('/panel/api/clients/page?size=500');
        for (const email of foreign) expect(known.text).toContain(email);
        const leaks: string[] = [];
        for (const route of routes) {
          if (route.auth === 'none' || route.path.endsWith('/logout')) continue;
          // The routes that every caller is refused are asked once.
          if (!route.filtered && n > 11) continue;
          for (const value of route.path.includes(':') ? ['1', '2', own, uuid(n * 10)] : ['1']) {
            const path = route.path.replaceAll(/:\w+/g, value);
            if (route.method === 'POST' && /updateUser|sessions|del|change|restore/i.test(path)) continue;
            const { text } = await seller.send(route.method, path, route.method === 'POST' ? {} : undefined);
            for (const secret of [...foreign, 'hidden inbound', ...foreign.map((email) => `sub-${email}`)])
              if (text.includes(secret)) leaks.push(`${secret} in ${route.method} ${path}`);
          }
        }
        expect(leaks).toStrictEqual([]);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('learns nothing of another client from a conflict', async () => {
    const { seller, add, wire } = await startSelling(['foreign-a'], ['mine']);
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
    const { panel, seller, add, wire } = await startSelling([], [], quotas);
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
    const { panel, owner, seller } = await startSelling(['foreign-a'], ['mine']);
    await owner.post('/panel/api/admins/handOver', { clients: [1], owner: 2 });
    expect(panel.appended()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [1], owner: 2 } }]);
    await owner.post('/panel/api/admins/handOver', { clients: [2], owner: 0 });
    const page = (await obj(seller.get('/panel/api/clients/page'))) as { clients: { email: string }[] };
    expect(page.clients.map(({ email }) => email)).toStrictEqual(['foreign-a']);
  });

  it('loses all clients at once, and the answer names them so that they can come back', async () => {
    const { panel, owner } = await startSelling(['foreign-a'], ['mine', 'more']);
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
