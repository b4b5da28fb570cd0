import { describe, expect, it } from 'vitest';
import { clientSpec, credential, draft, uuid } from '../../../kit/builders.js';
import { type Centre, nodeOne, withPortolan, withXui } from './kit.js';

const named = (email: string, n: number, over: Parameters<typeof draft>[2] = {}) =>
  draft(email, n, { identity: { subId: email }, ...over });
const alice = named('alice', 1);
const bob = named('bob', 2);

/** A 3x-ui node that is polled every 5 s, and reads its own core in between. */
async function start() {
  const centre = await withXui();
  /** Seconds go by; every fifth second the node reads its core and the centre the node. `flow`: in each second. */
  const pass = async (seconds: number, flow: () => void = () => undefined): Promise<void> => {
    for (let n = 0; n < seconds; n += 1) {
      flow();
      centre.clock.advance(1000);
      if (Math.floor(centre.clock.now() / 1000) % 5 !== 0) continue;
      centre.xui.poll();
      await centre.sync.round(nodeOne);
    }
  };
  const restarts = () =>
    centre.journal.log.read(0, 10_000).flatMap((event) => (event.type === 'NodeCoreRestarted' ? [event.data] : []));
  return { ...centre, pass, restarts };
}

/** The traffic of a client number, also after its deletion. */
function countedFor({ journal }: Pick<Centre, 'journal'>, number: number): number {
  let sum = 0;
  for (const event of journal.log.read(0, 10_000))
    if (event.type === 'NodeTrafficRecorded')
      for (const [client, up, down] of event.data.clients) if (client === number) sum += up + down;
  return sum;
}

