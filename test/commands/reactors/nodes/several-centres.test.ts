import { describe, expect, it, onTestFinished } from 'vitest';
import { message } from '../../../../src/messages/message.js';
import { clientSpec, HOUR, identity } from '../../../kit/builders.js';
import { alice, bob, type Centre, nodeOne, startCentre, withPortolan, withXui } from './kit.js';

const reasonOf = ({ read }: Centre) => read.nodes.outbox(nodeOne)[0]?.refused?.reason ?? null;
const other = { spec: { remark: 'of the other' } };

/** A second centre for the same node: a former one, or one that was set up by mistake. */
function secondCentre(port: number, ...identified: Parameters<Centre['identify']>): Centre {
  const centre = startCentre();
  const [kind, panelId] = identified;
  centre.addNode(port, { kind, panelId });
  return centre;
}

describe('two centres of one node', () => {
  it('do not adopt an inbound of each other: the second one is refused and leaves it alone', async () => {
    const { remote, ...first } = await withPortolan();
    const second = secondCentre(remote.port, 'portolan', remote.read.identity.panelId);
    first.addInbound([alice]);
    await first.round();
    second.addInbound([bob], other);
    for (let n = 0; n < 3; n += 1) {
      await second.round();
      expect((await first.round()).map(({ type }) => type)).toStrictEqual([]);
      second.clock.advance(HOUR);
    }
    expect(reasonOf(second)).toStrictEqual(message('node.managedByAnother'));
    expect([...remote.read.clients.all()].map((client) => client.identity.email)).toStrictEqual(['alice']);
    expect(remote.read.inbounds.all().map(({ remark }) => remark)).not.toContain('of the other');
    expect(first.read.nodes.outbox(nodeOne)[0]).toMatchObject({ refused: null, waiting: [] });
    expect(second.notifications).toStrictEqual([
      'A node is not applying changes | Oslo: in-1: Another panel manages this inbound on the node',
    ]);
  });

  it('cannot have clients with the same email, which has one counter there', async () => {
    const { remote, ...first } = await withPortolan();
    const second = secondCentre(remote.port, 'portolan', remote.read.identity.panelId);
    const anna = { identity: identity('anna', { subId: 'anna' }), spec: clientSpec({ capBytes: 1000 }) };
    first.addInbound([{ ...alice, ...anna }]);
    await first.round();
    second.addInbound([{ ...bob, ...anna }, alice], { spec: { port: 8443, tag: 'in-2' } });
    await second.round();
    expect(reasonOf(second)).toStrictEqual(message('node.emailTaken'));
    expect(remote.read.inbounds.all().map(({ tag }) => tag)).toStrictEqual(['in-1', 'in-2']);
    const [, two] = remote.read.inbounds.all();
    expect(two && remote.read.clients.ofInbound(two.id).map((client) => client.identity.email)).toStrictEqual([
      'alice',
    ]);
    expect(await second.round()).toStrictEqual([]);
  });

  it('that share an inbound disable their own clients and change nothing else', async () => {
    const { remote, xui, asked, ...first } = await withXui();
    const inbound = first.addInbound([alice, bob]);
    await first.round();
    const mark = 'portolan:0190a000-0000-7000-8000-000000000000:1';
    const settings = JSON.parse(xui.byTag('in-1').settings) as { clients: object[] };
    settings.clients.push({ id: 'their-id', email: 'carl', enable: true, comment: mark });
    Object.assign(xui.byTag('in-1'), { settings: JSON.stringify(settings), remark: 'of the other' });
    asked();
    await first.round();
    expect([asked(), reasonOf(first)]).toStrictEqual([[], message('node.sharedInbound')]);
    expect(first.read.nodes.unmanagedItems(nodeOne)?.clients).toStrictEqual([{ inboundTag: 'in-1', email: 'carl' }]);
    first.remove(inbound, 'bob');
    await first.settled();
    expect(asked()).toStrictEqual([
      expect.stringMatching(/updateClient/),
      expect.stringMatching(/delClientByEmail\/bob$/),
    ]);
    first.must({ type: 'DeleteInbound', data: { inbound } });
    first.clock.advance(HOUR);
    await first.settled();
    expect(asked()).toStrictEqual([
      expect.stringMatching(/updateClient/),
      expect.stringMatching(/delClientByEmail\/alice$/),
    ]);
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['carl']);
    expect(reasonOf(first)).toStrictEqual(message('node.sharedInbound'));
    // After the other centre is gone, the rest is removed.
    xui.byTag('in-1').settings = '{"clients":[]}';
    first.clock.advance(HOUR);
    await first.settled();
    expect([xui.inbounds, first.types().at(-1)]).toStrictEqual([[], 'NodeInboundRemoved']);
    expect(remote.calls.length).toBeGreaterThan(0);
  });
});

