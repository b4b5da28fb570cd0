import { describe, expect, it } from 'vitest';
import { message } from '../../../../src/messages/message.js';
import { freePort } from '../../../kit/real/ports.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
const PATH = '/panel/api/inbounds';
const STREAM = '{"network":"ws","security":"none","wsSettings":{"path":"/harbour"}}';

type Form = { id: number; version: string; remark: string; enable: boolean; settings: object; clients: number };
type Envelope = { success: boolean; msg: string; code?: string; obj: unknown };

/** One inbound with two clients. */
async function start(parts: NonNullable<Parameters<typeof startPanel>[0]>['parts'] = {}) {
  const panel = await startPanel({ parts });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const post = async (path: string, body: object): Promise<Envelope> => {
    const { json } = await panel.call('POST', `${PATH}/${path}`, { headers, body: JSON.stringify(body) });
    return json as Envelope;
  };
  const get = async <T>(path: string): Promise<T> => {
    const { json } = await panel.call('GET', `${PATH}/${path}`, { headers });
    return json?.obj as T;
  };
  const port = await freePort();
  const clients = ['ann', 'bob'].map((email, n) => ({ email, id: `7f1b1a3e-6c54-4b6e-9d7a-3d2f6d1c9a1${n}` }));
  const vless = {
    ...{ enable: true, protocol: 'vless', remark: 'home', port, listen: '127.0.0.1' },
    settings: JSON.stringify({ clients, decryption: 'none' }),
    streamSettings: STREAM,
  };
  expect((await post('add', vless)).success).toBe(true);
  const form = () => get<Form>('overview/1');
  const update = (body: object) => post('update/1', body);
  const since = () => panel.appended().map(({ type }) => type);
  since();
  return { panel, post, get, form, update, since, vless, port };
}

describe('inbounds without their clients', () => {
  it('have the counts of clients and the stream, but no client', async () => {
    const { get, port } = await start();
    const list = await get<object[]>('overview');
    expect(list).toMatchObject([
      {
        ...{ id: 1, remark: 'home', protocol: 'vless', network: 'ws', security: 'none', port, clients: 2, online: 0 },
        ...{ enable: true, enabled: true, closedBy: '', nodeId: 0 },
      },
    ]);
    expect(JSON.stringify(list)).not.toContain('ann');
    expect(JSON.stringify(await get('overview/1'))).not.toContain('ann');
    expect(await get('overview/1')).toMatchObject({
      settings: { decryption: 'none' },
      streamSettings: { wsSettings: { path: '/harbour' } },
      clients: 2,
    });
  });

  it('say what closed them, and keep what the admin set', async () => {
    const { panel, get, update } = await start();
    await update({ expiryTime: 1 });
    panel.given({ type: 'DepleteExpired', data: {} });
    expect(await get('overview')).toMatchObject([{ enable: false, enabled: true, closedBy: 'expiry' }]);
    expect(await get('overview/1')).toMatchObject({ enable: true });
  });
});

describe('two admins with one inbound', () => {
  it('refuses the later one, with the current state, and appends nothing', async () => {
    const { form, update, since } = await start();
    const { version } = await form();
    expect((await update({ remark: 'first', expectedVersion: version })).success).toBe(true);
    expect(since()).toStrictEqual(['InboundUpdated']);
    const refused = await update({ remark: 'second', expectedVersion: version });
    expect(refused).toMatchObject({ success: false, code: 'INBOUND_CHANGED', obj: { current: await form() } });
    expect(await form()).toMatchObject({ remark: 'first' });
    expect(since()).toStrictEqual([]);
    const { version: next } = await form();
    expect((await update({ remark: 'second', expectedVersion: next })).success).toBe(true);
    expect(since()).toStrictEqual(['InboundUpdated']);
  });

  it('sees no conflict in changes of clients, in changes that were taken back, or without a version', async () => {
    const { form, update, since, panel } = await start();
    const { version } = await form();
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 1, down: 1 } });
    await update({ remark: 'away' });
    await update({ remark: 'home' });
    expect(await form()).toMatchObject({ version });
    since();
    expect((await update({ remark: 'again', expectedVersion: version })).success).toBe(true);
    expect(since()).toStrictEqual(['InboundUpdated']);
    expect((await update({ remark: 'last' })).success).toBe(true);
    expect(since()).toStrictEqual(['InboundUpdated']);
  });
});

describe('a free port', () => {
  it('is the preferred one, unless an inbound or a program uses it', async () => {
    const { get, port } = await start();
    const free = await freePort();
    expect(await get<number>(`freePort?prefer=${free}`)).toBe(free);
    expect(await get<number>(`freePort?prefer=${port}`)).not.toBe(port);
    expect(await get<number>('freePort')).toBeGreaterThanOrEqual(10_000);
    const busy = await start({ portProblem: async (_, asked) => (asked === free ? 'taken' : null) });
    expect(await busy.get<number>(`freePort?prefer=${free}`)).not.toBe(free);
  });
});

describe('a draft of an inbound', () => {
  it('is checked without being saved', async () => {
    const { post, vless, since, port } = await start();
    const free = { ...vless, settings: '{"decryption":"none"}', port: await freePort() };
    expect(await post('check', free)).toMatchObject({ success: true });
    expect(await post('check', { ...free, port })).toMatchObject({ success: false, code: 'PORT_TAKEN' });
    expect(await post('check', { id: 1, remark: 'same port' })).toMatchObject({ success: true });
    expect(await post('check', { id: 9 })).toMatchObject({ code: 'INBOUND_NOT_FOUND' });
    expect(since()).toStrictEqual([]);
  });

  it('is refused with the codes of the reason', async () => {
    const why = message('certificate.fileMissing', { what: message('certificate.key') });
    const { post, since } = await start({ pairProblem: async () => why });
    const refused = async (stream: object) =>
      post('check', { id: 1, port: await freePort(), streamSettings: JSON.stringify(stream) });
    const files = { certificateFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    expect(await refused({ network: 'tcp', security: 'tls', tlsSettings: { certificates: [files] } })).toMatchObject({
      code: 'CONFIG_INVALID',
      obj: { reasons: ['certificate.fileMissing', 'certificate.key'] },
    });
    expect(await refused({ network: 'pigeon' })).toMatchObject({
      code: 'CONFIG_INVALID',
      obj: { reasons: ['inbound.networkUnknown'] },
    });
    expect(since()).toStrictEqual([]);
  });

  it('has a preview of the link of its first client, or of a sample', async () => {
    const { post, vless, since } = await start();
    const changed = await post('preview', { id: 1, streamSettings: STREAM.replace('harbour', 'pier') });
    expect(changed.obj).toMatchObject({ sample: false });
    expect(changed.obj).toHaveProperty('links.0', expect.stringMatching(/^vless:\/\/7f1b1a3e.*%2Fpier.*#home-ann$/));
    const sample = await post('preview', { ...vless, settings: '{"decryption":"none"}', remark: 'new' });
    expect(sample.obj).toMatchObject({ sample: true });
    expect(sample.obj).toHaveProperty('links.0', expect.stringMatching(/^vless:.*#new-sample$/));
    expect(since()).toStrictEqual([]);
  });

  it('gets a port that nothing uses', async () => {
    const { get, port } = await start();
    const free = await get<number>('freePort');
    expect(free).toBeGreaterThanOrEqual(10_000);
    expect(free).toBeLessThanOrEqual(32_767);
    expect(free).not.toBe(port);
  });
});
