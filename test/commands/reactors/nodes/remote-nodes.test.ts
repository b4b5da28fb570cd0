import { describe, expect, it, onTestFinished } from 'vitest';
import { emailKey } from '../../../../src/events/client/client-document.js';
import { message } from '../../../../src/messages/message.js';
import { clientSpec, HOUR, identity, inboundDraft, uuid } from '../../../kit/builders.js';
import { eventually } from '../../../kit/wait.js';
import { alice, bob, declined, nodeOne, withPortolan, withXui } from './kit.js';

describe('a 3x-ui node', () => {
  it('receives an inbound with its clients, which is recorded when the node lists it', async () => {
    const { round, addInbound, asked, xui, journal } = await withXui();
    const inbound = addInbound([alice, bob]);
    const { position } = journal.log.head();
    const events = await round();
    expect(asked()).toStrictEqual(['POST add']);
    expect(events.map(({ type, data, meta }) => [type, data, meta.actor.id])).toStrictEqual([
      [
        'NodeInboundApplied',
        { node: 1, inbound, tag: 'in-1', position, digest: expect.any(String), newClients: [1, 2], newInbound: true },
        'node-sync',
      ],
    ]);
    expect(xui.byTag('in-1')).toMatchObject({ port: 443, protocol: 'vless', enable: true, trafficReset: 'never' });
    expect(xui.clients('in-1').map(({ email, id, enable }) => [email, id, enable])).toStrictEqual([
      ['alice', uuid(1), true],
      ['bob', uuid(2), true],
    ]);
    // Nothing is left to do.
    expect(await round()).toStrictEqual([]);
    expect(asked()).toStrictEqual([]);
  });

  it('receives one client with one request', async () => {
    const { round, settled, addInbound, asked, edit, remove, xui, types } = await withXui();
    const inbound = addInbound([alice, bob]);
    await round();
    asked();
    edit(inbound, 'alice', { spec: clientSpec({ capBytes: 5000 }) });
    await round();
    expect(asked()).toStrictEqual([`POST updateClient/${uuid(1)}`]);
    expect(types()).toStrictEqual(['NodeInboundApplied']);
    expect(xui.clients('in-1')[0]).toMatchObject({ email: 'alice', totalGB: 5000 });
    remove(inbound, 'bob');
    await settled();
    expect(asked()).toStrictEqual([
      `POST updateClient/${uuid(2)}`,
      expect.stringMatching(/^POST \d+\/delClientByEmail\/bob$/),
    ]);
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice']);
  });

  it('has its traffic counted once, and clients disabled when all machines reach their cap', async () => {
    const { round, addInbound, xui, used, types, read, asked } = await withXui();
    addInbound([{ ...alice, spec: clientSpec({ capBytes: 1000 }) }, bob]);
    await round();
    xui.count('in-1', 'alice', 100, 200);
    const [traffic] = await round();
    expect([traffic?.type, traffic?.data, traffic?.meta.actor]).toStrictEqual([
      'NodeTrafficRecorded',
      {
        node: 1,
        clients: [[1, 100, 200, 100, 200, 300, [], 0, expect.any(Number)]],
        inbounds: [[1, 100, 0, 100, 0, 100, [], 0]],
        anomalies: [],
      },
      { kind: 'node', id: '1', name: 'Oslo', ip: null },
    ]);
    expect(await round()).toStrictEqual([]);
    asked();
    xui.count('in-1', 'alice', 0, 699);
    await round();
    expect([used('alice'), types()]).toStrictEqual([999, ['NodeTrafficRecorded']]);
    xui.count('in-1', 'alice', 1, 0);
    await round();
    expect(types()).toStrictEqual(['NodeTrafficRecorded', 'ClientDepleted', 'NodeInboundApplied']);
    expect(read.clients.firstByEmail('alice')?.depletion).toStrictEqual({
      reason: 'cap',
      usedBytes: 1000,
      capBytes: 1000,
    });
    expect(xui.clients('in-1')[0]).toMatchObject({ email: 'alice', enable: false });
  });

  it('has a counter reset when it was reset here', async () => {
    const { round, addInbound, xui, used, must, asked, types } = await withXui();
    const inbound = addInbound([{ ...alice, spec: clientSpec({ capBytes: 1000 }) }]);
    await round();
    xui.count('in-1', 'alice', 0, 1000);
    await round();
    asked();
    must({ type: 'ResetClientTraffic', data: { inbound, email: 'alice' } });
    await round();
    expect(asked()).toStrictEqual([
      expect.stringMatching(/resetClientTraffic\/alice$/),
      `POST updateClient/${uuid(1)}`,
    ]);
    expect(xui.row('alice')).toMatchObject({ up: 0, down: 0, enable: true });
    expect(types()).toStrictEqual(['NodeTrafficRecorded', 'NodeTrafficRecorded', 'NodeInboundApplied']);
    xui.count('in-1', 'alice', 0, 400);
    await round();
    expect(used('alice')).toBe(400);
  });

  it('is brought from any old state to the desired one, and no traffic is invented', async () => {
    const { round, settled, addInbound, xui, used, remove, must } = await withXui();
    const inbound = addInbound([alice, bob]);
    await round();
    xui.count('in-1', 'alice', 500, 0);
    await round();
    const old = structuredClone({ inbounds: xui.inbounds, rows: [...xui.rows] });
    xui.count('in-1', 'alice', 500, 0);
    await round();
    remove(inbound, 'bob');
    must({ type: 'AddClients', data: { inbound, clients: [{ ...bob, identity: identity('carol') }] } });
    await settled();
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'carol']);

    xui.inbounds.splice(0, xui.inbounds.length, ...old.inbounds);
    xui.rows.clear();
    for (const [email, row] of old.rows) xui.rows.set(email, row);
    const events = await settled();
    const traffic = events.find((event) => event.type === 'NodeTrafficRecorded');
    expect(traffic?.type === 'NodeTrafficRecorded' && traffic.data.anomalies).toStrictEqual([
      ['client', 1, 'decreased'],
      ['inbound', 1, 'decreased'],
    ]);
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'carol']);
    expect(used('alice')).toBe(1000);
    xui.count('in-1', 'alice', 70, 0);
    await round();
    expect(used('alice')).toBe(1070);
  });

  it('causes no traffic by a counter that doubles', async () => {
    const { round, addInbound, xui, used } = await withXui();
    addInbound([alice, bob]);
    await round();
    xui.count('in-1', 'alice', 1_000_000, 5_000_000);
    xui.count('in-1', 'bob', 10, 10);
    await round();
    // Its bytes of all time do not move.
    Object.assign(xui.row('alice'), { up: 2_000_000, down: 10_000_000 });
    await round();
    expect(used('alice')).toBe(6_000_000);
    // They move as well, and the inbound has carried nothing like it.
    Object.assign(xui.row('alice'), { up: 4_000_000, down: 20_000_000, allTime: 24_000_000 });
    xui.count('in-1', 'bob', 500, 500);
    await round();
    expect([used('alice'), used('bob')]).toStrictEqual([6_000_000, 1020]);
    xui.count('in-1', 'alice', 7, 0);
    await round();
    expect(used('alice')).toBe(6_000_007);
  });

  it('refuses an inbound whose tag it has on another port, and receives the others', async () => {
    const { round, addInbound, xui, asked, read, appended, must, clock } = await withXui();
    xui.inbounds.push({ ...blank, id: 70, tag: 'in-1', port: 9000, protocol: 'trojan' });
    const refused = addInbound([alice]);
    const taken = addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    expect(asked()).toStrictEqual(['POST add']);
    expect(appended().map(({ type, data }) => [type, 'inbound' in data && data.inbound])).toStrictEqual([
      ['NodeInboundRejected', refused],
      ['NodeInboundApplied', taken],
    ]);
    expect(read.nodes.outbox(nodeOne).map(({ waiting, refused: why }) => [waiting.length, why?.reason])).toStrictEqual([
      [2, message('node.foreignInbound')],
      [0, undefined],
    ]);
    // The same reason is not recorded again.
    clock.advance(HOUR);
    expect(await round()).toStrictEqual([]);
    expect(xui.byTag('in-1').port).toBe(9000);
    // After its deletion here, it is still not managed by this panel.
    must({ type: 'DeleteInbound', data: { inbound: refused } });
    await round();
    expect(xui.byTag('in-1').port).toBe(9000);
  });

  it('is retried later after a refusal, and sooner after a change', async () => {
    const { round, addInbound, xui, asked, clock, must, read } = await withXui();
    xui.inbounds.push({ ...blank, id: 70, tag: 'its own', port: 443, protocol: 'trojan' });
    const inbound = addInbound([alice]);
    await round();
    expect(asked()).toStrictEqual(['POST add']);
    const [entry] = read.nodes.outbox(nodeOne);
    expect(entry?.refused?.reason).toStrictEqual(declined('Something went wrong (Port already exists: 443 )'));
    await round();
    expect(asked()).toStrictEqual([]);
    clock.advance(HOUR);
    await round();
    expect(asked()).toStrictEqual(['POST add']);
    must({ type: 'UpdateInbound', data: { inbound, ...specOf(read.inbounds.get(inbound)), clients: [alice] } });
    await round();
    expect(asked()).toStrictEqual(['POST add']);
    expect(read.nodes.outbox(nodeOne)[0]).toMatchObject({ refused: null, waiting: [] });
  });

  it('has its tags and emails recorded with control characters escaped', async () => {
    const { round, addInbound, xui, read } = await withXui();
    addInbound([alice]);
    await round();
    xui.inbounds.push({ ...blank, id: 70, tag: 't\u0000\u202e<b>', port: 9000, protocol: 'trojan' });
    await round();
    expect(read.nodes.unmanagedItems(nodeOne)?.inboundTags).toStrictEqual(['t\\u0000\\u202e<b>']);
  });

  it('keeps its unmanaged items, which are recorded, also when a whole inbound is sent', async () => {
    const { round, addInbound, xui, read, must, clock } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    xui.inbounds.push({ ...blank, id: 70, tag: 'its own', port: 9000, protocol: 'trojan' });
    const own = xui.byTag('in-1');
    const settings = JSON.parse(own.settings) as { clients: object[] };
    settings.clients.push({ id: uuid(9), email: 'mallory', enable: true });
    own.settings = JSON.stringify(settings);
    const [seen] = await round();
    expect([seen?.type, seen?.data, seen?.meta.actor.kind]).toStrictEqual([
      'NodeUnmanagedItemsFound',
      { node: 1, inboundTags: ['its own'], clients: [{ inboundTag: 'in-1', email: 'mallory' }], omitted: 0 },
      'node',
    ]);
    clock.advance(HOUR);
    expect(await round()).toStrictEqual([]);
    must({ type: 'UpdateInbound', data: { inbound, ...specOf(read.inbounds.get(inbound)), clients: [alice] } });
    await round();
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'mallory']);
    expect([...read.clients.all()].map(({ identity: { email } }) => emailKey(email))).toStrictEqual(['alice']);
  });
});

