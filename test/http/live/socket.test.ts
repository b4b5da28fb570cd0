import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { reject } from '../../../src/commands/rejection.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { alice, draft, inboundDraft, userId } from '../../kit/builders.js';
import { eventually } from '../../kit/wait.js';
import type { Browser } from '../kit/panel.js';
import { ADMIN, startPanel } from '../kit/panel.js';

type Panel = Awaited<ReturnType<typeof startPanel>>;
type Said = { readonly type: string; readonly [key: string]: unknown };

const open = async (panel: Panel, headers: Record<string, string>, path = '/ws') => {
  const ws = new WebSocket(`ws://127.0.0.1:${panel.port}${path}`, { headers });
  const said: Said[] = [];
  ws.on('message', (data) => said.push(JSON.parse(String(data)) as Said));
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await once(ws, 'open');
  return { ws, said, closed, of: (type: string) => said.filter((message) => message.type === type) };
};
const listen = (panel: Panel, { cookie }: Browser) => open(panel, { cookie });

/** The status of a rejected upgrade. */
const refusal = (panel: Panel, headers: Record<string, string>, path = '/ws'): Promise<number> => {
  const ws = new WebSocket(`ws://127.0.0.1:${panel.port}${path}`, { headers });
  ws.on('error', () => undefined);
  return new Promise((resolve) => {
    ws.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    ws.once('open', () => resolve(101));
  });
};

describe('the upgrade', () => {
  it('requires the browser of an admin', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const browser = await panel.browser().login();
    const { cookie } = browser;
    expect(await refusal(panel, {})).toBe(401);
    expect(await refusal(panel, { cookie: `3x-ui=${'a'.repeat(43)}` })).toBe(401);
    expect(await refusal(panel, { authorization: 'Bearer secret-token' })).toBe(401);
    expect(await refusal(panel, {}, '/ws?token=secret-token')).toBe(401);
    expect(await refusal(panel, { cookie }, '/elsewhere')).toBe(404);
    expect(await refusal(panel, { cookie }, '/ws/')).toBe(404);
    expect(await refusal(panel, { cookie, origin: 'https://evil.example' })).toBe(403);
    expect(await refusal(panel, { cookie, origin: 'null' })).toBe(403);
    expect(await refusal(panel, { cookie, origin: `http://127.0.0.1:${panel.port + 1}` })).toBe(403);
    const { ws } = await open(panel, { cookie, origin: panel.origin });
    ws.close();
  });

  it('is limited for one session, and other sessions are accepted', async () => {
    const panel = await startPanel();
    const [browser, other] = [await panel.browser().login(), await panel.browser().login()];
    await Promise.all(Array.from({ length: 32 }, () => listen(panel, browser)));
    expect(await refusal(panel, { cookie: browser.cookie })).toBe(429);
    await listen(panel, other);
  });

  it('is under the base path', async () => {
    const panel = await startPanel({ basePath: '/p/' });
    const { cookie } = await panel.browser().login();
    expect(await refusal(panel, { cookie })).toBe(404);
    await open(panel, { cookie }, '/p/ws');
  });
});

