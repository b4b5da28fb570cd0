import { describe, expect, it } from 'vitest';
import { draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const authorization = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const API = '/panel/api';

/** Inbounds 1 and 2, of which the first has the clients ann and bob, and an owner. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'other', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2)] } });
  const send = async (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    panel.call('POST', API + path, { headers: { ...authorization, ...headers }, body: JSON.stringify(body) });
  const etag = async (path: string): Promise<string> =>
    (await panel.call('GET', API + path, { headers: authorization })).headers.get('etag') ?? '';
  panel.appended();
  return { panel, send, etag };
}

const unquoted = (tag: string): string => tag.replaceAll('"', '');

/** For each list with a version: two requests that change it. */
const LISTS = [
  ['admins', '/admins/list', '/admins/access/2', { role: 'auditor' }, { role: 'support' }],
  [
    ...(['roles', '/roles/list', '/roles/save'] as const),
    { name: 'desk', grants: [{ permission: 'logs:read' }] },
    { name: 'desk', grants: [{ permission: 'nodes:read' }] },
  ],
  ['tokens', '/tokens/list', '/tokens/add', { name: 'a', role: 'support' }, { name: 'b', role: 'support' }],
  [
    ...(['webhooks', '/webhooks/list', '/webhooks/add'] as const),
    { name: 'a', url: 'https://a.example/' },
    { name: 'b', url: 'https://b.example/' },
  ],
  ['holds', '/personalData/holds', '/personalData/hold', { email: 'ann', reason: 'a' }, { email: 'bob', reason: 'b' }],
] as const;

describe('the version of a list', () => {
  it.each(LISTS)('of %s is stale after a change', async (name, place, path, first, second) => {
    const { panel, send, etag } = await start();
    const access = { role: 'operator', inbounds: [], quotas: { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 } };
    panel.given({ type: 'CreateUser', data: { username: 'maria', passwordHash: 'hash', access } });
    const tag = await etag(place);
    expect(tag).toMatch(new RegExp(`^"${name}@\\d+-[0-9a-f]{20}"$`));
    const done = await send(path, first, { 'if-match': tag });
    expect([done.status, done.json?.success], done.text).toStrictEqual([200, true]);
    expect(panel.appended().length).toBeGreaterThan(0);
    for (const request of [
      () => send(path, second, { 'if-match': tag }),
      () => send(`${path}?expectedVersion=${unquoted(tag)}`, second),
      () => send(path, { ...second, expectedVersion: unquoted(tag) }),
    ]) {
      const stale = await request();
      expect([stale.status, stale.json], stale.text).toMatchObject([412, { code: 'VERSION_STALE' }]);
      expect(panel.appended()).toStrictEqual([]);
    }
  });
});

describe('an expected version', () => {
  it('in a JSON body counts like one in the query, and is not for the handler', async () => {
    const { panel, send, etag } = await start();
    const cases = [
      ['/inbounds/overview/1', '/inbounds/setEnable/1', { enable: false }],
      ['/inbounds/overview/1', '/inbounds/update/1', { remark: 'renamed' }],
      ['/clients/ann/details', '/clients/change', { action: 'disable', clients: [1] }],
    ] as const;
    for (const [place, path, body] of cases) {
      const expectedVersion = unquoted(await etag(place));
      const done = await send(path, { ...body, expectedVersion });
      expect([done.status, done.json?.success], done.text).toStrictEqual([200, true]);
      expect(panel.appended().length, path).toBeGreaterThan(0);
      const stale = await send(path, { ...body, expectedVersion });
      expect([stale.status, stale.json], stale.text).toMatchObject([412, { code: 'VERSION_STALE' }]);
    }
    expect((await send('/inbounds/setEnable/1', { enable: true, expectedVersion: 'x' })).status).toBe(400);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('of another document alone is refused', async () => {
    const { panel, send, etag } = await start();
    const [ann, second] = [await etag('/clients/ann/details'), await etag('/inbounds/overview/2')];
    for (const tag of [ann, second]) {
      const { status, json } = await send('/inbounds/setEnable/1', { enable: false }, { 'if-match': tag });
      expect([status, json]).toMatchObject([400, { code: 'VERSION_ELSEWHERE' }]);
    }
    expect((await send('/roles/del/desk', {}, { 'if-match': second })).status).toBe(400);
    expect(panel.appended()).toStrictEqual([]);
  });

  it.each([
    ['/inbounds/setEnable/1', { 'if-match': '' }],
    ['/inbounds/setEnable/1?expectedVersion=', {}],
    ['/inbounds/setEnable/1', { 'if-match': '"a", "b"' }],
  ])('is refused when it is empty or names nothing: %s %j', async (path, headers) => {
    const { panel, send } = await start();
    const { status, json } = await send(path, { enable: false }, headers);
    expect([status, json]).toMatchObject([400, { code: 'VERSION_INVALID' }]);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('may be any of a list, or any at all', async () => {
    const { panel, send, etag } = await start();
    const old = await etag('/inbounds/overview/1');
    const set = (enable: boolean, tag: string) => send('/inbounds/setEnable/1', { enable }, { 'if-match': tag });
    expect((await set(false, `"abc", ${old}`)).status).toBe(200);
    expect((await set(true, old)).status).toBe(412);
    expect((await set(true, `${old}, ${await etag('/inbounds/overview/1')}`)).status).toBe(200);
    expect((await set(false, '*')).status).toBe(200);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['InboundDisabled']);
  });
});

describe('the version of another client or inbound', () => {
  it('is refused where the request names the one that it changes', async () => {
    const { panel, send, etag } = await start();
    const [ann, bob] = [await etag('/clients/ann/details'), await etag('/clients/bob/details')];
    const [first, second] = [await etag('/inbounds/get/1'), await etag('/inbounds/get/2')];
    const { credential } = draft('ann', 1);
    const settings = JSON.stringify({ clients: [{ id: credential.id, email: 'ann', comment: 'changed' }] });
    const update = `/inbounds/updateClient/${credential.id}`;
    const requests = [
      [update, { id: 1, settings }],
      ['/inbounds/1/delClientByEmail/ann', {}],
      ['/inbounds/updateClientTraffic/ann', { upload: 1, download: 1 }],
      ['/clients/change', { action: 'disable', clients: [1] }],
    ] as const;
    for (const [path, body] of requests) {
      const { status, json } = await send(`${path}?dryRun=true`, body, { 'if-match': bob });
      expect([path, status, json?.success, (json as { code?: string }).code]).toStrictEqual([
        ...[path, 400, false, 'VERSION_ELSEWHERE'],
      ]);
      expect((await send(`${path}?dryRun=true`, body, { 'if-match': ann })).json).toMatchObject({ success: true });
    }
    const body = { id: 1, settings };
    expect((await send(update, body, { 'if-match': second })).json).toMatchObject({ code: 'VERSION_ELSEWHERE' });
    expect((await send(update, { ...body, expectedVersion: unquoted(bob) })).json).toMatchObject({
      code: 'VERSION_ELSEWHERE',
    });
    // The short version of the form of another client matches nothing.
    const short = async (email: string) => {
      const { json } = await panel.call('GET', `${API}/clients/${email}/details`, { headers: authorization });
      const [found] = (json?.obj ?? []) as readonly { readonly version: string }[];
      return found?.version;
    };
    expect((await send(update, { ...body, expectedVersion: await short('bob') })).json).toMatchObject({
      code: 'CLIENT_CHANGED',
    });
    expect(panel.appended()).toStrictEqual([]);
    expect((await send(update, body, { 'if-match': first })).json).toMatchObject({ success: true });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['ClientIdentityChanged']);
  });
});