describe('an inbound that something else on the node keeps changing', () => {
  const spoils = {
    'is changed': (xui: Awaited<ReturnType<typeof withXui>>['xui']) => void (xui.byTag('in-1').remark = 'mine'),
    'is taken away': (xui: Awaited<ReturnType<typeof withXui>>['xui']) => void xui.inbounds.splice(0),
  };

  it.each(Object.keys(spoils))('and %s is repaired less and less often, with one notification', async (name) => {
    const { round, addInbound, xui, asked, clock, notifications, journal, ...centre } = await withXui();
    addInbound([alice]);
    await round();
    asked();
    const spoil = spoils[name as keyof typeof spoils];
    for (let n = 0; n < 5; n += 1) {
      spoil(xui);
      await round();
      clock.advance(5000);
      expect(asked()).toHaveLength(1);
    }
    spoil(xui);
    await round();
    expect(asked()).toStrictEqual([]);
    const why = message('node.changedRepeatedly');
    const entry = () => centre.read.nodes.outbox(nodeOne)[0];
    expect(entry()?.refused?.reason).toStrictEqual(why);
    expect(centre.sync.retryAt(nodeOne, entry()?.inbound as never)).toBeGreaterThan(clock.now());
    // After half an hour of the same: few repairs, still refused, and no second notification.
    const { position } = journal.log.head();
    for (let n = 0; n < 30; n += 1) {
      clock.advance(60_000);
      spoil(xui);
      await round();
      expect(entry()?.refused?.reason).toStrictEqual(why);
    }
    expect(asked().length).toBeLessThan(12);
    expect(journal.log.read(position, 1000)).toStrictEqual([]);
    expect(notifications).toStrictEqual([
      'A node is not applying changes | Oslo: in-1: Something else on the node keeps changing this inbound',
    ]);
    // It is left alone: as soon as it stays as it is wanted for a while, that is said as well.
    for (let n = 0; n < 12; n += 1) {
      clock.advance(60_000);
      await round();
    }
    expect(entry()?.refused).toBeNull();
    expect(notifications.slice(1)).toStrictEqual(['A node has received all changes | Oslo']);
  });

  it('receives a change at once all the same', async () => {
    const { round, addInbound, xui, asked, edit, read } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    for (let n = 0; n < 7; n += 1) {
      xui.byTag('in-1').remark = 'mine';
      await round();
    }
    asked();
    edit(inbound, 'alice', { spec: clientSpec({ limitIp: 3 }) });
    await round();
    expect(asked()).toHaveLength(1);
    expect(read.nodes.outbox(nodeOne)[0]).toMatchObject({ refused: null, waiting: [] });
  });
});

describe('a node that is to be deleted', () => {
  it('has everything of this panel removed and its last bytes counted', async () => {
    const { round, addInbound, xui, sync, used, types } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    xui.inbounds.push({ ...xui.byTag('in-1'), id: 70, tag: 'its own', port: 9000, settings: '{}' });
    xui.count('in-1', 'alice', 3, 4);
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 2, remaining: 0, kept: 0 });
    expect(xui.inbounds.map(({ tag }) => tag)).toStrictEqual(['its own']);
    expect([used('alice'), types()]).toStrictEqual([
      7,
      ['NodeInboundApplied', 'NodeInboundApplied', 'NodeTrafficRecorded', 'NodeInboundRemoved', 'NodeInboundRemoved'],
    ]);
  });

  it('and is offline or disabled keeps its inbounds, and the result counts them', async () => {
    const { round, addInbound, remote, xui, sync, must, asked } = await withXui();
    addInbound([alice]);
    await round();
    asked();
    remote.fault = (_, response) => (response.destroy(), true);
    const untold = { removed: 0, remaining: 1, kept: 0 };
    expect(await sync.cleanUp(nodeOne)).toStrictEqual(untold);
    remote.fault = null;
    must({ type: 'SetNodeEnabled', data: { node: nodeOne, enabled: false } });
    expect([await sync.cleanUp(nodeOne), xui.inbounds.length, asked()]).toStrictEqual([untold, 1, []]);
  });

  it('and has unreadable or shared inbounds has them in the result', async () => {
    const { round, addInbound, xui, sync } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    xui.byTag('in-1').sniffing = '{';
    const theirs = { id: 'x', email: 'carl', comment: 'portolan:0190a000-0000-7000-8000-000000000000:1' };
    xui.byTag('in-2').settings = JSON.stringify({ clients: [...xui.clients('in-2'), theirs] });
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 0, remaining: 1, kept: 1 });
    expect(xui.clients('in-2').map(({ email }) => email)).toStrictEqual(['carl']);
  });

  it('is synchronised again when it was not deleted after all', async () => {
    const { round, addInbound, xui, sync } = await withXui();
    addInbound([alice]);
    await round();
    sync.begin();
    onTestFinished(() => sync.stop());
    await sync.cleanUp(nodeOne);
    await round();
    expect(xui.inbounds).toHaveLength(1);
  });
});
