import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRemotePanel } from '../../../src/adapters/nodes/remote-panel.js';
import { askNode, openEnvelope } from '../../../src/adapters/nodes/request.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import { type NodeAddress, NodeError } from '../../../src/commands/ports/remote-panel.js';
import { makeCertificate } from '../../kit/real/certificate.js';
import { type NodeFault, ThreeXuiNode } from '../../kit/real/three-x-ui/three-x-ui-node.js';

const web = createWeb({ allowPrivate: false });
const marks = { centre: () => '', isInbound: () => false, isClient: () => false, adopted: () => new Set<string>() };
const nodes = createRemotePanel(web, marks);

async function start(options: Parameters<typeof ThreeXuiNode.start>[0] = {}) {
  const panel = await ThreeXuiNode.start(options);
  onTestFinished(() => panel.stop());
  const address: NodeAddress = {
    ...{ scheme: options.tls ? 'https' : 'http', host: '127.0.0.1', port: panel.port },
    ...{ basePath: panel.basePath, token: panel.token, allowPrivateAddress: true },
  };
  return { panel, address };
}

const failure = async (task: Promise<unknown>): Promise<NodeError> => {
  const error: unknown = await task.then(
    () => expect.fail('it was answered'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof NodeError)) throw error;
  return error;
};

describe('a probe', () => {
  it('reads the status of 3x-ui', async () => {
    const { panel, address } = await start({ basePath: '/secret/' });
    const { latencyMs, ...reading } = await nodes.probe(address);
    expect(reading).toStrictEqual({
      ...{ kind: '3x-ui', panelId: '', cpu: 12.5, mem: 25, coreVersion: '26.5.9', uptimeSecs: 345_600 },
    });
    expect(latencyMs).toBeGreaterThanOrEqual(0);
    const [call] = panel.calls;
    expect(call).toMatchObject({ method: 'GET', path: 'panel/api/server/status', body: '' });
    expect(call?.headers).toMatchObject({ authorization: 'Bearer node-token', accept: 'application/json' });
  });

  it('has defaults for missing members', async () => {
    const { panel, address } = await start();
    panel.status = {};
    expect(await nodes.probe(address)).toMatchObject({
      ...{ kind: '3x-ui', panelId: '', cpu: 0, mem: 0, coreVersion: '', uptimeSecs: 0 },
    });
    panel.status = { cpu: 1e9, mem: { current: 5, total: 1 }, core: { version: `<b>${'1'.repeat(99)}` }, uptime: 1.5 };
    expect(await nodes.probe(address)).toMatchObject({
      ...{ cpu: 100, mem: 100, uptimeSecs: 1, coreVersion: `b${'1'.repeat(39)}` },
    });
    panel.status = null;
    expect((await failure(nodes.probe(address))).message).toBe(
      'decode response: the remote panel does not report its status',
    );
  });

  it.each([
    ['status.cpu', { cpu: '12' }],
    ['status.cpu', { cpu: -1 }],
    ['status.cpu', { cpu: null }],
    ['status.mem', { mem: 7 }],
    ['status.mem.total', { mem: { current: 1 } }],
    ['status.mem.current', { mem: { current: [], total: 1 } }],
    ['status.xray', { xray: null }],
    ['status.xray.version', { xray: { version: 26 } }],
    ['status.uptime', { uptime: true }],
    ['status.panelId', { panelId: 5 }],
    ['status', []],
    ['status', 'running'],
  ])('rejects a status with an invalid %s (%#)', async (where, status) => {
    const { panel, address } = await start();
    panel.status = status as Record<string, unknown>;
    const message = `decode response: ${where} has an unexpected type or value`;
    expect(await failure(nodes.probe(address))).toMatchObject({ kind: 'invalid-reply', message });
  });

  it('rejects a status with an infinite number', async () => {
    const { panel, address } = await start();
    panel.fault = (_, response) => (response.end('{"success":true,"obj":{"cpu":1e999}}'), true);
    const message = 'decode response: status.cpu has an unexpected type or value';
    expect(await failure(nodes.probe(address))).toMatchObject({ kind: 'invalid-reply', message });
  });

  it('drops an invalid panel id, and values that repeat its token', async () => {
    const { panel, address } = await start();
    for (const panelId of ['a b', 'Bearer node-token', `x${address.token}`, 'n'.repeat(65), '']) {
      panel.status = { panelId, core: { version: '1.2.3' } };
      expect(await nodes.probe(address)).toMatchObject({ kind: '3x-ui', panelId: '', coreVersion: '1.2.3' });
    }
    panel.status = { panelId: '0190a4e1-7f2c-7000-8000-00000000000a', core: { version: `v${address.token}!` } };
    expect(await nodes.probe(address)).toMatchObject({
      ...{ kind: 'portolan', panelId: '0190a4e1-7f2c-7000-8000-00000000000a', coreVersion: '' },
    });
    // Without the characters that a version cannot contain, it is still the token.
    const other = await start({ token: 'to/ken+1=' });
    other.panel.status = { panelId: '', core: { version: 'Bearer t o/k e n+1=' } };
    expect(await nodes.probe(other.address)).toMatchObject({ coreVersion: '' });
  });

  it('distinguishes a wrong token from a wrong path', async () => {
    const { address } = await start({ basePath: '/secret/' });
    const wrong = await failure(nodes.probe({ ...address, token: 'wrong-token' }));
    expect(wrong).toMatchObject({ kind: 'status', status: 401 });
    expect(wrong.message).toBe('HTTP 401 from remote panel: the token is not accepted');
    const lost = await failure(nodes.probe({ ...address, basePath: '/' }));
    expect(lost).toMatchObject({ kind: 'status', status: 404 });
    expect(lost.message).toContain('HTTP 404 from remote panel');
  });

  it('sends no header without a token', async () => {
    const { panel, address } = await start();
    const seen: unknown[] = [];
    panel.fault = ({ headers }) => (seen.push(headers.authorization), false);
    await failure(nodes.probe({ ...address, token: '' }));
    expect(seen).toStrictEqual([undefined]);
  });

  const json = (text: string | Buffer, headers: Record<string, string> = {}): NodeFault => {
    return (_, response) => (response.writeHead(200, headers).end(text), true);
  };
  it.each<[string, NodeFault, Partial<NodeError>]>([
    ['garbage', json('<html>'), { kind: 'invalid-reply' }],
    ['nothing', json(''), { kind: 'invalid-reply' }],
    ['JSON of something else', json('{"status":"ok"}'), { kind: 'invalid-reply' }],
    ['a list', json('[1]'), { kind: 'invalid-reply' }],
    ['broken text', json(Buffer.from([0x7b, 0xff, 0xfe])), { kind: 'invalid-reply' }],
    [
      'a no, with its own token inside',
      json('{"success":false,"msg":"no\\n\\u001b[31m node-token","obj":null}'),
      { kind: 'declined', message: 'remote: no [31m …' },
    ],
    ['too much', json('x'.repeat(70_000)), { kind: 'too-large' }],
    [
      'too much, packed small',
      json(gzipSync(Buffer.alloc(5_000_000)), { 'content-encoding': 'gzip' }),
      { kind: 'too-large' },
    ],
    [
      'a server error',
      (_, response) => (response.writeHead(503).end('secret of the server'), true),
      { kind: 'status', status: 503, message: 'HTTP 503 from remote panel' },
    ],
    ['a connection that breaks off', (_, response) => (response.destroy(), true), { kind: 'unreachable' }],
    [
      'half an answer',
      (_, response) => (response.writeHead(200, { 'content-length': '100' }).write('{'), response.destroy(), true),
      { kind: 'unreachable' },
    ],
  ])('fails when the reply is %s', async (_, fault, expected) => {
    const { panel, address } = await start();
    panel.fault = fault;
    const error = await failure(nodes.probe(address));
    expect(error).toMatchObject(expected);
    expect(error.message).not.toContain('node-token');
  });

  it('follows no redirect: the token goes nowhere else', async () => {
    const { panel, address } = await start();
    const elsewhere = await start();
    panel.fault = (_, response) => (
      response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.panel.port}/panel/api/server/status` }).end(),
      true
    );
    expect(await failure(nodes.probe(address))).toMatchObject({
      ...{ kind: 'status', status: 302, message: 'HTTP 302 from remote panel: redirects are not followed' },
    });
    expect(elsewhere.panel.knocks).toBe(0);
  });

  it('has a timeout, also for a slow body', async () => {
    const { panel, address } = await start();
    const open: ServerResponse[] = [];
    panel.fault = (_, response) => (open.push(response), true);
    const silent = askNode(web, address, { path: 'x', timeoutMs: 50 });
    expect(await failure(silent)).toMatchObject({ kind: 'timeout', message: '127.0.0.1 did not respond in time' });
    panel.fault = (_, response) => (response.writeHead(200).write('{'), true);
    expect(await failure(askNode(web, address, { path: 'x', timeoutMs: 50 }))).toMatchObject({ kind: 'timeout' });
  });

  it('names the problem of a certificate', async () => {
    const certificate = await makeCertificate(['other.example']);
    onTestFinished(() => certificate.remove());
    const { panel, address } = await start({ tls: { cert: certificate.certPem, key: certificate.keyPem } });
    const error = await failure(nodes.probe(address));
    expect(error.kind).toBe('certificate');
    expect(error.message).toMatch(/^The certificate of 127\.0\.0\.1 is not trusted \([A-Z_]+\)$/);
    expect(panel.calls).toStrictEqual([]);
  });

  it('sends no packet to a private address unless it is allowed for the node', async () => {
    const { panel, address } = await start();
    await nodes.probe(address);
    const knocks = panel.knocks;
    for (const host of ['127.0.0.1', 'localhost', '::ffff:7f00:1', '0.0.0.0', '::1'])
      expect(await failure(nodes.probe({ ...address, host, allowPrivateAddress: false }))).toMatchObject({
        ...{ kind: 'refused', message: `blocked private/internal address ${host}` },
      });
    expect(panel.knocks).toBe(knocks);
  });

  it('of a closed port is unreachable', async () => {
    const { panel, address } = await start();
    await panel.stop();
    expect(await failure(nodes.probe(address))).toMatchObject({ kind: 'unreachable' });
  });
});

describe('a request to a node', () => {
  it('is a form or JSON', async () => {
    const { panel, address } = await start();
    panel.routes.push(['POST', /^panel\/api\/inbounds\/add$/, () => ({ obj: { id: 7 } })]);
    const path = 'panel/api/inbounds/add';
    expect(await askNode(web, address, { method: 'POST', path, form: { remark: 'a b&c', port: '443' } })).toEqual({
      id: 7,
    });
    expect(await askNode(web, address, { method: 'POST', path, json: { enable: true } })).toEqual({ id: 7 });
    expect(panel.calls.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/x-www-form-urlencoded', 'remark=a+b%26c&port=443'],
      ['application/json', '{"enable":true}'],
    ]);
  });

  it('gives null for an envelope without an object', () => {
    expect(openEnvelope(Buffer.from('{"success":true}'))).toBeNull();
    expect(openEnvelope(Buffer.from('{"success":true,"msg":null,"obj":[]}'))).toEqual([]);
  });
});
