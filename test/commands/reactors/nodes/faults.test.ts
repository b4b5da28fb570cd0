import { describe, expect, it } from 'vitest';
import { ANOTHER } from '../../../../src/commands/reactors/nodes/health.js';
import { message } from '../../../../src/messages/message.js';
import { clientNumber, clientSpec, HOUR, identity, T0 } from '../../../kit/builders.js';
import type { NodeFault } from '../../../kit/real/three-x-ui/three-x-ui-node.js';
import { alice, bob, declined, nodeOne, withPortolan, withXui } from './kit.js';

describe('a node that fails', () => {
  const faults: Record<string, NodeFault> = {
    garbage: (_, response) => (response.end('<html>'), true),
    'another envelope': (_, response) => (response.end('{"ok":1}'), true),
    'a list of nonsense': ({ url = '' }, response) =>
      url.endsWith('/list') && (response.end('{"success":true,"obj":{"a":1}}'), true),
    'a huge body': ({ url = '' }, response) =>
      url.endsWith('/list') && (response.end(Buffer.alloc(33 * 1024 * 1024, ' ')), true),
    'a redirect': (_, response) => (response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), true),
    'no body': (_, response) => (response.destroy(), true),
  };

  it.each(Object.keys(faults))('with %s is retried later and receives all changes then', async (name) => {
    const { round, addInbound, remote, xui, sync, clock, read, used } = await withXui();
    addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 5, 6);
    remote.fault = faults[name] ?? null;
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    expect((await round()).map(({ type }) => type)).toStrictEqual([]);
    const failed = sync.state(nodeOne);
    expect([failed.tries, failed.failingSince, failed.error === null]).toStrictEqual([1, T0, false]);
    expect(read.nodes.outbox(nodeOne).map(({ waiting }) => waiting.length)).toStrictEqual([0, 2]);
    const knocks = remote.knocks;
    await round();
    expect(remote.knocks).toBe(knocks); // it waits
    clock.advance(HOUR);
    await round();
    expect(sync.state(nodeOne).tries).toBe(2);
    remote.fault = null;
    clock.advance(HOUR);
    await round();
    expect([sync.state(nodeOne).error, used('alice')]).toStrictEqual([null, 11]);
    expect(read.nodes.outbox(nodeOne).map(({ waiting }) => waiting.length)).toStrictEqual([0, 0]);
    expect(xui.byTag('in-2').enable).toBe(true);
  });

  it('receives changes as soon as it responds again, and raises one alarm while it is behind', async () => {
    const { round, addInbound, remote, clock, notifications, sync } = await withXui();
    addInbound([alice]);
    remote.fault = (_, response) => (response.destroy(), true);
    await round();
    for (let n = 0; n < 3; n += 1) {
      clock.advance(4 * 60_000);
      await round();
    }
    expect(notifications).toStrictEqual([expect.stringMatching(/^A node is not applying changes \| Oslo: /)]);
    remote.fault = null;
    await round();
    expect(sync.state(nodeOne).tries).toBeGreaterThan(0);
    clock.advance(5_000);
    await round();
    expect(sync.state(nodeOne)).toMatchObject({ tries: 0, error: null });
    expect(notifications.slice(1)).toStrictEqual(['A node has received all changes | Oslo']);
  });

  it('has lasting failures and their end recorded', async () => {
    const { round, addInbound, remote, clock, journal, read, notifications } = await withXui();
    addInbound([alice]);
    const list =
      (body: string): NodeFault =>
      ({ url = '' }, response) =>
        url.endsWith('/list') && (response.end(body), true);
    remote.fault = list('{"success":false,"msg":"disk I/O error"}');
    const { position } = journal.log.head();
    const spoken = () =>
      journal.log.read(position, 1000).map(({ type, data }) => [type, 'reason' in data ? data.reason : '']);
    await round();
    clock.advance(2000);
    await round();
    expect(spoken()).toStrictEqual([]);
    const failing = ['NodeSyncFailed', declined('disk I/O error')];
    for (let n = 0; n < 4; n += 1) {
      clock.advance(10_000);
      await round();
    }
    expect(spoken()).toStrictEqual([failing]);
    expect(read.nodes.failing(nodeOne)).toMatchObject({ reason: failing[1], since: T0 + 12_000 });
    // Another reason is recorded too, and the alarm is raised after a minute.
    remote.fault = list('{"success":false,"msg":"database is locked"}');
    for (let n = 0; n < 8; n += 1) {
      clock.advance(10_000);
      await round();
    }
    expect(spoken()).toStrictEqual([failing, ['NodeSyncFailed', declined('database is locked')]]);
    expect(notifications).toStrictEqual([expect.stringMatching(/^A node is not applying changes \| Oslo: /)]);
    expect(read.nodes.failing(nodeOne)?.reason).toStrictEqual(declined('database is locked'));
    remote.fault = null;
    clock.advance(HOUR);
    await round();
    // One list that comes is no end of it; a minute of them is.
    expect(spoken().slice(2)).toStrictEqual([['NodeInboundApplied', '']]);
    clock.advance(60_000);
    await round();
    expect(spoken().slice(2)).toStrictEqual([
      ['NodeInboundApplied', ''],
      ['NodeSyncRecovered', ''],
    ]);
    expect(read.nodes.failing(nodeOne)).toBeUndefined();
  });

  it('lists an inbound or client that is nested too deeply: only that one is refused', async () => {
    const { round, addInbound, xui, read, warnings, used, clock } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    xui.inbounds.push({ ...xui.byTag('in-1'), id: 70, tag: 'deep', port: 9000, settings: deep });
    xui.byTag('in-2').settings = xui
      .byTag('in-2')
      .settings.replace('"clients": [', `"clients": [{"email":"d","z":${deep}},`);
    xui.count('in-1', 'alice', 1, 2);
    for (let n = 0; n < 3; n += 1) {
      clock.advance(60_000);
      await round();
    }
    expect(used('alice')).toBe(3);
    expect(read.nodes.unmanagedItems(nodeOne)?.inboundTags).toStrictEqual(['deep']);
    expect(read.nodes.outbox(nodeOne).map(({ refused }) => refused?.reason)).toStrictEqual([
      undefined,
      message('node.unreadableInbound'),
    ]);
    expect(warnings).toStrictEqual([]);
  });

  it('is logged once when it causes an unexpected error', async () => {
    const { round, addInbound, warnings, clock, sync } = await withXui((panel) => ({
      ...panel,
      listing: () => Promise.reject(new RangeError('Maximum call stack size exceeded')),
    }));
    addInbound([alice]);
    for (let n = 0; n < 4; n += 1) {
      await round();
      clock.advance(HOUR);
    }
    expect(warnings).toHaveLength(1);
    expect(sync.state(nodeOne)).toMatchObject({ error: message('node.syncFailed'), tries: 4 });
  });

  it('and was a 3x-ui and is now a Portolan receives nothing', async () => {
    const { round, addInbound, remote, xui, sync, clock } = await withXui();
    addInbound([alice]);
    await round();
    remote.status = { ...remote.status, panelId: '11111111-1111-4111-8111-111111111111' };
    const before = structuredClone(xui.inbounds);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    clock.advance(HOUR);
    expect((await round()).map(({ type }) => type)).toStrictEqual(['NodeWentOffline']);
    expect(sync.state(nodeOne).error).toStrictEqual(ANOTHER);
    expect(xui.inbounds).toStrictEqual(before);
    remote.status = null;
    clock.advance(HOUR);
    await round();
    expect(sync.state(nodeOne).error).toStrictEqual(message('node.replyNoStatus'));
  });

  it('that responds as another panel receives nothing, and its replies are ignored', async () => {
    const { round, addInbound, must, identify, read, sync, remote } = await withPortolan();
    addInbound([alice]);
    await round();
    expect(sync.state(nodeOne).error).toBeNull();
    // A node that was saved again reports its identity again, which is then that of another panel.
    must({ type: 'UpdateNode', data: { node: nodeOne, changes: {}, token: 'node-token' } });
    identify('portolan', 'another panel');
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    expect((await round()).map(({ type }) => type)).toStrictEqual(['NodeWentOffline']);
    expect(sync.state(nodeOne).error).toStrictEqual(ANOTHER);
    expect(remote.read.inbounds.all()).toHaveLength(1);
    expect(read.nodes.outbox(nodeOne)[1]?.waiting).toHaveLength(2);
  });

  it('that is disabled is not polled, and receives its changes when it is enabled', async () => {
    const { round, addInbound, must, remote, read, asked } = await withXui();
    addInbound([alice]);
    must({ type: 'SetNodeEnabled', data: { node: nodeOne, enabled: false } });
    await round();
    expect([remote.calls.length, read.nodes.outbox(nodeOne)[0]?.waiting.length]).toStrictEqual([0, 2]);
    must({ type: 'SetNodeEnabled', data: { node: nodeOne, enabled: true } });
    await round();
    expect(asked()).toStrictEqual(['POST add']);
  });

  it('and was deleted meanwhile has its replies ignored', async () => {
    let act = (): void => undefined;
    const { round, addInbound, must, xui, types, used } = await withXui((panel) => ({
      ...panel,
      async listing(node) {
        const listing = await panel.listing(node);
        act();
        return listing;
      },
    }));
    addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 5, 6);
    act = () => void must({ type: 'DeleteNode', data: { node: nodeOne } });
    await round();
    expect([types(), used('alice')]).toStrictEqual([['NodeDeleted'], 0]);
  });

  it('and does not keep what it accepted is refused after a few tries', async () => {
    const { round, addInbound, edit, remote, read, clock } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    // It accepts every request.
    remote.routes.unshift(['POST', /inbounds\/updateClient/, () => ({ msg: 'yes' })]);
    const updates = (): number => remote.calls.filter(({ path }) => path.includes('updateClient')).length;
    edit(inbound, 'alice', { spec: clientSpec({ limitIp: 3 }) });
    for (let n = 0; n < 3; n += 1) await round();
    expect(read.nodes.outbox(nodeOne)[0]?.refused?.reason).toStrictEqual(message('node.notKept'));
    const before = updates();
    await round();
    expect(updates()).toBe(before);
    clock.advance(HOUR);
    await round();
    expect(updates()).toBeGreaterThan(before);
  });
});