describe('traffic that a 3x-ui has not read from its core yet', () => {
  it('counts when a client is deleted, for the clients with its email elsewhere', async () => {
    const { addInbound, round, xui, remove, used, pass, ...centre } = await start();
    addInbound([alice], { local: true, spec: { tag: 'here', port: 8443 } });
    const inbound = addInbound([alice, bob]);
    await round();
    xui.flow('in-1', 'alice', 700);
    remove(inbound, 'alice');
    await round();
    expect(xui.clients('in-1').map(({ email, enable }) => [email, enable])).toStrictEqual([
      ['alice', false],
      ['bob', true],
    ]);
    await pass(15);
    expect([used('alice'), countedFor(centre, 2)]).toStrictEqual([700, 700]);
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['bob']);
    expect(centre.read.nodes.outbox(nodeOne)[0]?.waiting).toStrictEqual([]);
    expect([centre.restarts(), xui.restarts]).toStrictEqual([[], 0]);
  });

  it('counts when an inbound is deleted', async () => {
    const { addInbound, round, xui, must, used, pass } = await start();
    addInbound([alice], { local: true, spec: { tag: 'here', port: 8443 } });
    const inbound = addInbound([alice]);
    await round();
    xui.flow('in-1', 'alice', 700);
    must({ type: 'DeleteInbound', data: { inbound } });
    await round();
    expect(xui.byTag('in-1').enable).toBe(false);
    await pass(20);
    expect([used('alice'), xui.inbounds, xui.restarts]).toStrictEqual([700, [], 0]);
  });

  it('counts for an email in two inbounds when the client that has the counter is deleted', async () => {
    const { addInbound, round, xui, must, used, pass, asked } = await start();
    const first = addInbound([alice]);
    addInbound([alice, bob], { spec: { tag: 'in-2', port: 8443 } });
    await round();
    xui.flow('in-2', 'alice', 700);
    must({ type: 'DeleteInbound', data: { inbound: first } });
    await round();
    await pass(20);
    expect([used('alice'), xui.inbounds.map(({ tag }) => tag)]).toStrictEqual([700, ['in-2']]);
    expect(xui.clients('in-2').map(({ email }) => email)).toStrictEqual(['bob', 'alice']);
    xui.flow('in-2', 'alice', 50);
    await pass(10);
    expect([used('alice'), xui.restarts]).toStrictEqual([750, 0]);
    asked();
    await pass(10);
    expect(asked()).toStrictEqual([]);
  });

  it('is recorded when the node is back, before changes are sent', async () => {
    const { addInbound, round, xui, remove, used, pass, remote } = await start();
    addInbound([alice], { local: true, spec: { tag: 'here', port: 8443 } });
    const inbound = addInbound([alice, bob]);
    await round();
    remote.fault = (_, response) => (response.destroy(), true);
    xui.flow('in-1', 'alice', 700);
    remove(inbound, 'alice');
    await pass(60);
    xui.flow('in-1', 'alice', 7);
    remote.fault = null;
    await pass(60);
    expect([used('alice'), xui.clients('in-1').length]).toStrictEqual([707, 1]);
  });

  it('counts for the former client when a client is deleted and added again', async () => {
    const { addInbound, round, xui, remove, used, pass, must, ...centre } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    xui.count('in-1', 'alice', 0, 10_000);
    await round();
    xui.flow('in-1', 'alice', 700);
    remove(inbound, 'alice');
    must({ type: 'AddClients', data: { inbound, clients: [named('alice', 3)] } });
    await round();
    await pass(20);
    expect([used('alice'), countedFor(centre, 1), countedFor(centre, 3)]).toStrictEqual([0, 10_700, 0]);
    expect(xui.clients('in-1').map(({ id, email }) => [id, email])).toStrictEqual([
      [uuid(2), 'bob'],
      [uuid(3), 'alice'],
    ]);
    xui.flow('in-1', 'alice', 50);
    await pass(10);
    expect([used('alice'), countedFor(centre, 1)]).toStrictEqual([50, 10_700]);
  });

  it('counts for the former client when the whole inbound is deleted and added again', async () => {
    const { addInbound, round, xui, used, pass, must, ...centre } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    xui.flow('in-1', 'alice', 70_000);
    must({ type: 'DeleteInbound', data: { inbound } });
    addInbound([named('alice', 11), named('carl', 12)], { spec: { remark: 'again' } });
    await round();
    expect(xui.byTag('in-1')).toMatchObject({ remark: 'again', enable: true });
    expect(xui.clients('in-1').map(({ id }) => id)).toContain(uuid(12));
    await pass(20);
    expect(xui.clients('in-1').map(({ id }) => id)).toStrictEqual([uuid(12), uuid(11)]);
    expect([used('alice'), countedFor(centre, 1)]).toStrictEqual([0, 70_000]);
    xui.flow('in-1', 'alice', 50_000);
    await pass(10);
    expect([used('alice'), countedFor(centre, 1)]).toStrictEqual([50_000, 70_000]);
    expect(centre.read.nodes.outbox(nodeOne).map(({ waiting }) => waiting)).toStrictEqual([[], []]);
  });

  it('counts when a client is renamed, and its old email can be assigned at once', async () => {
    const { addInbound, round, xui, used, pass, edit, must } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    xui.flow('in-1', 'alice', 700);
    edit(inbound, 'alice', named('carol', 1));
    must({ type: 'AddClients', data: { inbound, clients: [named('alice', 3)] } });
    await round();
    await pass(30);
    expect([used('carol'), used('alice'), xui.restarts]).toStrictEqual([700, 0, 0]);
    xui.flow('in-1', 'alice', 5);
    xui.flow('in-1', 'carol', 6);
    await pass(10);
    expect([used('carol'), used('alice')]).toStrictEqual([706, 5]);
  });

  it('counts for the right client when two clients exchange emails', async () => {
    const { addInbound, round, xui, pass, edit, clock, ...centre } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    xui.count('in-1', 'bob', 0, 100_000);
    await round();
    xui.flow('in-1', 'alice', 700);
    edit(inbound, 'alice', named('dora', 1));
    edit(inbound, 'bob', named('alice', 2));
    edit(inbound, 'dora', named('bob', 1));
    await round();
    await pass(60);
    expect(xui.clients('in-1').map(({ id, email }) => [id, email])).toStrictEqual([
      [uuid(1), 'bob'],
      [uuid(2), 'alice'],
    ]);
    expect([countedFor(centre, 1), countedFor(centre, 2)]).toStrictEqual([700, 100_000]);
    xui.flow('in-1', 'bob', 5);
    xui.flow('in-1', 'alice', 6);
    await pass(10);
    expect([countedFor(centre, 1), countedFor(centre, 2), clock.now() > 0]).toStrictEqual([705, 100_006, true]);
  });
});