describe('a change', () => {
  it('is sent at once, also when it is recorded at the end of a round', async () => {
    let last = (): void => undefined;
    const { addInbound, edit, sync, must, read, xui } = await withXui((panel) => ({
      ...panel,
      async onlines(node) {
        const emails = await panel.onlines(node);
        last();
        return emails;
      },
    }));
    // The next round would come far too late.
    must({ type: 'ChangeSettings', data: { changes: { pollSeconds: 60 } } });
    sync.begin();
    onTestFinished(() => sync.stop());
    const inbound = addInbound([alice]);
    last = () => {
      last = () => undefined;
      edit(inbound, 'alice', { spec: clientSpec({ limitIp: 4 }) });
    };
    await eventually(() => expect(xui.clients('in-1')[0]).toMatchObject({ limitIp: 4 }));
    await eventually(() => expect(read.nodes.outbox(nodeOne)[0]?.waiting).toStrictEqual([]));
  });
});

const blank = {
  ...{ up: 0, down: 0, allTime: 0, total: 0, remark: '', enable: true, expiryTime: 0, trafficReset: 'never' },
  ...{ listen: '', settings: '{}', streamSettings: '', sniffing: '' },
};

function specOf(inbound: { port: number } | undefined) {
  const { remark, listen, protocol, tag, capBytes, expiresAt, trafficReset, sniffing, config, enabled } =
    inbound as never;
  return {
    spec: { remark, listen, port: 8080, protocol, tag, capBytes, expiresAt, trafficReset, sniffing },
    config,
    enabled,
  } as never as { spec: never; config: never; enabled: boolean };
}

