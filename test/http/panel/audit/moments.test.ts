import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateDigest } from '../../../../src/events/log/fold.js';
import { advance } from '../../../../src/events/log/replay.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { answersAt } from '../../../../src/http/panel/contract/moments.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { startFolds } from '../../../../src/projections/foldings.js';
import { Moments } from '../../../../src/projections/moments.js';
import { digestsOf } from '../../../../src/projections/read-models.js';
import { draft, one } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers, INBOUND, NODE } from '../../kit/samples.js';

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const post = async (path: string, body: object = {}) => {
    panel.later(1000);
    const answer = await panel.call('POST', API + path, { headers, body: JSON.stringify(body) });
    expect(answer.json?.success, answer.text).toBe(true);
    return panel.log.head().position;
  };
  const get = async (path: string, method = 'GET') => panel.call(method, API + path, { headers });
  await post('/inbounds/add', INBOUND);
  panel.later(1000);
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('ann', 1), draft('bob', 2)] } });
  await post('/nodes/add', NODE);
  return { panel, post, get, head: () => panel.log.head().position };
}

/** Where each document is read, with requests that change it. */
const READS = [
  ['/inbounds/get/1', '/inbounds/update/1', { remark: 'renamed' }],
  ['/inbounds/list', '/inbounds/del/1', {}],
  ['/inbounds/overview', '/inbounds/setEnable/1', { enable: false }],
  ['/inbounds/overview/1', '/inbounds/update/1', { total: 77 }],
  ['/clients/page', '/clients/change', { clients: [1, 2], action: 'delete' }],
  ['/clients/ann/details', '/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 }],
  ['/inbounds/getClientTraffics/ann', '/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 }],
  ['/clients/ann/statement', '/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 }],
  ['/clients/links', '/inbounds/update/1', { port: 4455 }],
  ['/inbounds/getSubLinks/sub-ann', '/inbounds/update/1', { port: 4455 }],
  ['/inbounds/getClientLinks/1/ann', '/inbounds/update/1', { port: 4455 }],
  ['/setting/defaultSettings', '/setting/update', { pageSize: 17 }],
  ['/server/getConfigJson', '/xray/update', { xraySetting: '{"outbounds":[{"tag":"direct","protocol":"freedom"}]}' }],
  ['/clients/inbounds', '/inbounds/del/1', {}],
  ['/nodes/list', '/nodes/del/1', {}],
  ['/nodes/get/1', '/nodes/update/1', { ...NODE, name: 'farther', apiToken: '' }],
  ['/setting/all', '/setting/update', { pageSize: 17 }],
  ['/setting/sources', '/setting/update', { pageSize: 17 }],
  ['/xray/', '/xray/update', { outboundTestUrl: 'http://192.0.2.1/a' }],
] as const;

describe('a route with ?at=', () => {
  it.each(READS)('%s answers as it did before %s', async (path, change, body) => {
    const { panel, post, get, head } = await start();
    const method = ['/setting/all', '/setting/defaultSettings', '/xray/'].includes(path) ? 'POST' : 'GET';
    const [before, position] = [await get(path, method), head()];
    const time = new Date(panel.now()).toISOString();
    await post(change, body);
    const after = await get(path, method);
    expect(after.json).not.toStrictEqual(before.json);

    for (const at of [String(position), time]) {
      const past = await get(`${path}?at=${at}`, method);
      expect(past.json, past.text).toStrictEqual(before.json);
      expect(past.headers.get('x-portolan-position')).toBe(String(position));
      expect(past.headers.get('etag')).toBeNull();
    }
    expect((await get(`${path}?at=${head()}`, method)).json).toStrictEqual(after.json);
    expect(panel.appended()).toStrictEqual([]);
  });

  it.each(['/panel/core/getOutboundsTraffic', '/panel/api/xray/getOutboundsTraffic'])(
    '%s answers with the counters of then',
    async (path) => {
      const { panel } = await start();
      const owner = await panel.browser().login();
      const measure = (up: number) => {
        panel.later(1000);
        const outbounds = [['direct', up, 5]] as [string, number, number][];
        panel.given({ type: 'RecordTraffic', data: { run: `r${up}`, clients: [], inbounds: [], outbounds } });
      };
      measure(10);
      const [before, position] = [await owner.get(path), panel.log.head().position];
      expect(before.json?.obj).toMatchObject([{ tag: 'direct', up: 10 }]);
      measure(70);
      expect((await owner.get(path)).json?.obj).toMatchObject([{ tag: 'direct', up: 80 }]);
      const past = await owner.get(`${path}?at=${position}`);
      expect(past.json).toStrictEqual(before.json);
      expect(past.headers.get('x-portolan-position')).toBe(String(position));
      expect(Date.parse(past.headers.get('x-portolan-time') ?? '')).toBeLessThan(panel.now());
    },
  );

  it.each([
    ['7.5', 'MOMENT_INVALID', '"7.5"'],
    ['yesterday', 'MOMENT_INVALID', '"yesterday"'],
    ['2026-02-31T00:00:00Z', 'MOMENT_INVALID', '2026-02-31'],
    ['0', 'MOMENT_UNKNOWN', 'the positions 1 to'],
    ['999999', 'MOMENT_UNKNOWN', '"999999"'],
    ['1970-01-02T00:00:00Z', 'MOMENT_UNKNOWN', '1970-01-02'],
    ['2999-01-01T00:00:00Z', 'MOMENT_FUTURE', '2999-01-01'],
  ])('is refused with 400 for %j', async (at, code, part) => {
    const { get } = await start();
    const { status, json } = await get(`/inbounds/list?at=${encodeURIComponent(at)}`);
    expect([status, json]).toMatchObject([400, { success: false, code }]);
    expect(json?.msg).toContain(part);
  });

  it('is refused for a position in the middle of a command, with the ones around it', async () => {
    const { post, get, head } = await start();
    const before = head();
    await post('/clients/change', { clients: [1, 2], action: 'disable' });
    const { status, json } = await get(`/inbounds/list?at=${before + 1}`);
    expect([status, json?.msg]).toStrictEqual([
      400,
      `Position ${before + 1} is in the middle of a command, which has the events ${before + 1} to ${before + 2}: ask for ${before} or ${before + 2}`,
    ]);
  });

  it('is refused by every route that only knows the present, also one that changes something', async () => {
    const { panel } = await start();
    const browser = await panel.browser().login();
    const head = panel.log.head().position;
    const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));
    for (const route of routes.filter((one) => one.permission !== null && !answersAt(one)))
      for (const path of [route.path, ...route.aliases]) {
        const url = `${path.replaceAll(/:\w+/g, '1')}?at=1`;
        const { status, json } = await browser.send(route.method, url, route.method === 'POST' ? {} : undefined);
        expect([url, status, json]).toMatchObject([url, 400, { code: 'MOMENT_UNSUPPORTED' }]);
      }
    expect(panel.log.head().position).toBe(head);
  });

  it('does not show what was erased since', async () => {
    const { panel, post, get, head } = await start();
    const position = head();
    const known = JSON.stringify((await get(`/clients/page?at=${position}`)).json);
    expect(known).toContain('ann');
    await post('/clients/change', { clients: [1], action: 'delete' });
    panel.later(31 * 86_400_000);
    panel.given({ type: 'EraseDeleted', data: {} });
    const erased = JSON.stringify((await get(`/clients/page?at=${position}`)).json);
    expect(erased).not.toContain('ann');
    expect(erased).toContain('erased-1');
  });

  it('names the documents whose data was erased since, in headers', async () => {
    const { panel, post, get, head } = await start();
    const position = head();
    const erasedAt = async (path: string) => {
      const { headers: sent } = await get(`${path}?at=${position}`);
      return ['', '-count', '-fields'].map((what) => sent.get(`x-portolan-erased${what}`));
    };
    expect(await erasedAt('/clients/page')).toStrictEqual([null, null, null]);
    await post('/clients/change', { clients: [1], action: 'delete' });
    await post('/inbounds/del/1');
    await post('/nodes/del/1');
    panel.later(31 * 86_400_000);
    panel.given({ type: 'EraseDeleted', data: {} });
    const fields = 'client=comment credential email extra subId tgId, inbound=config settings stream, node=token';
    const all = ['client-1, client-2, inbound-1, node-1', '4', fields];
    for (const path of ['/clients/page', '/inbounds/list', '/nodes/list', '/inbounds/get/1'])
      expect(await erasedAt(path), path).toStrictEqual(all);
  });

  it('at a time answers as after the last event at or before it, also when the clock was set back', async () => {
    const { panel, post, get } = await start();
    const remarkAt = async (time: number) => {
      const { json, headers: sent } = await get(`/inbounds/get/1?at=${new Date(time).toISOString()}`);
      const { remark } = (json ?? expect.fail()).obj as { remark: string };
      return [remark, Number(sent.get('x-portolan-position'))];
    };
    const first = await post('/inbounds/update/1', { remark: 'first' });
    const before = panel.now();
    panel.later(60_000);
    await post('/inbounds/update/1', { remark: 'second' });
    panel.later(-30_000);
    const back = await post('/inbounds/update/1', { remark: 'third' });
    panel.later(60_000);
    const last = await post('/inbounds/update/1', { remark: 'fourth' });
    expect(await remarkAt(before)).toStrictEqual(['first', first]);
    // The second change is before the third one in the log, although its time is later.
    expect(await remarkAt(before + 45_000)).toStrictEqual(['third', back]);
    expect(await remarkAt(panel.now())).toStrictEqual(['fourth', last]);
  });
});

describe('a moment', () => {
  it('equals a replay up to its position, for any position', async () => {
    const { panel, post, head } = await start();
    await post('/clients/change', { clients: [1, 2], action: 'disable' });
    await post('/inbounds/updateClientTraffic/ann', { upload: 10, download: 20 });
    await post('/inbounds/update/1', { remark: 'renamed' });
    await post('/nodes/del/1');
    await post('/inbounds/del/1');
    const moments = new Moments(panel.log, () => performance.now());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: head() }), async (position) => {
        const models = startFolds();
        const events = panel.log.read(0, position);
        for (const folding of Object.values(models)) advance(folding, events);
        const { read } = await moments.after(position);
        expect(read.follower.digests()).toStrictEqual(digestsOf(models));
        expect(stateDigest(models.clients.fold, models.clients.state)).toBe(digestsOf(models)['clients']);
      }),
      { numRuns: 100 },
    );
  });

  it('is folded once for requests that ask for it together', async () => {
    const { panel, head } = await start();
    let reads = 0;
    const read = (position: number, limit: number) => {
      if (position === 0) reads += 1;
      return panel.log.read(position, limit);
    };
    const moments = new Moments({ read, appended$: panel.log.appended$ }, () => performance.now());
    const all = await Promise.all([moments.after(head()), moments.after(head()), moments.after(head())]);
    expect(new Set(all).size).toBe(1);
    expect(await moments.after(head())).toBe(all[0]);
    expect(reads).toBe(1);
  });
});