describe('connections that a 3x-ui does not close', () => {
  it('of a disabled client are closed by one restart of the core, only after they were observed', async () => {
    const { addInbound, round, xui, pass, edit, restarts } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    const flow = (): void => {
      if (xui.restarts === 0) xui.flow('in-1', 'alice', 100);
      xui.flow('in-1', 'bob', 100);
    };
    await pass(10, flow);
    edit(inbound, 'alice', { spec: clientSpec({ enabled: false }) });
    await round();
    await pass(5, flow);
    expect(xui.restarts).toBe(0);
    await pass(15, flow);
    expect(xui.restarts).toBe(1);
    expect(restarts()).toStrictEqual([{ node: 1, clients: [1], inbounds: [] }]);
    await pass(120, flow);
    expect(xui.restarts).toBe(1);
  });

  it('are closed by one restart for all clients and inbounds, whatever disabled them', async () => {
    const { addInbound, round, xui, pass, edit, remove, must, restarts } = await start();
    const inbound = addInbound([alice, bob, named('carl', 3), named('dora', 4)]);
    const second = addInbound([named('erik', 5)], { spec: { tag: 'in-2', port: 8443 } });
    const third = addInbound([named('fina', 6)], { spec: { tag: 'in-3', port: 8444 } });
    await round();
    const flow = (): void => {
      if (xui.restarts > 0) return;
      for (const email of ['alice', 'bob', 'carl']) xui.flow('in-1', email, 100);
      xui.flow('in-2', 'erik', 20_000);
      xui.flow('in-3', 'fina', 20_000);
    };
    await pass(8, flow);
    edit(inbound, 'alice', { spec: clientSpec({ enabled: false }) });
    remove(inbound, 'bob');
    must({ type: 'SetInboundEnabled', data: { inbound: second, enabled: false } });
    must({ type: 'DeleteInbound', data: { inbound: third } });
    await round();
    await pass(40, flow);
    expect(xui.restarts).toBe(1);
    expect(restarts()).toStrictEqual([{ node: 1, clients: [1, 2, 5, 6], inbounds: [2, 3] }]);
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'carl', 'dora']);
    expect(xui.inbounds.map(({ tag }) => tag)).toStrictEqual(['in-1', 'in-2']);
  });

  it('are closed within 30 s when the total of all machines reaches a cap', async () => {
    const { addInbound, round, xui, clock, must, sync, read, journal } = await start();
    const capped = named('alice', 1, { spec: { capBytes: 1_000_000 } });
    addInbound([capped], { local: true, spec: { tag: 'here', port: 8443 } });
    addInbound([capped, bob]);
    await round();
    must({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    must({ type: 'RecordTraffic', data: { run: 'r', clients: [[1, 0, 900_000]], inbounds: [], outbounds: [] } });
    let [seconds, reached] = [0, 0];
    for (let next = 0; xui.restarts === 0 && seconds < 120; seconds += 1) {
      xui.flow('in-1', 'alice', 10_000);
      clock.advance(1000);
      if (reached === 0 && seconds * 10_000 >= 100_000) reached = seconds;
      if (seconds % 5 === 3) xui.poll();
      if (seconds < next) continue;
      await sync.round(nodeOne);
      next = seconds + Math.ceil(Math.max(1000, sync.state(nodeOne).nextAt - clock.now()) / 1000);
    }
    expect(read.clients.firstByEmail('alice')?.depletion?.reason).toBe('cap');
    expect(seconds - reached).toBeLessThanOrEqual(30);
    expect(journal.log.read(0, 1000).filter(({ type }) => type === 'NodeCoreRestarted')).toHaveLength(1);
  });

  it('are closed after a new id if they still transfer data', async () => {
    const { addInbound, round, xui, pass, edit, restarts } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    const flow = (): void => void (xui.restarts === 0 && xui.flow('in-1', 'alice', 100));
    await pass(10, flow);
    edit(inbound, 'alice', { credential: credential({ id: uuid(9) }) });
    edit(inbound, 'bob', { credential: credential({ id: uuid(8) }) });
    await round();
    expect(xui.clients('in-1').map(({ id }) => id)).toStrictEqual([uuid(9), uuid(8)]);
    await pass(20, flow);
    expect([xui.restarts, restarts()]).toStrictEqual([1, [{ node: 1, clients: [1], inbounds: [] }]]);
    // A connection with the new id is allowed.
    await pass(60, () => xui.flow('in-1', 'alice', 100));
    expect(xui.restarts).toBe(1);
  });

  it('are closed after a rename if they are never idle, because they would not be counted', async () => {
    const { addInbound, round, xui, pass, edit, used } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    const flow = (): void => void (xui.restarts === 0 && xui.flow('in-1', 'alice', 100));
    await pass(10, flow);
    edit(inbound, 'alice', named('carol', 1));
    await round();
    await pass(30, flow);
    expect([xui.clients('in-1')[0]?.['email'], xui.restarts]).toStrictEqual(['carol', 1]);
    expect(used('carol')).toBeGreaterThanOrEqual(2500);
  });

  it('stay open if the same email may still connect, or if they are idle', async () => {
    const { addInbound, round, xui, pass, edit, remove } = await start();
    const inbound = addInbound([alice, bob]);
    addInbound([alice], { spec: { tag: 'in-2', port: 8443 } });
    await round();
    const flow = (): void => xui.flow('in-2', 'alice', 100);
    await pass(10, flow);
    remove(inbound, 'alice');
    edit(inbound, 'bob', { spec: clientSpec({ enabled: false }) });
    await round();
    await pass(60, flow);
    expect([xui.restarts, xui.clients('in-1').map(({ email }) => email)]).toStrictEqual([0, ['bob']]);
  });

  it('cause fewer and fewer restarts if a restart does not help or is declined', async () => {
    const { addInbound, round, xui, pass, edit, remote, warnings, restarts } = await start();
    const inbound = addInbound([alice, bob]);
    await round();
    const flow = (): void => xui.flow('in-1', 'alice', 100);
    await pass(10, flow);
    edit(inbound, 'alice', { spec: clientSpec({ enabled: false }) });
    remote.fault = ({ url = '' }, response) =>
      url.endsWith('/restartXrayService') && (response.end('{"success":false,"msg":"no"}'), true);
    await pass(60, flow);
    expect([restarts(), xui.restarts]).toStrictEqual([[], 0]);
    expect(warnings.length).toBeLessThanOrEqual(3);
    remote.fault = null;
    await pass(600, flow);
    expect(xui.restarts).toBeLessThanOrEqual(3);
    expect(restarts()).toHaveLength(xui.restarts);
  });

  it('cause no restart of a Portolan', async () => {
    const { addInbound, round, settled, edit, remote, types } = await withPortolan();
    const inbound = addInbound([alice, bob]);
    await round();
    remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    edit(inbound, 'alice', { spec: clientSpec({ enabled: false }) });
    for (let n = 0; n < 4; n += 1) {
      remote.given({ type: 'RecordTraffic', data: { run: 'r', clients: [[1, 5, 5]], inbounds: [], outbounds: [] } });
      await settled();
    }
    expect(types()).not.toContain('NodeCoreRestarted');
  });
});

