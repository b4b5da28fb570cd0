import { describe, expect, it, onTestFinished } from 'vitest';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { createNodes } from '../../../../src/app/nodes.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { NodeReply, ProbeReply } from '../../../../src/http/panel/contract/nodes.js';
import { Disposal } from '../../../../src/lib/disposal.js';
import { verbatim } from '../../../../src/messages/message.js';
import { inboundDraft, userId } from '../../../kit/builders.js';
import { ThreeXuiNode } from '../../../kit/real/three-x-ui/three-x-ui-node.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

const NODES = '/panel/api/nodes';
const TOKEN = 'T'.repeat(48);
const strict = createWeb({ allowPrivate: false });

/** A panel that may not contact private addresses and watches its nodes as a real one does, and its admin. */
async function start() {
  const disposal = new Disposal();
  const panel = await startPanel({
    parts(made) {
      const nodes = createNodes(made, { web: strict, warn: () => undefined });
      nodes.start(disposal);
      return { ...nodes, web: strict };
    },
  });
  onTestFinished(() => disposal.dispose());
  const browser = await panel.browser().login();
  const get = async (path: string) => (await browser.get(NODES + path)).json;
  const post = async (path: string, body: object = {}) => (await browser.post(NODES + path, body)).json;
  /** The events of the last request, without reports of the nodes. */
  const facts = () =>
    panel
      .appended()
      .filter(({ meta }) => meta.actor.kind !== 'node')
      .map(bare);
  const node = async (id = 1) => NodeReply.parse((await get(`/get/${id}`))?.obj);
  const until = async (status: string): Promise<NodeReply> => {
    let found = await node();
    await eventually(async () => {
      found = await node();
      expect(found.status).toBe(status);
    });
    return found;
  };
  return { ...panel, browser, get, post, facts, node, until };
}

const bare = ({ type, data }: RecordedEvent) => ({ type, data });

async function threeXui(options: Parameters<typeof ThreeXuiNode.start>[0] = {}) {
  const remote = await ThreeXuiNode.start(options);
  onTestFinished(() => remote.stop());
  return remote;
}

const place = (port: number, over: object = {}) => ({
  ...{ name: 'Frankfurt', scheme: 'http', host: '127.0.0.1', port, basePath: '', apiToken: TOKEN },
  allowPrivateAddress: true,
  ...over,
});

