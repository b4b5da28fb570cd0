import { beforeEach, describe, expect, it } from 'vitest';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { clientHandlers } from '../../../../src/http/panel/handlers/clients/clients.js';
import { inboundHandlers } from '../../../../src/http/panel/handlers/inbounds/inbounds.js';
import { NOW, startPanel } from './panel.js';

const uuid = (n: number): string => `b831381d-6324-4d53-ad4f-${String(n).padStart(12, '0')}`;

let panel: ReturnType<typeof startPanel>;
const call = (name: keyof typeof tables.clients, params: object = {}, body?: unknown) =>
  panel.call(tables.clients, clientHandlers, name, { params, body });
const addInbound = (body: object) => panel.call(tables.inbounds, inboundHandlers, 'add', { body });
const addClient = (id: number, ...clients: object[]) =>
  call('addClient', {}, { id, settings: JSON.stringify({ clients }) });
const traffic = async (email: string) => (await call('getClientTraffics', { email })).obj as Record<string, unknown>;
const wire = async (id: number, email: string) => {
  const { obj } = await panel.call(tables.inbounds, inboundHandlers, 'get', { params: { id: String(id) } });
  const { clients } = JSON.parse((obj as { settings: string }).settings) as { clients: Record<string, unknown>[] };
  return clients.find((client) => client['email'] === email);
};
const used = (email: string, up: number, down: number) =>
  panel.dispatch({
    type: 'RecordTraffic',
    data: {
      run: 'r',
      clients: [[panel.read.clients.firstByEmail(email)?.number ?? 0, up, down]],
      inbounds: [],
      outbounds: [],
    },
  });

beforeEach(async () => {
  panel = startPanel();
  await addInbound({
    port: 443,
    protocol: 'vless',
    settings: '{"decryption":"none"}',
    streamSettings: '{"network":"tcp"}',
  });
  await addInbound({ port: 444, protocol: 'trojan' });
  await addInbound({
    port: 445,
    protocol: 'shadowsocks',
    settings: { method: '2022-blake3-aes-128-gcm', password: 'AAAAAAAAAAAAAAAAAAAAAA==' },
  });
});

describe('addClient', () => {
  it('adds several clients in one request, with defaults for omitted members', async () => {
    expect(
      await addClient(1, { id: uuid(1), email: 'a' }, { id: uuid(2), email: 'b', enable: false, alterId: 0 }),
    ).toStrictEqual({
      success: true,
      msg: 'Inbound client(s) have been added.',
      obj: null,
    });
    expect(await wire(1, 'a')).toMatchObject({ enable: true, created_at: NOW });
    expect(await wire(1, 'b')).toMatchObject({ enable: false, alterId: 0 });
  });

  it('accepts a form', async () => {
    const form = { id: '2', settings: '{"clients":[{"password":"pw","email":"t"}]}' };
    expect((await call('addClient', {}, form)).success).toBe(true);
    expect(await wire(2, 't')).toMatchObject({ password: 'pw' });
  });

  it.each([
    [{ id: 1 }, 'settings: is missing'],
    [{ settings: '{}' }, 'id: is missing'],
    [{ id: 1, settings: '{}' }, 'The request contains no clients'],
    [{ id: 9, settings: '{}' }, 'Inbound 9 not found'],
    [{ id: 1, settings: '{"clients":[{"email":"a"}]}' }, 'Client a: empty client ID'],
    [
      { id: 3, settings: '{"clients":[{"email":"a","password":"short"}]}' },
      'Client a: the password must be 16 bytes in base64 for 2022-blake3-aes-128-gcm',
    ],
  ])('rejects %j', async (body, msg) => {
    expect(await call('addClient', {}, body)).toStrictEqual({ success: false, msg, obj: null });
  });
});

describe('updateClient', () => {
  beforeEach(() => addClient(1, { id: uuid(1), email: 'a', totalGB: 9, subId: 's' }, { id: uuid(2), email: 'b' }));
  const update = (clientId: string, ...clients: object[]) =>
    call('updateClient', { clientId }, { id: 1, settings: JSON.stringify({ clients }) });

  it('replaces the members in the body and keeps the others', async () => {
    expect(await update(uuid(1), { email: 'a', limitIp: 3 })).toMatchObject({
      success: true,
      msg: 'Inbound client has been updated.',
    });
    expect(await wire(1, 'a')).toMatchObject({ id: uuid(1), totalGB: 9, limitIp: 3, subId: 's' });
  });

  it('finds the client of the path if the body has all clients', async () => {
    await update(uuid(2), { id: uuid(1), email: 'a', comment: 'x' }, { id: uuid(2), email: 'b', comment: 'y' });
    expect(await wire(1, 'a')).toMatchObject({ comment: '' });
    expect(await wire(1, 'b')).toMatchObject({ comment: 'y' });
  });

  it('rejects an unknown client and an empty list', async () => {
    expect((await update(uuid(7), { id: uuid(7), email: 'z' })).msg).toBe(`Client ${uuid(7)} not found in inbound 1`);
    expect((await update(uuid(1))).msg).toBe('The request contains no clients');
  });

  it('finds the client of a trojan inbound by its password', async () => {
    await addClient(2, { password: 'pw', email: 't' });
    const answer = await call(
      'updateClient',
      { clientId: 'pw' },
      { id: 2, settings: { clients: [{ password: 'new', email: 't' }] } },
    );
    expect(answer.success).toBe(true);
    expect(await wire(2, 't')).toMatchObject({ password: 'new' });
  });
});

