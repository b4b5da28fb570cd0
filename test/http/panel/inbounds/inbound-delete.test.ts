import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { one, userId } from '../../../kit/builders.js';
import { freePort } from '../../../kit/real/ports.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const PATH = '/panel/api/inbounds';

type Envelope = { success: boolean; code?: string; obj: unknown };
interface Inbound {
  readonly id: number;
  readonly settings: string;
  readonly clientStats: readonly object[];
}

/** An inbound with traffic and two clients; the email of the second one is in another inbound too. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const post = async (path: string, body: object = {}): Promise<Envelope> => {
    const { json } = await panel.call('POST', `${PATH}/${path}`, { headers, body: JSON.stringify(body) });
    return json as Envelope;
  };
  const remove = async (id: number): Promise<number> =>
    ((await post(`delete/${id}`)).obj as { position: number }).position;
  const undo = async (position: number): Promise<Envelope> => {
    const { json } = await panel.call('POST', `/panel/api/events/${position}/undo`, { headers, body: '{}' });
    return json as Envelope;
  };
  const get = async (id: number): Promise<Inbound> => {
    const { json } = await panel.call('GET', `${PATH}/get/${id}`, { headers });
    return json?.obj as Inbound;
  };
  const client = (email: string, n: number) => ({
    ...{ email, id: `7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a1${n}`, subId: email, totalGB: n === 0 ? 10 : 0, enable: true },
  });
  const add = async (remark: string, clients: object[]) => {
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const inbound = { enable: true, protocol: 'vless', remark, listen: '127.0.0.1', trafficReset: 'monthly' };
    const body = { ...inbound, port: await freePort(), settings, streamSettings: '{"network":"tcp"}' };
    expect(await post('add', body)).toMatchObject({ success: true });
  };
  await add('home', [client('ann', 0), client('bob', 1)]);
  await add('away', [client('bob', 1)]);
  const inbounds = [[1, 30, 40]] as [number, number, number][];
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 7, down: 8 } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'bob', up: 1, down: 2 } });
  panel.given({ type: 'RecordTraffic', data: { run: '', clients: [], inbounds, outbounds: [] } });
  const since = () => panel.appended().map(({ type }) => type);
  since();
  return { panel, post, remove, undo, get, since };
}

describe('a deleted inbound', () => {
  it('comes back with its clients, their credentials, counters and limits, in one append', async () => {
    const { remove, undo, get, since, panel } = await start();
    const before = await get(1);
    const position = await remove(1);
    expect(since()).toStrictEqual(['ClientTrafficTransferred', 'ClientDeleted', 'ClientDeleted', 'InboundDeleted']);

    expect(await undo(position)).toMatchObject({ success: true, code: 'undo.done', obj: { obstacles: [] } });
    expect(since()).toContain('CommandUndone');
    const after = await get(3);
    const { id: _id, settings: _settings, clientStats: _stats, ...rest } = before;
    expect(after).toMatchObject(rest);
    const times = /"(created_at|updated_at)": \d+/g;
    expect(after.settings.replace(times, '')).toBe(before.settings.replace(times, ''));
    expect(after.clientStats).toMatchObject([
      { email: 'ann', up: 7, down: 8, enable: false },
      { email: 'bob', up: 1, down: 2, enable: true },
    ]);
    expect(panel.read.clients.byEmail('bob')).toHaveLength(2);
  });

  it('comes back to the admins and tokens that it was given to', async () => {
    const { remove, undo, panel } = await start();
    const grants = [{ permission: 'clients:read', scope: 'inbounds' }] as const;
    panel.given({ type: 'DefineRole', data: { role: 'scoped', grants } });
    const access = { role: 'scoped', inbounds: [one], quotas: NO_QUOTAS };
    panel.given({ type: 'CreateUser', data: { username: 'ida', passwordHash: 'x', access } });
    await undo(await remove(1));
    expect(panel.read.admins.accessOf(userId(2)).inbounds).toContain(3);
  });

  it('stays enabled or disabled as an admin set it', async () => {
    const { post, remove, undo, get } = await start();
    await post('setEnable/1', { enable: false });
    await undo(await remove(1));
    expect(await get(3)).toMatchObject({ enable: false });
  });

  it('does not come back where another inbound has its port, and nothing is appended', async () => {
    const { post, remove, undo, get, since } = await start();
    const inbound = await get(1);
    const position = await remove(1);
    expect(await post('add', { ...inbound, tag: '', settings: '{"decryption":"none"}' })).toMatchObject({
      success: true,
    });
    since();
    expect(await undo(position)).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
    expect(since()).toStrictEqual([]);
  });

  it('is known', async () => {
    const { post, since } = await start();
    expect(await post('delete/9')).toMatchObject({ code: 'INBOUND_NOT_FOUND' });
    expect(since()).toStrictEqual([]);
  });
});

describe('two admins with one client', () => {
  const details = async ({ panel }: Awaited<ReturnType<typeof start>>) => {
    const { json } = await panel.call('GET', '/panel/api/clients/ann/details', { headers });
    const found = (json?.obj ?? []) as { version: string; client: { id: string } }[];
    return found[0] ?? { version: '', client: { id: '' } };
  };

  it('refuses the later one, with the current state, and appends nothing', async () => {
    const setting = await start();
    const { post, since } = setting;
    const { version, client } = await details(setting);
    const save = (changes: object, expectedVersion?: string) =>
      post(`updateClient/${client.id}`, {
        ...{ id: 1, expectedVersion },
        settings: JSON.stringify({ clients: [{ email: 'ann', ...changes }] }),
      });
    expect(await save({ comment: 'first' }, version)).toMatchObject({ success: true });
    expect(since()).toStrictEqual(['ClientIdentityChanged']);
    const current = { version: (await details(setting)).version, client: { comment: 'first' } };
    expect(await save({ limitIp: 3 }, version)).toMatchObject({ code: 'CLIENT_CHANGED', obj: { current } });
    expect(since()).toStrictEqual([]);
    expect(await save({ limitIp: 3 }, current.version)).toMatchObject({ success: true });
    expect(since()).toStrictEqual(['ClientUpdated']);
    expect(await save({ comment: 'last' })).toMatchObject({ success: true });
    expect(since()).toStrictEqual(['ClientIdentityChanged']);
  });

  it('sees no conflict in traffic, or in a change that was taken back', async () => {
    const setting = await start();
    const { version } = await details(setting);
    setting.panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 1, down: 1 } });
    expect((await details(setting)).version).toBe(version);
  });
});