describe('a Portolan node', () => {
  it('receives its desired state, reports its counters, and loses what was deleted here', async () => {
    const { round, settled, addInbound, remote, must, remove, used, types } = await withPortolan();
    const inbound = addInbound([alice, bob]);
    await round();
    expect(types()).toStrictEqual(['NodeInboundApplied']);
    expect([...remote.read.clients.all()].map(({ identity: { email } }) => email)).toStrictEqual(['alice', 'bob']);
    remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    remote.given({
      type: 'RecordTraffic',
      data: { run: 'r', clients: [[1, 5, 6]], inbounds: [[1, 5, 6]], outbounds: [] },
    });
    await round();
    expect([used('alice'), types()]).toStrictEqual([11, ['NodeTrafficRecorded']]);
    remove(inbound, 'bob');
    await settled();
    expect([...remote.read.clients.all()].map(({ identity: { email } }) => email)).toStrictEqual(['alice']);
    must({ type: 'DeleteInbound', data: { inbound } });
    await settled();
    expect(types().at(-1)).toBe('NodeInboundRemoved');
    expect(remote.read.inbounds.all()).toStrictEqual([]);
  });

  it('keeps an inbound disabled that was disabled here while its cap was reached there', async () => {
    const { round, addInbound, remote, must } = await withPortolan();
    const inbound = addInbound([alice], { spec: { capBytes: 10 } });
    await round();
    remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    remote.given({
      type: 'RecordTraffic',
      data: { run: 'r', clients: [], inbounds: [[1, 5, 6]], outbounds: [] },
    });
    await round();
    const head = remote.log.head().position;
    must({ type: 'SetInboundEnabled', data: { inbound, enabled: false } });
    must({
      type: 'UpdateInbound',
      data: { inbound, ...inboundDraft({ spec: { capBytes: 1000 }, enabled: false, clients: [alice] }) },
    });
    await round();
    const changes = remote.log.read(head, 100).map(({ type }) => type);
    expect(changes.filter((type) => /^Inbound(Disabled|Enabled|Reactivated)$/.test(type))).toStrictEqual([
      ...['InboundDisabled', 'InboundReactivated'],
    ]);
    expect(remote.read.inbounds.all()).toMatchObject([{ enabled: false, depletion: null, capBytes: 1000 }]);
  });

  it('enables clients again that it disabled because its clock was ahead', async () => {
    const { round, addInbound, remote } = await withPortolan();
    const expiresAt = remote.now() + HOUR;
    addInbound([{ ...alice, spec: clientSpec({ expiresAt }) }], { spec: { expiresAt } });
    await round();
    remote.later(2 * HOUR);
    remote.given({ type: 'DepleteExpired', data: {} });
    remote.later(-2 * HOUR);
    remote.given({ type: 'DepleteExpired', data: {} });
    const shut = () =>
      [...remote.read.clients.all(), ...remote.read.inbounds.all()].map(({ depletion }) => depletion?.reason);
    expect(shut()).toStrictEqual(['expiry', 'expiry']);
    await round();
    expect(shut()).toStrictEqual([undefined, undefined]);
    expect(await round()).toStrictEqual([]);
  });
});