describe('counters', () => {
  beforeEach(() => addClient(1, { id: uuid(1), email: 'a', totalGB: 100, subId: 's' }));

  it('are returned by email, by UUID and by subscription', async () => {
    used('a', 10, 20);
    const row = {
      id: 1,
      inboundId: 1,
      enable: true,
      email: 'a',
      uuid: uuid(1),
      subId: 's',
      up: 10,
      down: 20,
      allTime: 30,
    };
    expect(await traffic('A')).toStrictEqual({ ...row, expiryTime: 0, total: 100, reset: 0, lastOnline: NOW });
    expect((await call('getClientTrafficsById', { id: uuid(1) })).obj).toMatchObject(row);
    expect((await call('getClientTrafficsById', { id: 's' })).obj).toMatchObject(row);
    expect((await call('getClientTraffics', { email: 'x' })).success).toBe(false);
    expect((await call('getClientTrafficsById', { id: 'x' })).success).toBe(false);
  });

  it('have the format of 3x-ui in its dialect', async () => {
    panel.dispatch({ type: 'ChangeSettings', data: { changes: { apiDialect: '3x-ui' } } });
    used('a', 10, 20);
    expect((await call('getClientTrafficsById', { id: uuid(1) })).obj).toMatchObject([{ email: 'a' }]);
    expect((await call('getClientTrafficsById', { id: 'x' })).obj).toStrictEqual([]);
    expect((await call('lastOnline')).obj).toStrictEqual({ a: NOW });
  });

  it('can be set by an admin, which disconnects the client, and be reset', async () => {
    expect((await call('updateClientTraffic', { email: 'a' }, { upload: 60, download: 50 })).success).toBe(true);
    expect(await traffic('a')).toMatchObject({ up: 60, down: 50, enable: false });
    expect((await call('updateClientTraffic', { email: 'a' }, { upload: -1 })).msg).toBe(
      'upload: must not be negative',
    );
    for (const wrong of [null, '', '7', 1.5, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, true, [], {}])
      for (const field of ['upload', 'download'])
        expect(
          (await call('updateClientTraffic', { email: 'a' }, { upload: 1, download: 1, [field]: wrong })).msg,
        ).toBe(`${field}: ${wrong === 2 ** 53 ? `must be 0 to ${Number.MAX_SAFE_INTEGER}` : 'must be a whole number'}`);
    expect(await traffic('a')).toMatchObject({ up: 60, down: 50 });
    const most = Number.MAX_SAFE_INTEGER;
    expect((await call('updateClientTraffic', { email: 'a' }, { upload: most, download: most })).success).toBe(false);
    expect((await call('resetClientTraffic', { id: '1', email: 'a' })).msg).toBe('Traffic has been reset.');
    expect(await traffic('a')).toMatchObject({ up: 0, down: 0, enable: true });
    expect((await call('resetClientTraffic', { id: '2', email: 'a' })).success).toBe(false);
    expect((await call('resetAllClientTraffics', { id: '-1' })).success).toBe(true);
  });

  it('are deleted together with depleted clients', async () => {
    await addClient(1, { id: uuid(2), email: 'b' });
    used('a', 200, 0);
    expect((await call('delDepletedClients', { id: '2' })).success).toBe(true);
    expect(await traffic('a')).toMatchObject({ enable: false });
    expect((await call('delDepletedClients', { id: '-1' })).msg).toBe('All depleted clients have been deleted.');
    expect((await call('getClientTraffics', { email: 'a' })).success).toBe(false);
    expect(await traffic('b')).toMatchObject({ enable: true });
  });

  it('include the online clients, and when each client was last online', async () => {
    await addClient(1, { id: uuid(2), email: 'b' });
    used('a', 1, 0);
    expect((await call('onlines')).obj).toStrictEqual(['a']);
    expect((await call('lastOnline')).obj).toStrictEqual([
      { email: 'a', lastOnline: NOW / 1000 },
      { email: 'b', lastOnline: 0 },
    ]);
  });
});