describe('what a node also reports', () => {
  it('are the connected clients and their addresses', async () => {
    const { round, addInbound, xui, read, clock, appended } = await withXui();
    addInbound([alice, bob]);
    xui.online = ['alice', 'unknown'];
    xui.ips.set('alice', ['203.0.113.5 (2026-05-13 12:00:00)', '2001:db8::7']);
    await round();
    expect(read.usage.onlineEmails(clock.now())).toStrictEqual(['alice']);
    const seen = appended().find((event) => event.type === 'ClientIpsSeen');
    expect([seen?.data, seen?.meta.actor.kind]).toStrictEqual([
      { client: 1, ips: ['203.0.113.5', '2001:db8::7'].map((ip) => ({ ip, seenAt: T0 })) },
      'node',
    ]);
    // Addresses that are known are not recorded again and again.
    clock.advance(5 * 60_000);
    expect((await round()).map(({ type }) => type)).toStrictEqual([]);
    xui.online = [];
    await round();
    expect(read.usage.onlineEmails(clock.now())).toStrictEqual([]);
  });

  it('is one counter for an email in several inbounds', async () => {
    const { round, addInbound, remote, used, remove } = await withPortolan();
    const shared = { identity: identity('alice', { subId: 'one' }), spec: clientSpec({ capBytes: 10_000 }) };
    const first = addInbound([{ ...alice, ...shared }]);
    addInbound([{ ...bob, ...shared }], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    const count = (bytes: number): void => {
      const growth = [[2, 0, bytes]] as const;
      const data = { run: 'r', clients: growth, inbounds: growth, outbounds: [] };
      remote.given({ type: 'RecordTraffic', data });
    };
    count(700);
    await round();
    expect(used('alice')).toBe(700);
    // The client that had the counter is removed: the other one continues from its value.
    remove(first, 'alice');
    await round();
    count(30);
    await round();
    await round();
    expect(used('alice')).toBe(730);
  });
});

describe('changes that need no request', () => {
  it('include the deletion of an inbound that the node does not have: it counts as applied', async () => {
    const { round, addInbound, must, xui, read, types } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    xui.inbounds.splice(0);
    must({ type: 'DeleteInbound', data: { inbound } });
    expect(read.nodes.outbox(nodeOne)[0]?.waiting).toHaveLength(2);
    await round();
    expect([types(), read.nodes.outbox(nodeOne)[0]?.waiting]).toStrictEqual([['NodeInboundRemoved'], []]);
    expect(await round()).toStrictEqual([]);
  });

  it('are recorded once: two inbounds with one email start one counter, and both have its baseline', async () => {
    const { round, addInbound, must } = await withPortolan();
    const shared = { identity: identity('alice', { subId: 'one' }) };
    const later = addInbound();
    addInbound([{ ...alice, ...shared }], { spec: { port: 8443, tag: 'in-2' } });
    must({ type: 'AddClients', data: { inbound: later, clients: [{ ...bob, ...shared }] } });
    const events = await round();
    expect(events.map(({ data }) => 'newClients' in data && [data.inbound, data.newClients])).toStrictEqual([
      [1, [2]],
      [2, [1]],
    ]);
    expect(await round()).toStrictEqual([]);
  });
});

describe('a large inbound', () => {
  it('is parsed in a thread and synchronized with all of its clients, and an edit is one request', async () => {
    const { round, addInbound, must, read, edit, xui, asked } = await withXui();
    const inbound = addInbound();
    const clients = Array.from({ length: 1500 }, (_, i) => ({
      ...alice,
      identity: identity(`client ${i}`),
      credential: { id: `11111111-2222-4333-8444-${String(i).padStart(12, '0')}`, password: '', auth: '' },
    }));
    must({ type: 'AddClients', data: { inbound, clients } });
    await round();
    expect(asked()).toStrictEqual(['POST add', expect.stringMatching(/^POST update\/\d+$/)]);
    expect(xui.clients('in-1')).toHaveLength(1500);
    expect(read.nodes.outbox(nodeOne)[0]?.waiting).toStrictEqual([]);
    expect(read.nodes.baseline('clients', clientNumber(1500))).toMatchObject({ up: 0, down: 0 });
    edit(inbound, 'client 700', { spec: clientSpec({ limitIp: 2 }) });
    await round();
    expect(asked()).toHaveLength(1);
  });
});

describe('a listing with an invalid member', () => {
  type Row = Record<string, unknown> & { clientStats: Record<string, unknown>[] };
  const ruin: Record<string, (row: Row) => unknown> = {
    'inbounds[0].up': (row) => (row['up'] = '1000'),
    'inbounds[0].down': (row) => (row['down'] = -1),
    'inbounds[0].allTime': (row) => (row['allTime'] = 1.5),
    'inbounds[0].enable': (row) => (row['enable'] = 'yes'),
    'inbounds[0].port': (row) => (row['port'] = '443'),
    'inbounds[0].tag': (row) => (row['tag'] = 7),
    'inbounds[0].id': (row) => (row['id'] = null),
    'inbounds[0].total': (row) => (row['total'] = {}),
    'inbounds[0].clientStats': (row) => Object.assign(row, { clientStats: {} }),
    'inbounds[0].clientStats[0]': (row) => Object.assign(row, { clientStats: [1] }),
    'inbounds[0].clientStats[0].up': (row) => row.clientStats.map((one) => (one['up'] = null)),
    'inbounds[0].clientStats[0].down': (row) => row.clientStats.map((one) => (one['down'] = 2 ** 60)),
    'inbounds[0].clientStats[0].email': (row) => row.clientStats.map((one) => (one['email'] = 5)),
    'inbounds[0].clientStats[0].enable': (row) => row.clientStats.map((one) => (one['enable'] = 1)),
    'inbounds[0].clientStats[0].lastOnline': (row) => row.clientStats.map((one) => (one['lastOnline'] = -5)),
  };

  it.each(Object.keys(ruin))('(%s) counts nothing and makes the node offline', async (where) => {
    const { round, addInbound, remote, xui, clock, used, sync } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    xui.count('in-2', 'bob', 5, 6);
    remote.fault = ({ url = '' }, response) => {
      if (!url.endsWith('/list')) return false;
      const obj = JSON.parse(JSON.stringify(xui.list())) as Row[];
      if (obj[0]) ruin[where]?.(obj[0]);
      return response.end(JSON.stringify({ success: true, obj })), true;
    };
    expect(await round()).toStrictEqual([]);
    clock.advance(HOUR);
    const reason = message('node.replyMember', { member: where });
    const offline = { type: 'NodeWentOffline', data: { node: nodeOne, reason } };
    expect((await round()).map(({ type, data }) => ({ type, data }))).toStrictEqual([offline]);
    expect([used('bob'), sync.state(nodeOne).error]).toStrictEqual([0, reason]);
    expect(sync.health(nodeOne)).toMatchObject({ status: 'offline', lastError: reason });
    remote.fault = null;
    clock.advance(HOUR);
    await round();
    expect(used('bob')).toBe(11);
    expect((await round()).map(({ type }) => type)).toStrictEqual(['NodeWentOnline']);
    expect(sync.health(nodeOne)).toMatchObject({ status: 'online', lastError: null });
  });

  it('has the same effect as an invalid list of online clients', async () => {
    const { round, addInbound, remote, clock, sync } = await withXui();
    addInbound([alice]);
    remote.fault = ({ url = '' }, response) =>
      url.endsWith('/onlines') && (response.end('{"success":true,"obj":{"alice":1e999}}'), true);
    await round();
    clock.advance(HOUR);
    await round();
    const lastError = message('node.replyMember', { member: 'onlines' });
    expect(sync.health(nodeOne)).toMatchObject({ status: 'offline', lastError });
  });
});

describe('a refused change', () => {
  it('is retried at once when an admin requests it, and when the desired state changes', async () => {
    const { round, addInbound, remote, sync, clock, must, asked, read } = await withXui();
    const inbound = addInbound([alice]);
    remote.fault = ({ url = '' }, response) =>
      url.endsWith('/add') && (response.end('{"success":false,"msg":"Port already exists: 443"}'), true);
    for (let n = 0; n < 12; n += 1) {
      await round();
      clock.advance(HOUR);
    }
    await round();
    asked();
    clock.advance(60_000);
    await round();
    expect(asked()).toStrictEqual([]);
    expect(sync.retryAt(nodeOne, inbound) - clock.now()).toBeGreaterThan(120_000);
    sync.retry(nodeOne);
    await round();
    expect(read.nodes.outbox(nodeOne)[0]?.refused?.reason).toStrictEqual(declined('Port already exists: 443'));
    expect(sync.retryAt(nodeOne, inbound) - clock.now()).toBeLessThan(10_000);
    remote.fault = null;
    must({ type: 'SetInboundEnabled', data: { inbound, enabled: false } });
    await round();
    expect(asked()).toStrictEqual(['POST add']);
    expect(read.nodes.outbox(nodeOne)[0]?.refused).toBeNull();
  });

  it('is retried at once when what blocked it is gone', async () => {
    const { round, settled, addInbound, must, clock, asked, read } = await withXui();
    const first = addInbound([alice], { spec: { listen: '192.0.2.8' } });
    await round();
    addInbound([bob], { spec: { listen: '192.0.2.9', tag: 'in-2' } });
    for (let n = 0; n < 12; n += 1) {
      clock.advance(HOUR);
      await round();
    }
    expect(read.nodes.outbox(nodeOne)[1]?.refused?.reason).toMatchObject({ code: 'node.declined' });
    asked();
    must({ type: 'DeleteInbound', data: { inbound: first } });
    await settled();
    expect(asked()).toStrictEqual(['POST setEnable/1', 'POST del/1', 'POST add']);
    expect(read.nodes.outbox(nodeOne)[1]?.refused).toBeNull();
  });

  it('of a whole node is retried soon after a change, and its backoff still grows', async () => {
    const { round, addInbound, remote, sync, clock } = await withXui();
    sync.begin();
    addInbound([alice]);
    remote.fault = ({ url = '' }, response) => url.endsWith('/list') && (response.end('<html>'), true);
    for (let n = 0; n < 12; n += 1) {
      await round();
      clock.advance(HOUR);
    }
    await round();
    const { tries } = sync.state(nodeOne);
    clock.advance(4_999);
    await round();
    expect(sync.state(nodeOne).tries).toBe(tries);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    expect(sync.state(nodeOne).tries).toBe(tries);
    clock.advance(1);
    await round();
    expect(sync.state(nodeOne).tries).toBe(tries + 1);
    clock.advance(50_000);
    await round();
    expect(sync.state(nodeOne).tries).toBe(tries + 1);
    await sync.stop();
  });
});