describe('a connected browser', () => {
  it('receives the status at each reading of the machine, the same as requests get', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { said } = await listen(panel, browser);
    panel.tick();
    panel.tick();
    await eventually(() => expect(said).toHaveLength(2));
    expect(said[0]).toMatchObject({ type: 'status', data: { core: { state: 'stop' }, cpu: expect.any(Number) } });
    expect(Object.keys(said[0] ?? {})).toEqual(['type', 'data']);
    expect(said[1]?.['data']).toEqual((await browser.get('/panel/api/server/status')).json?.obj);
  });

  it('receives the times of notifications in the time zone that it names, else in UTC', async () => {
    const panel = await startPanel();
    const headers = { cookie: (await panel.browser().login()).cookie };
    const zones = ['Asia/Tehran', 'Asia/Tokyo', 'Nowhere/None', 'x'.repeat(65), ''];
    const sockets = await Promise.all(
      zones.map((zone) => open(panel, headers, `/ws?zone=${encodeURIComponent(zone)}`)),
    );
    sockets.push(await open(panel, headers));
    const body = message('notifications.expiresAt', { at: Date.UTC(2026, 2, 20, 20, 45) });
    panel.alarms.notify({ title: message('notifications.storageFailed'), body, severity: 'error' });
    await eventually(() => {
      for (const { said } of sockets) expect(said).toHaveLength(1);
    });
    const texts = sockets.map(({ said }) => said[0]?.['body']);
    const inZones = ['It expires at Mar 21, 2026, 12:15 AM', 'It expires at Mar 21, 2026, 5:45 AM'];
    // In UTC, exactly.
    expect(texts).toStrictEqual([...inZones, ...Array.from({ length: 4 }, () => 'It expires at 2026-03-20 20:45:00Z')]);
  });

  it('receives notifications that have no event', async () => {
    const panel = await startPanel();
    const { said } = await listen(panel, await panel.browser().login());
    panel.alarms.notify({
      title: message('notifications.storageFailed'),
      body: reject('STORAGE_FULL').text,
      severity: 'error',
    });
    await eventually(() => expect(said).toHaveLength(1));
    expect(said[0]).toEqual({
      type: 'notification',
      title: 'Nothing can be saved',
      titleCode: 'notifications.storageFailed',
      body: 'The disk is full: nothing was changed',
      bodyCode: 'STORAGE_FULL',
      severity: 'error',
    });
  });

  it('receives the changes of others, and not those of its own session', async () => {
    const panel = await startPanel();
    const [one, other] = [await panel.browser().login(), await panel.browser().login()];
    const [mine, theirs] = [await listen(panel, one), await listen(panel, other)];
    await one.post('/panel/setting/update', { subTitle: 'Mine' });
    await eventually(() => expect(theirs.of('invalidate')).toEqual([{ type: 'invalidate', resource: 'settings' }]));
    panel.given({ type: 'ChangeSettings', data: { changes: { subTitle: 'Ours' } } });
    await eventually(() => expect(mine.of('invalidate')).toEqual([{ type: 'invalidate', resource: 'settings' }]));
    expect(theirs.of('invalidate')).toHaveLength(2);
  });

  it('receives the changes of other tabs of its session, and not its own', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { cookie } = browser;
    const [mine, theirs] = [await open(panel, { cookie }, '/ws?tab=one'), await open(panel, { cookie }, '/ws?tab=two')];
    const plain = await listen(panel, browser);
    await browser.post('/panel/setting/update', { subTitle: 'Mine' }, { 'portolan-tab': 'one' });
    for (const other of [theirs, plain])
      await eventually(() => expect(other.of('invalidate')).toEqual([{ type: 'invalidate', resource: 'settings' }]));
    expect(mine.of('invalidate')).toEqual([]);
    await browser.post('/panel/setting/update', { subTitle: 'Ours' }, { 'portolan-tab': 'two' });
    await eventually(() => expect(mine.of('invalidate')).toHaveLength(1));
    expect(theirs.of('invalidate')).toHaveLength(1);
  });

  it('receives changes by the API token and by the panel itself', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const browser = await panel.browser().login();
    const other = await panel.browser().login();
    const both = [await listen(panel, browser), await listen(panel, other)];
    const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
    // The cookie is sent too, but the token takes precedence.
    const update = { method: 'POST', headers: { ...headers, cookie: browser.cookie }, body: '{"subTitle":"Mine"}' };
    await fetch(`${panel.origin}/panel/api/setting/update`, update);
    panel.given({
      type: 'AddInbound',
      data: { ...inboundDraft({ spec: { expiresAt: 1 }, clients: [alice] }), owner: userId(1) },
    });
    panel.given({ type: 'DepleteExpired', data: {} });
    expect(panel.log.read(0, 100).at(-1)?.type).toMatch(/Depleted$/);
    for (const { of } of both) {
      await eventually(() =>
        expect(of('invalidate').map(({ resource }) => resource)).toEqual(['settings', 'inbounds', 'inbounds']),
      );
    }
  });

  it('receives one message for many changes by one request', async () => {
    const panel = await startPanel();
    const { said } = await listen(panel, await panel.browser().login());
    const clients = Array.from({ length: 30 }, (_, n) => draft(`client-${n}`, n + 1));
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ clients }), owner: userId(1) } });
    panel.tick();
    await eventually(() => expect(said.map(({ type }) => type)).toContain('status'));
    expect(said[0]).toEqual({ type: 'invalidate', resource: 'inbounds' });
    expect(said).toHaveLength(2);
  });

  it('receives changes of the core, and not of traffic', async () => {
    const panel = await startPanel();
    const { said } = await listen(panel, await panel.browser().login());
    const outbounds = [['direct', 1, 1]] as const;
    panel.given({ type: 'RecordTraffic', data: { run: 'r', clients: [], inbounds: [], outbounds } });
    expect(panel.log.read(0, 100).at(-1)?.type).toBe('TrafficRecorded');
    panel.given({ type: 'RecordCoreFailed', data: { reason: verbatim('broken'), run: null } });
    await eventually(() => expect(said.filter(({ type }) => type !== 'status')).toHaveLength(2));
    expect(said.filter(({ type }) => type !== 'status')).toEqual([
      { type: 'xrayState', data: 'error' },
      {
        ...{ type: 'notification', severity: 'error', title: 'The core failed', body: 'broken' },
        ...{ titleCode: 'notifications.coreFailed', bodyCode: null },
      },
    ]);
  });

  it('is disconnected when its session ends: by logout, new credentials or expiry', async () => {
    const panel = await startPanel({ settings: { sessionMaxAge: 10 } });
    const leaving = await panel.browser().login();
    const left = await listen(panel, leaving);
    await leaving.post('/logout');
    expect(await left.closed).toBe(1008);

    const [one, other] = [await panel.browser().login(), await panel.browser().login()];
    const sockets = [await listen(panel, one), await listen(panel, other)];
    const next = {
      oldUsername: ADMIN.username,
      oldPassword: ADMIN.password,
      newUsername: 'root',
      newPassword: 'battery staple',
    };
    await one.post('/panel/setting/updateUser', next);
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1008, 1008]);
    const again = await listen(panel, one);
    panel.later(10 * 60_000);
    panel.tick();
    expect(await again.closed).toBe(1008);
  });

  it('may send only a limited number of messages', async () => {
    const panel = await startPanel();
    const { ws, closed } = await listen(panel, await panel.browser().login());
    ws.send('x'.repeat(1000));
    ws.send('x'.repeat(5000));
    expect(await closed).toBe(1009);
  });

  it('is informed when the panel stops, and is terminated if it does not close', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { closed } = await listen(panel, browser);
    const deaf = connect(panel.port, '127.0.0.1');
    const key =
      'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
    deaf.write(`${key}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: ${browser.cookie}\r\n\r\n`);
    await once(deaf, 'data');
    let isGone = false;
    const gone = once(deaf, 'close').then(() => (isGone = true));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = panel.web.close();
    expect(await closed).toBe(1001);
    vi.advanceTimersByTime(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isGone).toBe(false);
    vi.advanceTimersByTime(1);
    await Promise.all([gone, stopped]);
  });
});