describe('a Portolan node', () => {
  it('is added, probed, identified and never shown with its token', async () => {
    const remote = await startPanel();
    remote.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
    const { post, get, facts, until, log } = await start();
    const added = await post('/add', place(remote.port, { remark: 'rack 4' }));
    expect(added).toMatchObject({ success: true, msg: 'The node has been added.' });
    expect(added?.obj).toMatchObject({ id: 1, status: 'unknown', enable: true, hasApiToken: true, apiToken: '' });
    const spec = {
      ...{ name: 'Frankfurt', remark: 'rack 4', scheme: 'http', host: '127.0.0.1' },
      ...{ port: remote.port, basePath: '/', allowPrivateAddress: true },
    };
    expect(facts()).toEqual([
      { type: 'NodeAdded', data: { node: 1, enabled: true, spec, keyVersion: 1, secret: { token: TOKEN } } },
    ]);
    const online = await until('online');
    expect(online).toMatchObject({
      host: '127.0.0.1',
      address: '127.0.0.1',
      kind: 'portolan',
      lastError: '',
      lastErrorCode: null,
    });
    expect(online.lastHeartbeat).toBeGreaterThan(0);
    expect([online.cpu, online.mem, online.coreVersion]).toEqual([online.cpuPct, online.memPct, online.xrayVersion]);
    expect(online.mem).toBeGreaterThan(0);
    expect(online.uptimeSecs).toBeGreaterThan(0);
    const told = log.read(0, 100).find(({ type }) => type === 'NodeIdentified');
    expect(told?.data).toEqual({ node: 1, kind: 'portolan', panelId: remote.read.identity.panelId });
    expect(told?.meta.actor).toMatchObject({ kind: 'node', id: '1', name: 'Frankfurt' });
    const list = await get('/list');
    expect(list?.obj).toEqual([await get('/get/1').then((answer) => answer?.obj)]);
    expect(JSON.stringify(list)).not.toContain(TOKEN);
    const t = expect.any(Number) as number;
    for (const metric of ['cpu', 'mem', 'latency'])
      expect((await get(`/history/1/${metric}/30`))?.obj).toEqual([{ t, v: expect.any(Number) as number }]);
    expect((await get('/history/1/lag/30'))?.obj).toEqual([{ t, v: 0 }]);
  });

  it('has its panel id in its status: the id of the first event of its log', async () => {
    const { browser, log, read } = await start();
    const status = (await browser.get('/panel/api/server/status')).json?.obj;
    expect(status).toMatchObject({ panelId: log.read(0, 1)[0]?.id });
    expect(read.identity.panelId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a 3x-ui node', () => {
  it('is probed in the way of 3x-ui, on request or as a test that stores nothing', async () => {
    const remote = await threeXui({ token: TOKEN, basePath: '/secret/' });
    const { post, appended, node } = await start();
    const tested = await post('/test', place(remote.port, { basePath: 'secret', name: undefined }));
    const expected = {
      ...{ status: 'online', cpu: 12.5, cpuPct: 12.5, mem: 25, memPct: 25, error: '' },
      ...{ xrayVersion: '26.5.9', coreVersion: '26.5.9', uptimeSecs: 345_600 },
    };
    expect(ProbeReply.parse(tested?.obj)).toMatchObject(expected);
    expect(appended()).toEqual([]);
    await post('/add', place(remote.port, { basePath: 'secret' }));
    expect((await post('/probe/1'))?.obj).toMatchObject(expected);
    expect(await node()).toMatchObject({ status: 'online', kind: '3x-ui', basePath: '/secret/' });
    remote.fault = (_, response) => (response.writeHead(404).end(), true);
    const error = 'HTTP 404 from remote panel: the base path is wrong, or the token is not accepted';
    expect((await post('/probe/1'))?.obj).toMatchObject({ status: 'offline', cpu: 0, mem: 0, xrayVersion: '', error });
    expect(await node()).toMatchObject({ status: 'offline', lastError: error });
    expect((await post('/probe/2'))?.success).toBe(false);
  });

  it('is accepted in the form encoding of its page', async () => {
    const { call, browser, facts } = await start();
    const form = new URLSearchParams({
      ...{ name: 'Oslo', remark: '', scheme: 'https', address: '203.0.113.1', port: '2053', basePath: '' },
      ...{ apiToken: TOKEN, enable: 'false', allowPrivateAddress: 'true', id: '7' },
    });
    const headers = {
      ...{ cookie: browser.cookie, 'x-csrf-token': browser.token },
      'content-type': 'application/x-www-form-urlencoded',
    };
    const { json } = await call('POST', `${NODES}/add`, { headers, body: form.toString() });
    expect(json?.obj).toMatchObject({ id: 1, address: '203.0.113.1', host: '203.0.113.1', enable: false });
    expect(facts()).toHaveLength(1);
  });
});

describe('a rejected request', () => {
  it('has a private address, at add, update and test, and sends no packet', async () => {
    const remote = await threeXui({ token: TOKEN });
    const { post, appended, facts } = await start();
    await post('/add', place(443, { name: 'Oslo', host: '203.0.113.9', enable: false, allowPrivateAddress: false }));
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      'localhost',
      '::1',
      '::ffff:7f00:1',
      '10.1.2.3',
    ]) {
      const there = place(remote.port, { host, allowPrivateAddress: false });
      const no = await post('/add', there);
      expect(no).toMatchObject({ success: false });
      expect(no?.msg).toMatch(/^blocked private\/internal address /);
      expect(appended()).toEqual([]);
      const tested = ProbeReply.parse((await post('/test', there))?.obj);
      expect(tested.status).toBe('offline');
      expect(tested.error).toMatch(/^blocked private\/internal address /);
      expect((await post('/update/1', there))?.msg).toMatch(/^blocked private\/internal address /);
      expect(facts()).toEqual([]);
    }
    expect(remote.knocks).toBe(0);
  });

  it('has an invalid node, with the reason', async () => {
    const { post, appended } = await start();
    for (const [over, msg] of [
      [{ name: '' }, 'The node cannot be saved: node name is required'],
      [{ host: undefined }, 'The node cannot be saved: address is required'],
      [{ host: 'a b' }, 'The node cannot be saved: invalid host "a b"'],
      [{ port: undefined }, 'The node cannot be saved: node port must be 1-65535'],
      [{ port: 70_000 }, 'The node cannot be saved: node port must be 1-65535'],
      [{ port: 'x' }, 'The input is not valid: port: must be a whole number (value: "x")'],
      [{ scheme: 'ftp' }, 'The node cannot be saved: the scheme must be http or https, not "ftp"'],
      [{ name: ['x'] }, 'The input is not valid: name: must be a string'],
    ] as const) {
      const code = msg.startsWith('The node') ? 'NODE_INVALID' : 'INPUT_INVALID';
      expect(await post('/add', place(443, over))).toEqual({ success: false, msg, obj: null, code });
      expect(appended()).toEqual([]);
    }
  });

  it('tests an invalid address, with the reason in the reply', async () => {
    const { post } = await start();
    const answer = await post('/test', place(0));
    expect(answer).toMatchObject({ success: true, obj: { status: 'offline', error: 'node port must be 1-65535' } });
    expect((await post('/test', place(443, { apiToken: 'a\nb' })))?.success).toBe(false);
  });

  it('names a node that does not exist', async () => {
    const { post, get, appended } = await start();
    const msg = 'Node 9 not found';
    for (const path of ['/update/9', '/del/9', '/probe/9'])
      expect(await post(path, place(443))).toMatchObject({ success: false, msg });
    expect(await post('/setEnable/9', { enable: true })).toMatchObject({ success: false, msg });
    expect(await get('/get/9')).toMatchObject({ success: false, msg });
    expect(appended()).toEqual([]);
    expect(await get('/history/9/cpu/2')).toMatchObject({ success: false, msg });
    expect((await get('/history/9/load1/2'))?.msg).toBe('invalid metric "load1": choose one of cpu, mem, latency, lag');
    expect((await get('/history/9/cpu/3'))?.msg).toContain('invalid bucket "3"');
    expect((await get('/get/x'))?.success).toBe(false);
  });
});

describe('a change of a node', () => {
  const there = place(443, { host: '203.0.113.9', allowPrivateAddress: false, enable: false });

  it('keeps omitted members, and the token while the address stays the same', async () => {
    const { post, facts, node } = await start();
    await post('/add', there);
    expect(await post('/update/1', { remark: 'rack 4', apiToken: '' })).toMatchObject({ success: true });
    expect(facts()).toEqual([{ type: 'NodeUpdated', data: { node: 1, changes: { remark: 'rack 4' } } }]);
    expect(await node()).toMatchObject({ name: 'Frankfurt', enable: false, hasApiToken: true });
    expect((await post('/update/1', { host: '203.0.113.10', allowPrivateAddress: true }))?.msg).toBe(
      'The address of the node has changed: enter its API token again',
    );
    expect(facts()).toEqual([]);
  });

  it('accepts either name of the address, also in a node that was read before', async () => {
    const { post, facts, node } = await start();
    await post('/add', there);
    const read = await node();
    expect((await post('/update/1', { ...read, apiToken: '' }))?.success).toBe(true);
    expect(facts()).toEqual([]);
    for (const [member, host] of [
      ['address', '203.0.113.10'],
      ['host', '203.0.113.11'],
    ] as const) {
      await post('/update/1', { ...(await node()), [member]: host, apiToken: 'token-2' });
      expect(await node()).toMatchObject({ host, address: host });
    }
  });

  it('enables and disables it', async () => {
    const { post, facts } = await start();
    await post('/add', there);
    expect((await post('/setEnable/1', {}))?.success).toBe(false);
    expect((await post('/setEnable/1', { enable: true }))?.success).toBe(true);
    expect(facts()).toEqual([{ type: 'NodeEnabled', data: { node: 1 } }]);
    await post('/setEnable/1', { enable: false });
    expect(facts()).toEqual([{ type: 'NodeDisabled', data: { node: 1 } }]);
  });

  it('deletes it and returns the number of its inbounds', async () => {
    const { post, facts, given, read, get, services } = await start();
    const asked: number[] = [];
    const lefts = [
      { removed: 1, remaining: 0, kept: 0 },
      { removed: 0, remaining: 1, kept: 0 },
      { removed: 0, remaining: 0, kept: 2 },
      { removed: 0, remaining: 0, kept: 0 },
    ];
    const cleanUp = async (node: number) => lefts[asked.push(node) - 1];
    Object.assign(services.nodes, { cleanUp });
    await post('/add', there);
    for (const name of ['Oslo', 'Paris', 'Rome']) await post('/add', { ...there, name });
    const [first, second, third, fourth] = read.nodes.all();
    given({ type: 'AddInbound', data: { owner: userId(1), node: first?.id, ...inboundDraft() } });
    expect(await post('/del/1')).toMatchObject({
      success: true,
      msg: 'The node has been deleted, and its inbounds were removed from it. They stay in this panel and no longer serve clients.',
      obj: { inbounds: 1, remaining: 0, kept: 0 },
    });
    expect(facts()).toEqual([{ type: 'NodeDeleted', data: { node: 1 } }]);
    expect(asked).toStrictEqual([first?.id]);
    // An unreachable node keeps its inbounds.
    expect(await post(`/del/${second?.id}`)).toMatchObject({
      msg: 'The node has been deleted, but it could not be cleaned up: inbounds keep running there, and this panel no longer counts or disconnects their clients. Remove them on the node.',
      obj: { inbounds: 0, remaining: 1, kept: 0 },
    });
    // From an inbound with clients of the node itself, only our clients are removed.
    expect(await post(`/del/${third?.id}`)).toMatchObject({
      msg: "The node has been deleted. Some of its inbounds also contain clients that this panel did not create: these inbounds stay on the node without this panel's clients.",
      obj: { inbounds: 0, remaining: 0, kept: 2 },
    });
    // From a node that never accepted its inbounds, nothing is removed.
    given({
      type: 'AddInbound',
      data: { owner: userId(1), node: fourth?.id, ...inboundDraft({ spec: { port: 8443, tag: 'in-2' } }) },
    });
    expect(await post(`/del/${fourth?.id}`)).toMatchObject({
      msg: 'The node has been deleted. Its inbounds stay in this panel and no longer serve clients.',
      obj: { inbounds: 1, remaining: 0, kept: 0 },
    });
    expect((await get('/list'))?.obj).toEqual([]);
    expect(read.inbounds.all()).toHaveLength(2);
    expect(await post('/del/7')).toMatchObject({ success: false });
  });

  it('shows why it cannot be synchronized, also while it responds', async () => {
    const { post, node, services } = await start();
    await post('/add', there);
    const state = () => ({ listedAt: 0, error: verbatim('decode response: no'), failingSince: 1, tries: 3, nextAt: 0 });
    Object.assign(services.nodes, { state });
    expect(await node()).toMatchObject({ lastError: 'decode response: no', lastErrorCode: null });
  });

  it('causes a retry at once, also a probe and a save without changes', async () => {
    const { post, services } = await start();
    const retried: number[] = [];
    Object.assign(services.nodes, { retry: (node: number) => void retried.push(node) });
    await post('/add', there);
    for (const [path, body] of [
      ['/update/1', { remark: 'rack 4' }],
      ['/update/1', { remark: 'rack 4' }],
      ['/setEnable/1', { enable: true }],
      ['/setEnable/1', { enable: true }],
      ['/probe/1', {}],
    ] as const)
      expect((await post(path, body))?.success).toBe(true);
    expect(retried).toStrictEqual([1, 1, 1, 1, 1]);
    await post('/update/1', { port: 0 });
    await post('/setEnable/9', { enable: true });
    expect(retried.filter((node) => node === 1)).toHaveLength(5);
  });

  it('rejects the address of this panel, and does not use the panel of another node', async () => {
    const { post, read, port, given, facts, until, node } = await start();
    given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
    expect(await post('/add', place(port))).toMatchObject({
      success: false,
      msg: 'The address belongs to this panel itself',
    });
    expect(facts()).toStrictEqual([]);
    const remote = await startPanel();
    remote.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
    await post('/add', place(remote.port));
    await until('online');
    await post('/add', place(remote.port, { name: 'Frankfurt again' }));
    expect(await post('/probe/2')).toMatchObject({
      obj: { status: 'offline', error: 'it is the same panel as node Frankfurt', errorCode: 'node.isDuplicate' },
    });
    expect(await node(2)).toMatchObject({
      lastError: 'it is the same panel as node Frankfurt',
      lastErrorCode: 'node.isDuplicate',
    });
    expect(read.nodes.all().map(({ identity }) => identity?.panelId)).toStrictEqual([
      remote.read.identity.panelId,
      undefined,
    ]);
    // Once the first panel releases the node, the other one may use it.
    await post('/del/1');
    expect(await post('/probe/2')).toMatchObject({ obj: { status: 'online' } });
    expect(read.nodes.get(2)?.identity?.panelId).toBe(remote.read.identity.panelId);
  });
});

describe('a centre that requests current counters', () => {
  it('gets the listing after the core was read, only with a token', async () => {
    let read = 0;
    const collect = async (): Promise<boolean> => (read += 1) > 0;
    const panel = await startPanel({ parts: { collect } });
    panel.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
    const asked = { 'x-portolan-counters': 'now' };
    const list = async (headers: Record<string, string>) =>
      (await panel.call('GET', '/panel/api/inbounds/list', { headers })).json;
    expect(await list({ authorization: `Bearer ${TOKEN}`, ...asked })).toMatchObject({ success: true, obj: [] });
    expect(read).toBe(1);
    await list({ authorization: `Bearer ${TOKEN}` });
    const browser = await panel.browser().login();
    await list({ cookie: browser.cookie, ...asked });
    expect(read).toBe(1);
  });
});
