import { describe, expect, it } from 'vitest';
import { NodeId } from '../../../../src/events/ids.js';
import { linksForSubId } from '../../../../src/http/panel/codec/links.js';
import { NodeReply } from '../../../../src/http/panel/contract/nodes.js';
import { NodeSyncReply } from '../../../../src/http/panel/contract/schemas/node-sync.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { clientNumber, draft, first, inboundDraft, userId } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const node = NodeId.parse(1);
const place = { scheme: 'https' as const, host: '192.0.2.9', port: 2053, basePath: '/', allowPrivateAddress: false };
const alice = draft('alice', 1, { identity: { subId: 'sub-1' } });

async function start() {
  const panel = await startPanel();
  panel.given({ type: 'AddNode', data: { enabled: true, spec: { name: 'Oslo', remark: '', ...place }, token: 't' } });
  const browser = await panel.browser().login();
  const sync = async () => NodeSyncReply.parse((await browser.get('/panel/api/nodes/1/sync')).json?.obj);
  const add = (over: Parameters<typeof inboundDraft>[0] = {}): void =>
    panel.given({
      type: 'AddInbound',
      data: { ...inboundDraft({ clients: [alice], ...over }), owner: userId(1), node },
    });
  const list = async () => NodeReply.array().parse((await browser.get('/panel/api/nodes/list')).json?.obj);
  return { ...panel, browser, sync, list, add };
}

describe('the synchronization state of a node', () => {
  it('has the pending changes by inbound, with the reason', async () => {
    const { browser, sync, list, add, given, read, log } = await start();
    expect(await sync()).toMatchObject({ id: 1, name: 'Oslo', state: 'unknown', lag: 0, pending: [] });
    const queried = read.nodes.get(1);
    if (!queried) throw new Error('there is no node');
    given({ type: 'RecordNodeIdentity', data: { queried: queried, identity: { kind: '3x-ui', panelId: '' } } });
    expect(await sync()).toMatchObject({ state: 'synced' });
    add();
    const { position } = log.head();
    expect(await sync()).toMatchObject({
      ...{ state: 'behind', lag: 2, appliedPosition: position - 2, wantedPosition: position },
      pending: [
        {
          inboundId: 1,
          tag: 'in-1',
          deleted: false,
          lag: 2,
          firstPosition: position - 1,
          reason: '',
          reasonCode: null,
        },
      ],
    });
    const [inbound] = read.inbounds.all();
    if (!inbound) throw new Error('there is no inbound');
    const told = { queried, inbound: inbound.id };
    given({
      type: 'RecordNodeInboundRejected',
      data: { ...told, reason: message('node.declined', { why: verbatim('no') }) },
    });
    expect(await sync()).toMatchObject({
      state: 'refused',
      pending: [{ reason: 'remote: no', reasonCode: 'node.declined' }],
    });
    const shown = {
      ...{ syncState: 'refused', pendingChanges: 2, pendingReason: 'in-1: remote: no' },
      pending: [
        { inboundId: 1, tag: 'in-1', deleted: false, lag: 2, reason: 'remote: no', reasonCode: 'node.declined' },
      ],
    };
    expect(await list()).toMatchObject([shown]);
    expect((await browser.get('/panel/api/nodes/get/1')).json?.obj).toMatchObject(shown);
    const seen = { tag: 'in-1', position, digest: 'd', newClients: [], newInbound: true };
    given({ type: 'RecordNodeInboundApplied', data: { ...told, ...seen } });
    // The digest is one of passwords, which a reader of the feed could guess.
    const feed = await browser.get(`/panel/api/events?after=${log.head().position - 1}`);
    expect(feed.json?.obj).toMatchObject({ events: [{ type: 'NodeInboundApplied', data: { tag: 'in-1', position } }] });
    expect(feed.text).not.toContain('digest');
    given({
      type: 'RecordNodeUnmanagedItems',
      data: { queried: queried, inboundTags: ['own'], clients: [{ inboundTag: 'in-1', email: 'mallory' }], omitted: 0 },
    });
    expect(await sync()).toMatchObject({
      ...{ state: 'synced', lag: 0, appliedPosition: position, pending: [] },
      unmanaged: { inbounds: ['own'], clients: [{ inbound: 'in-1', email: 'mallory' }], omitted: 0 },
    });
    expect(await list()).toMatchObject([{ syncState: 'synced', pendingChanges: 0, pendingReason: '', pending: [] }]);
    given({
      type: 'RecordNodeCoreRestarted',
      data: { queried: queried, clients: [first, clientNumber(9)], inbounds: [] },
    });
    expect(await sync()).toMatchObject({ coreRestartedFor: { clients: ['alice', '#9'], inbounds: [] } });
    expect((await sync()).coreRestartedAt).toBeGreaterThan(0);
    given({ type: 'SetNodeEnabled', data: { node, enabled: false } });
    expect(await sync()).toMatchObject({ state: 'disabled' });
  });

  it('is a rejection for a node that does not exist', async () => {
    const { browser } = await start();
    expect((await browser.get('/panel/api/nodes/7/sync')).json).toMatchObject({ success: false });
  });
});

describe('the link of a client on a node', () => {
  const hostsOf = (links: readonly string[]) => links.map((link) => new URL(link).host);

  it('has the host of the node for any requested host, until the node is deleted', async () => {
    const { add, read, given } = await start();
    add();
    given({ type: 'ChangeSettings', data: { changes: { subDomain: 'panel.example' } } });
    const links = () => hostsOf(linksForSubId(read, 'sub-1', 'other.example', 0));
    expect(links()).toStrictEqual(['192.0.2.9:443']);
    given({ type: 'DeleteNode', data: { node } });
    expect(links()).toStrictEqual([]);
  });

  it('has its external proxies if any, otherwise the host of the node for any listen address', async () => {
    const { add, read } = await start();
    const proxy = {
      network: 'tcp',
      security: 'none',
      externalProxy: [{ dest: 'cdn.example', port: 8443, forceTls: 'same' }],
    };
    add({ spec: { listen: '198.51.100.7' } });
    add({
      spec: { port: 8080, tag: 'in-2' },
      config: { stream: proxy },
      clients: [draft('bob', 2, { identity: { subId: 'sub-1' } })],
    });
    expect(hostsOf(linksForSubId(read, 'sub-1', 'other.example', 0))).toStrictEqual([
      '192.0.2.9:443',
      'cdn.example:8443',
    ]);
  });
});