it('addresses are strings with their time, and can be cleared', async () => {
  await addClient(1, { id: uuid(1), email: 'a' });
  expect((await call('clientIps', { email: 'a' })).obj).toStrictEqual([]);
  expect((await call('clientIps', { email: 'nobody' })).obj).toStrictEqual([]);
  panel.dispatch({ type: 'RecordClientIps', data: { seen: [{ client: 1, ips: [{ ip: '1.2.3.4', seenAt: NOW }] }] } });
  expect((await call('clientIps', { email: 'a' })).obj).toStrictEqual([
    expect.stringMatching(/^1\.2\.3\.4 \(2026-08-\d\d \d\d:00:00\)$/),
  ]);
  expect((await call('clearClientIps', { email: 'a' })).msg).toBe('The IP log has been cleared.');
  expect((await call('clientIps', { email: 'a' })).obj).toStrictEqual([]);
});

describe('copyClients', () => {
  beforeEach(() =>
    addClient(
      1,
      { id: uuid(1), email: 'a', totalGB: 5, subId: 's', flow: 'xtls-rprx-vision' },
      { id: uuid(2), email: 'b' },
    ),
  );
  const copy = (id: number, body: object) => call('copyClients', { id: String(id) }, { sourceInboundId: 1, ...body });

  it('creates unused emails and valid credentials', async () => {
    expect((await copy(2, {})).obj).toStrictEqual({ added: ['a_2', 'b_2'], skipped: [], errors: [] });
    expect(await wire(2, 'a_2')).toMatchObject({
      password: expect.stringMatching(/^[0-9a-f]{32}$/),
      totalGB: 5,
      subId: 's',
      flow: '',
    });
    expect((await copy(2, { clientEmails: ['A', 'nobody'] })).obj).toStrictEqual({
      added: ['a_2_1'],
      skipped: ['nobody'],
      errors: [],
    });
    expect((await copy(3, { clientEmails: ['a'] })).obj).toMatchObject({ added: ['a_3'] });
    expect(Buffer.from(String((await wire(3, 'a_3'))?.['password']), 'base64')).toHaveLength(16);
  });

  it('keeps the flow, or uses the requested one', async () => {
    await addInbound({ port: 446, protocol: 'vless' });
    await copy(4, { clientEmails: ['a'] });
    expect(await wire(4, 'a_4')).toMatchObject({ flow: 'xtls-rprx-vision' });
    await copy(4, { clientEmails: ['b'], flow: 'xtls-rprx-vision-udp443' });
    expect(await wire(4, 'b_4')).toMatchObject({ flow: 'xtls-rprx-vision-udp443' });
  });

  it('rejects the same inbound and an unknown inbound', async () => {
    expect((await copy(1, {})).msg).toBe('Source and target inbounds must be different');
    expect((await copy(9, {})).msg).toBe('Inbound 9 not found');
    expect((await copy(2, { sourceInboundId: 9 })).msg).toBe('Inbound 9 not found');
    expect((await copy(1, { sourceInboundId: 3 })).obj).toStrictEqual({ added: [], skipped: [], errors: [] });
  });
});

it('a client is deleted by key and by email', async () => {
  await addClient(1, { id: uuid(1), email: 'a' }, { id: uuid(2), email: 'b' });
  expect((await call('delClient', { id: '1', clientId: uuid(1) })).msg).toBe('Inbound client has been deleted.');
  expect((await call('delClientByEmail', { id: '1', email: 'b' })).msg).toBe('Client deleted successfully');
  expect((await call('delClientByEmail', { id: '1', email: 'b' })).success).toBe(false);
});

describe('links', () => {
  beforeEach(async () => {
    await addClient(2, { password: 'pw', email: 't', subId: 's' });
    await addClient(
      1,
      { id: uuid(1), email: 'a', subId: 's' },
      { id: uuid(2), email: 'off', subId: 's', enable: false },
    );
  });
  const links = async (subId: string) => (await call('getSubLinks', { subId })).obj as string[];

  it('of a subscription are sorted by inbound and omit clients that may not connect', async () => {
    const [first, second, ...more] = await links('s');
    expect(first).toMatch(new RegExp(`^vless://${uuid(1)}@panel.example:443`));
    expect(second).toMatch(/^trojan:\/\/pw@panel.example:444/);
    expect(more).toStrictEqual([]);
    expect(await links('unknown')).toStrictEqual([]);
  });

  it('of one client are returned even if it may not connect', async () => {
    const of = async (id: string, email: string) => (await call('getClientLinks', { id, email })).obj;
    expect(await of('1', 'off')).toHaveLength(1);
    expect(await of('2', 'off')).toStrictEqual([]);
    expect(await of('1', 'nobody')).toStrictEqual([]);
  });
});
