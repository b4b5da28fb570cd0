import { describe, expect, it } from 'vitest';
import { draft, one } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const authorization = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const API = '/panel/api';

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const send = async (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    panel.call('POST', API + path, { headers: { ...authorization, ...headers }, body: JSON.stringify(body) });
  await send('/inbounds/add', {
    ...{ enable: true, protocol: 'vless', streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{}' },
    ...{ settings: '{"clients":[],"decryption":"none"}', remark: 'home', port: 4433 },
  });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1)] } });
  await send('/nodes/add', {
    ...{ name: 'far', scheme: 'https', address: '192.0.2.7', port: 2053, basePath: '/', apiToken: 'a'.repeat(32) },
  });
  const etag = async (path: string, method = 'GET'): Promise<string> =>
    (await panel.call(method, API + path, { headers: authorization })).headers.get('etag') ?? '';
  return { panel, send, etag };
}

/** For each document: where its version is answered, and two requests that change it. */
const DOCUMENTS = [
  ['inbound-1', '/inbounds/get/1', '/inbounds/update/1', { remark: 'first' }, { remark: 'second' }],
  ['inbound-1', '/inbounds/overview/1', '/inbounds/setEnable/1', { enable: false }, { enable: true }],
  [
    'client-1',
    '/clients/ann/details',
    '/clients/change',
    { clients: [1], action: 'disable' },
    { clients: [1], action: 'enable' },
  ],
  ['node-1', '/nodes/get/1', '/nodes/setEnable/1', { enable: false }, { enable: true }],
  ['settings', '/setting/all', '/setting/update', { pageSize: 17 }, { pageSize: 18 }],
  [
    'core',
    '/xray/',
    '/xray/update',
    { outboundTestUrl: 'http://192.0.2.1/a' },
    { outboundTestUrl: 'http://192.0.2.1/b' },
  ],
] as const;

