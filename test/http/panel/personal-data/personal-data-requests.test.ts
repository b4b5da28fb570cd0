import { describe, expect, it } from 'vitest';
import { alice, bob, draft, inboundDraft, one, T0, two, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../../kit/samples.js';

const IP = '203.0.113.99';

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [alice, bob] } });
  panel.given({ type: 'RecordClientIps', data: { seen: [{ client: 1, ips: [{ ip: IP, seenAt: T0 }] }] } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'alice', up: 80, down: 5 } });
  const post = async (path: string, body: object = {}) =>
    panel.call('POST', `${API}/personalData${path}`, { headers, body: JSON.stringify(body) });
  const get = async (path: string) => panel.call('GET', `${API}/personalData${path}`, { headers });
  const typesAfter = (position: number) => panel.log.read(position, 100).map(({ type }) => type);
  return { panel, post, get, typesAfter };
}

describe('an export of personal data', () => {
  it('has everything that is known of the client and nothing of others, and is recorded', async () => {
    const { panel, post, typesAfter } = await start();
    const before = panel.log.head().position;
    const { json, text } = await post('/export/alice');
    expect(json?.obj).toMatchObject({
      email: 'alice',
      masked: false,
      accounts: [{ client: 1, inbound: 1, identity: { email: 'alice' }, credential: alice.credential, deletedAt: 0 }],
      addresses: [{ ip: IP, lastSeenAt: T0 }],
      events: [{ type: 'ClientAdded' }, { type: 'ClientIpsSeen' }, { type: 'ClientTrafficAdjusted' }],
      statement: { changed: { up: 80, down: 5 }, closing: { up: 80, down: 5 } },
    });
    expect(text).not.toContain('bob');
    expect(typesAfter(before)).toStrictEqual(['PersonalDataExported']);
    expect(panel.log.read(before, 1)).toMatchObject([{ data: { clients: [1], masked: false, position: before } }]);
  });

  it('masks what gives access, on request', async () => {
    const { post } = await start();
    const { json, text } = await post('/export/alice', { mask: true });
    expect(text).not.toContain(alice.credential.id);
    expect(text).not.toContain(alice.identity.subId);
    expect(json?.obj).toMatchObject({ masked: true, accounts: [{ credential: { id: '••••0001' } }] });
  });

  it('is a text for people, in the language of the caller', async () => {
    const { panel, post } = await start();
    const english = await post('/export/alice', { format: 'text' });
    expect(english.headers.get('content-type')).toContain('text/plain');
    expect(english.text).toContain('Data of alice');
    expect(english.text).toContain(IP);
    expect(english.text).toContain(alice.credential.id);
    const persian = await panel.call('POST', `${API}/personalData/export/alice`, {
      headers: { ...headers, 'accept-language': 'fa' },
      body: JSON.stringify({ format: 'text' }),
    });
    expect(persian.text).toContain('داده‌های');
  });

  it('is refused for an unknown client', async () => {
    const { post } = await start();
    expect((await post('/export/nobody')).json).toMatchObject({ success: false, code: 'CLIENT_NOT_FOUND' });
  });
});

describe('an erasure on request', () => {
  it('leaves a certificate, and nothing that names the client', async () => {
    const { panel, post, get, typesAfter } = await start();
    const before = panel.log.head().position;
    const { json } = await post('/erase/alice', { reason: 'request of 3 March' });
    expect(typesAfter(before)).toStrictEqual([
      ...['ClientDeleted', 'DataKeyDestroyed', 'DataKeyDestroyed', 'PersonalDataErased'],
    ]);
    const position = panel.log.head().position;
    expect(json?.obj).toMatchObject({
      ...{ position, clients: [1], keys: ['client:1/1', 'client:1/addresses'], reason: 'request of 3 March' },
      hash: panel.log.hashAt(position),
    });
    expect(JSON.stringify(panel.log.read(0, 1000))).not.toContain('alice');
    expect((await get(`/certificate/${position}`)).json?.obj).toStrictEqual(json?.obj);
    expect((await get('/certificates')).json?.obj).toStrictEqual([json?.obj]);
    const document = await get(`/certificate/${position}?format=text`);
    expect(document.headers.get('content-disposition')).toContain(`erasure-${position}.txt`);
    expect(document.text).toContain('client:1/addresses');
    expect((await get('/certificate/1')).json).toMatchObject({ code: 'CERTIFICATE_NOT_FOUND' });
    expect((await post('/export/alice')).json).toMatchObject({ code: 'CLIENT_NOT_FOUND' });
  });

  it('reaches a deleted client, by its email as long as that is known', async () => {
    const { panel, post } = await start();
    panel.given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    expect((await post('/export/alice')).json?.obj).toMatchObject({ accounts: [{ client: 1 }] });
    expect((await post('/erase/alice')).json).toMatchObject({ success: true, obj: { clients: [1] } });
    expect((await post('/erase/alice')).json).toMatchObject({ code: 'CLIENT_NOT_FOUND' });
  });

  it('covers all clients of a person: on several inbounds, and deleted ones with the same email, in one request', async () => {
    const { panel, post, typesAfter } = await start();
    const second = inboundDraft({ spec: { port: 8443, tag: 'in-2' } });
    panel.given({ type: 'AddInbound', data: { ...second, owner: userId(1) } });
    // Client 3 is alice on inbound 2; client 1 is deleted, and client 4 has its place.
    const { subId } = alice.identity;
    const also = (n: number) => draft('alice', n, { identity: { subId, comment: `note ${n} of alice` } });
    panel.given({ type: 'AddClients', data: { inbound: two, clients: [also(30)] } });
    panel.given({
      type: 'RecordClientIps',
      data: { seen: [{ client: 3, ips: [{ ip: '203.0.113.98', seenAt: T0 }] }] },
    });
    panel.given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [also(40)] } });
    const exported = (await post('/export/alice', {})).json?.obj as { accounts: { client: number }[] };
    expect(exported.accounts.map(({ client }) => client).sort((a, b) => a - b)).toStrictEqual([3, 4]);
    const before = panel.log.head().position;
    const { json, text } = await post('/erase/alice', { reason: 'request' });
    expect(json, text).toMatchObject({ success: true, obj: { clients: [3, 4, 1] } });
    const types = typesAfter(before);
    expect(types.filter((type) => type === 'ClientDeleted')).toHaveLength(2);
    expect(types.filter((type) => type === 'PersonalDataErased')).toHaveLength(1);
    expect((await post('/erase/alice')).json).toMatchObject({ code: 'CLIENT_NOT_FOUND' });
    const whole = JSON.stringify(panel.log.read(0, 1000));
    for (const secret of ['alice', IP, '203.0.113.98', also(30).credential.id, also(40).credential.id])
      expect(whole, secret).not.toContain(secret);
    // The other person stays.
    expect(whole).toContain('bob');
    expect((await post('/export/alice')).json).toMatchObject({ code: 'CLIENT_NOT_FOUND' });
    expect((await post('/export/bob')).json).toMatchObject({ success: true });
  });

  it('is only shown by a dry run', async () => {
    const { panel, post } = await start();
    const before = panel.log.head().position;
    const { json } = await post('/erase/alice?dryRun=true');
    expect(json).toMatchObject({ success: true });
    expect(panel.log.head().position).toBe(before);
  });
});

