import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { hashOfSecret } from '../../../../src/lib/secrets/token-secret.js';
import { draft, inboundDraft, one, two, userId } from '../../../kit/builders.js';
import { until } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

const HOUR = 3_600_000;
const SELLER = { username: 'seller', password: 'long enough' };

/** Inbounds 1 and 2, of which the reseller (admin 2) has the first. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  const access = { role: 'reseller', inbounds: [one], quotas: { ...NO_QUOTAS, clients: 2 } };
  const data = { username: SELLER.username, passwordHash: `plain ${SELLER.password}`, access };
  panel.given({ type: 'CreateUser', data });
  const owner = await panel.browser().login();
  const create = async (body: object) => {
    const { json } = await owner.post('/panel/api/tokens/add', { name: 'shop', role: 'support', ...body });
    return json?.obj as { id: number; secret: string };
  };
  const call = (secret: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    panel.call(method, path, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const list = async () => (await owner.get('/panel/api/tokens/list')).json?.obj as Record<string, unknown>[];
  return { panel, owner, create, call, list };
}

describe('access tokens', () => {
  it('are created by an owner, and their secret is shown once', async () => {
    const { panel, create, list } = await start();
    const { id, secret } = await create({ expiresAt: panel.now() + HOUR, addresses: ['127.0.0.0/8'] });
    expect(secret).toMatch(/^ptl_[\w-]{43}$/);
    const [event] = panel.appended();
    expect(event).toMatchObject({
      ...{ type: 'TokenCreated', meta: { actor: { kind: 'user', name: 'admin', role: 'owner' } } },
      data: { token: id, label: { name: 'shop' }, prefix: secret.slice(0, 12), secret: { hash: hashOfSecret(secret) } },
    });
    expect(panel.appended()).toHaveLength(1);
    const listed = await list();
    expect(listed).toMatchObject([{ id, name: 'shop', role: 'support', admin: 0, usedAt: null, usedFrom: null }]);
    expect(JSON.stringify(listed)).not.toContain(secret.slice(0, 13));
    expect(JSON.stringify(listed)).not.toContain(hashOfSecret(secret));
  });

  it('are refused with a sentence', async () => {
    const { owner, panel } = await start();
    const refused = async (body: object) => (await owner.post('/panel/api/tokens/add', { name: 'x', ...body })).json;
    expect(await refused({})).toMatchObject({
      code: 'TOKEN_INVALID',
      msg: 'A token needs a role: choose what it may do',
    });
    expect(await refused({ role: 'captain' })).toMatchObject({ code: 'ROLE_NOT_FOUND' });
    expect(await refused({ role: 'support', expiresAt: 1 })).toMatchObject({ code: 'TOKEN_INVALID' });
    expect(await refused({ role: 'support', addresses: ['10.0.0.0/33'] })).toMatchObject({ code: 'TOKEN_INVALID' });
    expect((await owner.post('/panel/api/tokens/rotate/9')).json).toMatchObject({ code: 'TOKEN_NOT_FOUND' });
    expect((await owner.post('/panel/api/tokens/revoke/9')).json).toMatchObject({ code: 'TOKEN_NOT_FOUND' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('act with their role, for their admin, within quotas; each event names the token', async () => {
    const { panel, create, call } = await start();
    const { id, secret } = await create({ role: 'reseller', inbounds: [1], admin: 2 });
    const { credential, identity } = draft('mine', 7);
    const client = { id: credential.id, email: 'mine', subId: identity.subId, enable: true };
    const add = (inbound: number, over: object = {}) =>
      call(secret, 'POST', '/panel/api/inbounds/addClient', {
        id: inbound,
        settings: JSON.stringify({ clients: [{ ...client, ...over }] }),
      });
    expect((await add(1)).json).toMatchObject({ success: true });
    const events = panel.appended();
    expect(events.map(({ type }) => type)).toStrictEqual(['TokenUsed', 'ClientAdded']);
    for (const { meta } of events)
      expect(meta.actor).toStrictEqual({
        ...{ kind: 'token', id: String(id), name: 'shop', ip: '127.0.0.1', role: 'reseller', admin: '2' },
      });
    const seller = await panel.browser().login(SELLER);
    const page = (await seller.get('/panel/api/clients/page')).json?.obj as { clients: { email: string }[] };
    expect(page.clients.map(({ email }) => email)).toStrictEqual(['mine']);
    expect((await add(two, { email: 'elsewhere' })).json).toMatchObject({ code: 'INBOUND_NOT_FOUND' });
    panel.given({
      type: 'ChangeAdminAccess',
      data: { user: userId(2), role: 'auditor', inbounds: [], quotas: NO_QUOTAS },
    });
    const demoted = await add(1, { email: 'later' });
    expect([demoted.status, demoted.json]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    expect((await call(secret, 'GET', '/panel/api/clients/page')).status).toBe(200);
  });

  it('end with their expiry, outside of their networks, and when they are revoked', async () => {
    const { panel, owner, create, call } = await start();
    const path = '/panel/api/clients/page';
    const { secret } = await create({ name: 'short', expiresAt: panel.now() + HOUR });
    expect((await call(secret, 'GET', path)).status).toBe(200);
    panel.later(HOUR);
    expect((await call(secret, 'GET', path)).status).toBe(404);
    const elsewhere = await create({ name: 'elsewhere', addresses: ['203.0.113.0/24'] });
    expect((await call(elsewhere.secret, 'GET', path)).status).toBe(404);
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    expect((await call(elsewhere.secret, 'GET', path, undefined, forwarded)).status).toBe(200);
    await owner.post(`/panel/api/tokens/revoke/${elsewhere.id}`);
    expect(panel.appended()).toMatchObject([{ type: 'TokenRevoked', data: { token: elsewhere.id } }]);
    expect((await call(elsewhere.secret, 'GET', path, undefined, forwarded)).status).toBe(404);
    expect((await call('ptl_guess', 'GET', path)).status).toBe(404);
  });

  it('are changed, and their secret stays valid with the new role', async () => {
    const { panel, owner, create, call, list } = await start();
    const { id, secret } = await create({ name: 'shop', role: 'operator', expiresAt: panel.now() + HOUR });
    await create({ name: 'other' });
    const changes = { name: 'kiosk', role: 'support', expiresAt: 0, addresses: ['127.0.0.0/8'] };
    const update = async (body: object) => (await owner.post(`/panel/api/tokens/update/${id}`, body)).json;
    panel.appended();
    expect(await update(changes)).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([
      {
        ...{ type: 'TokenChanged', meta: { actor: { kind: 'user', name: 'admin' } } },
        data: { token: id, label: { name: 'kiosk' }, role: 'support', admin: null, expiresAt: 0, inbounds: [] },
      },
    ]);
    expect((await list())[0]).toMatchObject({ id, name: 'kiosk', role: 'support', addresses: ['127.0.0.0/8'] });
    panel.later(2 * HOUR);
    expect((await call(secret, 'GET', '/panel/api/clients/page')).status).toBe(200);
    expect((await call(secret, 'POST', '/panel/api/inbounds/del/1')).status).toBe(403);
    panel.appended();
    expect(await update(changes)).toMatchObject({ success: true });
    expect(await update({ ...changes, name: 'other' })).toMatchObject({ code: 'TOKEN_INVALID' });
    expect(await update({ ...changes, role: 'reseller', inbounds: [1] })).toMatchObject({ code: 'TOKEN_INVALID' });
    expect(await update({ ...changes, role: 'captain' })).toMatchObject({ code: 'ROLE_NOT_FOUND' });
    expect(await update({ ...changes, expiresAt: 1 })).toMatchObject({ code: 'TOKEN_INVALID' });
    expect((await owner.post('/panel/api/tokens/update/9', changes)).json).toMatchObject({ code: 'TOKEN_NOT_FOUND' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('are rotated with an overlap', async () => {
    const { panel, owner, create, call, list } = await start();
    const path = '/panel/api/clients/page';
    const { id, secret } = await create({});
    const rotated = (await owner.post(`/panel/api/tokens/rotate/${id}`, { overlapHours: 2 })).json
      ?.obj as typeof secret & {
      secret: string;
    };
    expect(panel.appended()).toMatchObject([{ type: 'TokenRotated', data: { token: id } }]);
    expect(await list()).toMatchObject([{ prefix: rotated.secret.slice(0, 12) }]);
    expect([(await call(secret, 'GET', path)).status, (await call(rotated.secret, 'GET', path)).status]).toStrictEqual([
      200, 200,
    ]);
    panel.later(2 * HOUR);
    expect([(await call(secret, 'GET', path)).status, (await call(rotated.secret, 'GET', path)).status]).toStrictEqual([
      404, 200,
    ]);
    expect(await list()).toMatchObject([{ previousUntil: null }]);
  });

  it('show their last use; the log has one event a day, and one an hour for another address', async () => {
    const { panel, create, call, list } = await start();
    const { secret } = await create({});
    const from = panel.log.head().position;
    const use = (ip = '198.51.100.1') =>
      call(secret, 'GET', '/panel/api/clients/page', undefined, { 'x-forwarded-for': ip });
    for (let i = 0; i < 5; i += 1) await use();
    await use('198.51.100.2');
    expect(await list()).toMatchObject([{ usedFrom: '198.51.100.2' }]);
    panel.later(HOUR);
    await use('198.51.100.2');
    panel.later(23 * HOUR);
    await use('198.51.100.2');
    panel.later(HOUR);
    await use('198.51.100.2');
    const uses = panel.log.read(from, 100).filter(({ type }) => type === 'TokenUsed');
    expect(uses.map(({ data, meta }) => [(data as { requests: number }).requests, meta.actor.ip])).toStrictEqual([
      [1, '198.51.100.1'],
      [6, '198.51.100.2'],
      [2, '198.51.100.2'],
    ]);
  });

  it('are not created twice by a repeated request, and the secret is not shown again after a restart', async () => {
    const { panel, owner, list } = await start();
    const body = { name: 'once', role: 'support' };
    const key = { 'idempotency-key': 'one' };
    const first = await owner.post('/panel/api/tokens/add', body, key);
    expect((await owner.post('/panel/api/tokens/add', body, key)).json).toStrictEqual(first.json);
    await panel.restart();
    const later = await panel.browser().login();
    expect((await later.post('/panel/api/tokens/add', body, key)).json).toMatchObject({ code: 'TOKEN_SHOWN' });
    expect(await later.get('/panel/api/tokens/list').then(({ json }) => json?.obj)).toHaveLength(1);
    expect(list).toBeDefined();
  });

  it('cannot create tokens or admins, nor switch the API token on, even with the role of owners', async () => {
    const { create, call } = await start();
    const { secret } = await create({ role: 'owner' });
    const token = await call(secret, 'POST', '/panel/api/tokens/add', { name: 'more', role: 'owner' });
    expect([token.status, token.json]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    const admin = { username: 'x', password: 'long enough' };
    expect((await call(secret, 'POST', '/panel/api/admins/add', admin)).status).toBe(403);
    const setting = await call(secret, 'POST', '/panel/api/setting/update', { apiTokenEnable: false });
    expect(setting.json).toMatchObject({ success: false, code: 'SETTING_INVALID' });
    expect((await call(secret, 'POST', '/panel/api/setting/update', { pageSize: 30 })).json).toMatchObject({
      success: true,
    });
  });

  it('scrape the metrics', async () => {
    const { create, call } = await start();
    const { secret } = await create({ role: 'metrics' });
    const { status, headers, text } = await call(secret, 'GET', '/panel/api/metrics');
    expect([status, headers.get('content-type')]).toStrictEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('portolan_log_position');
    expect((await call(secret, 'GET', '/panel/api/clients/page')).status).toBe(403);
  });

  it('read the event feed with the role of auditors', async () => {
    const { create, call } = await start();
    const { secret } = await create({ role: 'auditor' });
    const feed = (await call(secret, 'GET', '/panel/api/events?types=TokenCreated')).json?.obj as { events: object[] };
    expect(feed.events).toMatchObject([
      { type: 'TokenCreated', actor: { kind: 'user', role: 'owner' }, data: { token: 1 } },
    ]);
    expect(JSON.stringify(feed)).not.toContain(hashOfSecret(secret));
    const reseller = await create({ name: 'r', role: 'reseller', inbounds: [1], admin: 2 });
    const own = await call(reseller.secret, 'GET', '/panel/api/events');
    expect([own.status, own.json?.obj]).toMatchObject([200, { events: [] }]);
  });
});

describe('the WebSocket', () => {
  const open = (origin: string, secret: string) =>
    new WebSocket(`${origin.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${secret}` } });

  it('opens for an access token, sends what its role covers, and closes when it is revoked', async () => {
    const { panel, create, owner } = await start();
    const { id, secret } = await create({ role: 'reseller', inbounds: [1], admin: 2 });
    const socket = open(panel.origin, secret);
    const received: string[] = [];
    socket.on('message', (data) => received.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    panel.given({ type: 'AddClients', data: { inbound: two, clients: [draft('foreign', 1)] } });
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('mine', 2)] } });
    panel.given({ type: 'HandOverClients', data: { clients: [2 as never], owner: userId(2) } });
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'mine', up: 1, down: 2 } });
    await until('a message on inbounds', () => received.some((text) => text.includes('"resource":"inbounds"')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await owner.post(`/panel/api/tokens/revoke/${id}`);
    expect(await closed).toBe(1008);
  });

  it('does not open for the API token or an unknown one', async () => {
    const { panel, owner } = await start();
    const api = String((await owner.get('/panel/setting/getApiToken')).json?.obj);
    for (const secret of [api, 'ptl_unknown']) {
      const status = await new Promise((resolve) =>
        open(panel.origin, secret)
          .once('unexpected-response', (_, response) => resolve(response.statusCode))
          .once('error', () => undefined),
      );
      expect(status).toBe(401);
    }
  });
});

describe('the API token', () => {
  it('can be switched off and on again', async () => {
    const { owner, call } = await start();
    const api = String((await owner.get('/panel/setting/getApiToken')).json?.obj);
    const status = async () => (await call(api, 'GET', '/panel/api/inbounds/list')).status;
    expect(await status()).toBe(200);
    await owner.post('/panel/setting/update', { apiTokenEnable: false });
    expect(await status()).toBe(404);
    await owner.post('/panel/setting/update', { apiTokenEnable: true });
    expect(await status()).toBe(200);
  });
});