describe('traffic before a reset', () => {
  it('is included in the reset if the node can be queried', async () => {
    const { addInbound, round, xui, used, must, sync, warnings } = await start();
    const inbound = addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 300, 0);
    await sync.collect([nodeOne]);
    expect(used('alice')).toBe(300);
    must({ type: 'ResetClientTraffic', data: { inbound, email: 'alice' } });
    xui.count('in-1', 'alice', 7, 0);
    // The first round may still be the one that the reset requested.
    await round();
    await round();
    expect([used('alice'), warnings]).toStrictEqual([7, []]);
  });

  it('counts after the reset if the node is offline, without a delay', async () => {
    const { addInbound, round, xui, used, must, sync, remote, clock, warnings } = await start();
    const inbound = addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 300, 0);
    remote.fault = (_, response) => (response.destroy(), true);
    await sync.collect([nodeOne]);
    await sync.collect([nodeOne]);
    must({ type: 'ResetClientTraffic', data: { inbound, email: 'alice' } });
    remote.fault = null;
    clock.advance(60_000);
    await round();
    expect(used('alice')).toBe(300);
    expect(warnings.filter((line) => line.includes('could not be read before a change'))).toHaveLength(2);
  });

  it('is that of a listing that began after the call', async () => {
    let [lists, during] = [0, (): void => undefined];
    const { addInbound, xui, used, sync } = await withXui((panel) => ({
      ...panel,
      async listing(node) {
        lists += 1;
        const listing = await panel.listing(node);
        during();
        return listing;
      },
    }));
    addInbound([alice]);
    await sync.round(nodeOne);
    const before = lists;
    let collected: Promise<void> = Promise.resolve();
    during = () => {
      during = () => undefined;
      xui.count('in-1', 'alice', 300, 0);
      collected = sync.collect([nodeOne]);
    };
    await sync.round(nodeOne);
    await collected;
    expect([used('alice'), lists - before]).toStrictEqual([300, 2]);
    await sync.stop();
  });
});