describe('a legal hold', () => {
  it('refuses the erasure with a sentence until it is released', async () => {
    const { panel, post, get, typesAfter } = await start();
    const before = panel.log.head().position;
    expect((await post('/hold', { email: 'alice', reason: 'court order' })).json?.obj).toStrictEqual({ id: 1 });
    expect((await get('/holds')).json?.obj).toMatchObject([
      { id: 1, clients: [{ client: 1, email: 'alice' }], reason: 'court order', by: 'API token', from: 0, to: 0 },
    ]);
    expect((await post('/erase/alice')).json).toMatchObject({
      success: false,
      code: 'LEGAL_HOLD',
      msg: expect.stringContaining('Legal hold 1, placed by API token, keeps this data') as string,
    });
    expect((await post('/release/1', { reason: 'closed' })).json).toMatchObject({ success: true });
    expect(typesAfter(before)).toStrictEqual(['LegalHoldPlaced', 'LegalHoldReleased']);
    expect((await post('/release/1')).json).toMatchObject({ code: 'HOLD_NOT_FOUND' });
    expect((await post('/erase/alice')).json).toMatchObject({ success: true });
  });

  it('stays on a client that was deleted, and does not cover another one that is added later with its email', async () => {
    const { panel, post, get } = await start();
    await post('/hold', { email: 'alice', reason: 'court order' });
    panel.given({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('alice', 40)] } });
    expect((await get('/holds')).json?.obj).toMatchObject([{ id: 1, clients: [{ client: 1 }] }]);
    // All that is known under the email would be erased, and a part of it is held.
    for (const body of [{}, { client: 1 }])
      expect((await post('/erase/alice', body)).json).toMatchObject({ success: false, code: 'LEGAL_HOLD' });
    expect((await post('/erase/alice', { client: 3 })).json).toMatchObject({ success: true, obj: { clients: [3] } });
    expect((await post('/export/alice', { client: 1 })).json?.obj).toMatchObject({
      accounts: [{ client: 1, identity: { email: 'alice' }, credential: alice.credential }],
    });
    await post('/release/1', { reason: 'closed' });
    expect((await post('/erase/alice')).json).toMatchObject({ success: true, obj: { clients: [1] } });
  });

  it('covers a period', async () => {
    const { panel, post } = await start();
    const to = panel.now();
    expect((await post('/hold', { from: to - 1000, to, reason: 'audit' })).json?.obj).toStrictEqual({ id: 1 });
    expect((await post('/erase/bob')).json).toMatchObject({ code: 'LEGAL_HOLD' });
  });

  it('belongs to owners; operators export and erase', async () => {
    const { panel } = await start();
    const access = {
      role: 'operator',
      inbounds: [],
      quotas: { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 },
    };
    const { passwordHash = '' } = [...panel.read.admins.users().users.values()][0] ?? {};
    panel.given({ type: 'CreateUser', data: { username: 'olga', passwordHash, access } });
    const browser = panel.browser();
    browser.token = String((await browser.get('/csrf-token')).json?.obj);
    await browser.post('/login', { username: 'olga', password: 'correct horse' });
    const hold = await browser.post(`${API}/personalData/hold`, { email: 'alice', reason: 'x' });
    expect(hold.status).toBe(403);
    expect((await browser.post(`${API}/personalData/export/alice`, {})).json).toMatchObject({ success: true });
    expect((await browser.post(`${API}/personalData/erase/alice`, {})).json).toMatchObject({ success: true });
  });
});