describe('a request with an expected version', () => {
  it.each(DOCUMENTS)(
    'of %s is carried out once; after that the version is stale',
    async (name, place, path, first, second) => {
      const { panel, send, etag } = await start();
      const method = place === '/setting/all' || place === '/xray/' ? 'POST' : 'GET';
      const tag = await etag(place, method);
      expect(tag).toMatch(new RegExp(`^"${name}@\\d+-[0-9a-f]{20}"$`));
      const done = await send(path, first, { 'if-match': tag });
      expect([done.status, done.json?.success], done.text).toStrictEqual([200, true]);
      const events = panel.appended();
      expect(events.length).toBeGreaterThan(0);

      const late = await send(path, second, { 'if-match': tag });
      expect(panel.appended()).toStrictEqual([]);
      const current = await etag(place, method);
      expect(late.status).toBe(412);
      expect(late.json).toMatchObject({ success: false, code: 'VERSION_STALE' });
      const stale = late.json?.obj as {
        expected: string;
        current: string;
        changes: { position: number; by: string }[];
      };
      expect([`"${stale.expected}"`, `"${stale.current}"`]).toStrictEqual([tag, current]);
      expect(stale.changes.map(({ position }) => position)).toContain(events.at(-1)?.position);
      expect(stale.changes.every(({ by }) => by.length > 0)).toBe(true);

      const again = await send(`${path}?expectedVersion=${stale.current}`, second);
      expect([again.status, again.json?.success], again.text).toStrictEqual([200, true]);
    },
  );

  it('says what a change of many clients has changed of one', async () => {
    const { panel, send, etag } = await start();
    const others = Array.from({ length: 8 }, (_, i) => draft(`client-${i}`, 2 + i));
    panel.given({ type: 'AddClients', data: { inbound: one, clients: others } });
    const tag = await etag('/clients/ann/details');
    const clients = Array.from({ length: 9 }, (_, i) => 1 + i);
    await send('/clients/change', { clients, action: 'disable' });
    expect(panel.appended().map(({ type }) => type)).toContain('ClientsUpdated');
    const late = await send('/clients/change', { clients: [1], action: 'enable' }, { 'if-match': tag });
    expect(late.status).toBe(412);
    expect((late.json?.obj as { changes: object[] } | undefined)?.changes).toMatchObject([
      { type: 'ClientUpdated', before: true, after: false },
    ]);
  });

  it('says what has changed, by field, and who changed it', async () => {
    const { send, etag } = await start();
    const tag = await etag('/inbounds/get/1');
    await send('/inbounds/update/1', { remark: 'renamed' });
    const { json } = await send('/inbounds/del/1', {}, { 'if-match': tag });
    expect((json?.obj as { changes: object[] } | undefined)?.changes).toMatchObject([
      {
        type: 'InboundUpdated',
        field: 'remark',
        before: 'home',
        after: 'renamed',
        secret: false,
        by: 'token API token',
      },
    ]);
  });

  it('is not stale after traffic, or when a change was taken back', async () => {
    const { panel, send, etag } = await start();
    const tag = await etag('/clients/ann/details');
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 5, down: 6 } });
    await send('/clients/change', { clients: [1], action: 'disable' });
    await send('/clients/change', { clients: [1], action: 'enable' });
    const done = await send('/inbounds/1/delClientByEmail/ann', {}, { 'if-match': tag });
    expect([done.status, done.json?.success]).toStrictEqual([200, true]);
  });

  it('of a deleted document is stale and has no current version', async () => {
    const { send, etag } = await start();
    const tag = await etag('/nodes/get/1');
    await send('/nodes/del/1');
    const { status, json } = await send('/nodes/setEnable/1', { enable: false }, { 'if-match': tag });
    expect([status, json?.obj]).toMatchObject([412, { current: null, changes: [] }]);
  });

  it('checks every document that it names', async () => {
    const { panel, send, etag } = await start();
    const tags = [await etag('/nodes/get/1'), await etag('/inbounds/get/1')];
    await send('/inbounds/setEnable/1', { enable: false });
    expect((await send('/nodes/setEnable/1', { enable: false }, { 'if-match': tags.join(', ') })).status).toBe(412);
    expect(panel.appended()).toStrictEqual([]);
    expect((await send('/nodes/setEnable/1', { enable: false }, { 'if-match': `${tags[0]}` })).status).toBe(200);
  });

  it('is repeated with its Idempotency-Key: its own effect does not make it stale', async () => {
    const { panel, send, etag } = await start();
    const headers = { 'if-match': await etag('/inbounds/get/1'), 'idempotency-key': 'k' };
    const first = await send('/inbounds/setEnable/1', { enable: false }, headers);
    await panel.restart();
    const second = await send('/inbounds/setEnable/1', { enable: false }, headers);
    expect([second.status, second.json]).toStrictEqual([200, first.json]);
    expect(second.headers.get('x-portolan-position')).toBe(first.headers.get('x-portolan-position'));
  });

  it('is refused with 400 when it is malformed', async () => {
    const { panel, send } = await start();
    const { status, json } = await send('/inbounds/del/1', {}, { 'if-match': '"33a64df5"' });
    expect([status, json]).toMatchObject([400, { success: false, code: 'VERSION_INVALID' }]);
    expect(json?.msg).toContain('33a64df5');
    expect((await send('/inbounds/del/1?expectedVersion=7')).status).toBe(400);
    expect(panel.appended()).toStrictEqual([]);
  });
});

describe('the receipt of a change', () => {
  it('has the position and the hash of its last event', async () => {
    const { panel, send } = await start();
    const { headers } = await send('/inbounds/del/1');
    const { position, hash } = panel.log.head();
    expect([headers.get('x-portolan-position'), headers.get('x-portolan-hash')]).toStrictEqual([
      String(position),
      hash,
    ]);
  });

  it('is missing when nothing was changed', async () => {
    const { panel, send } = await start();
    const answers = [await send('/inbounds/setEnable/1', { enable: true }), await send('/inbounds/del/9')];
    answers.push(await send('/inbounds/del/1?dryRun=true'));
    answers.push(await panel.call('GET', `${API}/inbounds/get/1`, { headers: authorization }));
    for (const { headers } of answers) expect(headers.has('x-portolan-position')).toBe(false);
  });
});
