import { describe, expect, it } from 'vitest';
import { NodeError } from '../../../../src/commands/ports/remote-panel.js';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { draft, HOUR, uuid } from '../../../kit/builders.js';
import type { XuiInbound, XuiInbounds } from '../../../kit/real/three-x-ui/three-x-ui-inbounds.js';
import { alice, bob, type Centre, nodeOne, startCentre, withPortolan, withXui } from './kit.js';

const FOREIGN = message('node.foreignInbound');
const GUESTS = message('node.ownClients');
const typesOf = (events: readonly RecordedEvent[]) => events.map(({ type }) => type);
const refusalOf = ({ read }: Pick<Centre, 'read'>) => read.nodes.outbox(nodeOne)[0]?.refused?.reason ?? null;

const zoe = { id: uuid(9), email: 'zoe', enable: true, comment: '' };
/** An inbound that an admin of the node created and that equals the desired one. */
const own = (clients: readonly object[], over: Partial<XuiInbound> = {}): XuiInbound => ({
  ...{
    id: 70,
    up: 0,
    down: 0,
    allTime: 0,
    total: 0,
    remark: 'mine',
    enable: true,
    expiryTime: 0,
    trafficReset: 'never',
  },
  ...{ listen: '', port: 443, protocol: 'vless', tag: 'in-1', streamSettings: '', sniffing: '' },
  ...{ settings: JSON.stringify({ clients, decryption: 'none' }), ...over },
});
const join = (xui: XuiInbounds, ...guests: readonly object[]): void => {
  const settings = JSON.parse(xui.byTag('in-1').settings) as { clients: object[] };
  xui.byTag('in-1').settings = JSON.stringify({ ...settings, clients: [...settings.clients, ...guests] });
};
const unmark = (xui: XuiInbounds): void => {
  const { managedBy, ...settings } = JSON.parse(xui.byTag('in-1').settings) as Record<string, unknown>;
  expect(managedBy).toMatch(/^portolan:[\w-]+:1:\w{12}$/);
  xui.byTag('in-1').settings = JSON.stringify(settings);
};
const emails = (xui: XuiInbounds) => xui.clients('in-1').map(({ email }) => email);

describe('an inbound that the node created', () => {
  it.each([
    ['customers', [zoe]],
    ['no clients', []],
  ])('with %s in it is neither adopted nor removed, although it equals the desired one', async (_, clients) => {
    const { round, addInbound, must, xui, asked, clock, sync, read } = await withXui();
    xui.inbounds.push(own(clients));
    const before = structuredClone(xui.inbounds);
    const inbound = addInbound([alice]);
    expect(typesOf(await round())).toStrictEqual(['NodeInboundRejected']);
    expect(refusalOf({ read })).toStrictEqual(FOREIGN);
    clock.advance(HOUR);
    await round();
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 0, remaining: 0, kept: 0 });
    must({ type: 'DeleteInbound', data: { inbound } });
    await round();
    expect([asked(), xui.inbounds]).toStrictEqual([[], before]);
  });

  it('is not removed because an inbound of this panel had its tag before', async () => {
    const { round, settled, addInbound, must, xui, asked, sync } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    must({ type: 'DeleteInbound', data: { inbound } });
    expect(typesOf(await settled()).at(-1)).toBe('NodeInboundRemoved');
    asked();
    xui.inbounds.push(own([zoe]), own([], { id: 71, tag: 'in-2', port: 8443 }));
    expect(typesOf(await round())).toStrictEqual(['NodeUnmanagedItemsFound']);
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 0, remaining: 0, kept: 0 });
    expect([asked(), xui.inbounds.length]).toStrictEqual([[], 2]);
  });

  it('keeps its tag when an inbound of this panel is renamed to it, which keeps its old tag', async () => {
    const { round, addInbound, must, xui, asked, read } = await withXui();
    const inbound = addInbound([alice]);
    await round();
    xui.inbounds.push(own([zoe], { tag: 'in-9', port: 8443 }));
    const { remark, listen, port, protocol, capBytes, expiresAt, trafficReset, sniffing, config, enabled } =
      read.inbounds.get(inbound) ?? expect.fail('it is gone');
    const spec = { remark, listen, port, protocol, tag: 'in-9', capBytes, expiresAt, trafficReset, sniffing };
    must({ type: 'UpdateInbound', data: { inbound, spec, config, enabled, clients: [alice] } });
    asked();
    await round();
    expect([asked(), refusalOf({ read }), emails(xui)]).toStrictEqual([[], FOREIGN, ['alice']]);
  });

  it('that replaced one of this panel is left alone', async () => {
    const { round, addInbound, xui, asked, read } = await withXui();
    addInbound([alice]);
    await round();
    asked();
    xui.inbounds.splice(0, 1, own([zoe]));
    expect(typesOf(await round())).toStrictEqual(['NodeInboundRejected']);
    expect([asked(), refusalOf({ read }), emails(xui)]).toStrictEqual([[], FOREIGN, ['zoe']]);
  });

  it('is checked with every listing, and replaced by the desired one when it is gone', async () => {
    const { round, addInbound, xui, clock, sync, read, must } = await withXui();
    must({ type: 'ChangeSettings', data: { changes: { pollSeconds: 5 } } });
    xui.inbounds.push(own([zoe]));
    const inbound = addInbound([alice]);
    for (let n = 0; n < 12; n += 1) {
      await round();
      expect(sync.retryAt(nodeOne, inbound)).toBeLessThanOrEqual(clock.now() + 10_000);
      clock.advance(5000);
    }
    expect(refusalOf({ read })).toStrictEqual(FOREIGN);
    xui.inbounds.splice(0);
    expect(typesOf(await round())).toStrictEqual(['NodeInboundApplied']);
    expect(refusalOf({ read })).toBeNull();
  });
});

describe('an inbound that this panel created', () => {
  it.each([
    ['clients', [alice]],
    ['no clients', []],
  ])('with %s in it is recognised if the panel stopped before a listing showed it', async (_, clients) => {
    const { round, roundOfNewLife, addInbound, asked } = await withXui((panel) => ({
      ...panel,
      async add(node, wanted) {
        await panel.add(node, wanted);
        throw new NodeError('timeout', verbatim('it did not answer in time'));
      },
    }));
    addInbound(clients);
    expect(typesOf(await round())).toStrictEqual([]);
    expect(asked()).toStrictEqual(['POST add']);
    expect(typesOf(await roundOfNewLife())).toStrictEqual(['NodeInboundApplied']);
    expect(asked()).toStrictEqual([]);
  });

  it('from before the marks is still managed', async () => {
    const { round, roundOfNewLife, addInbound, must, xui, asked } = await withXui();
    const inbound = addInbound();
    await round();
    unmark(xui);
    asked();
    expect(typesOf(await roundOfNewLife())).toStrictEqual([]);
    must({ type: 'AddClients', data: { inbound, clients: [alice] } });
    expect(typesOf(await roundOfNewLife())).toStrictEqual(['NodeInboundApplied']);
    expect(asked()).toStrictEqual(['POST addClient']);
  });

  it('that returns with a restored disk is removed again', async () => {
    const { round, settled, addInbound, must, xui } = await withXui();
    const inbound = addInbound();
    await round();
    const old = structuredClone(xui.inbounds);
    must({ type: 'DeleteInbound', data: { inbound } });
    await settled();
    xui.inbounds.push(...old);
    await settled();
    expect(xui.inbounds).toStrictEqual([]);
  });

  it('is not adopted by another centre, also without clients', async () => {
    const { remote, ...first } = await withPortolan();
    first.addInbound();
    await first.round();
    const second = startCentre();
    second.addNode(remote.port, { panelId: remote.read.identity.panelId });
    const inbound = second.addInbound([bob], { spec: { remark: 'of the other' } });
    await second.round();
    expect(refusalOf(second)).toStrictEqual(message('node.managedByAnother'));
    expect(await first.round()).toStrictEqual([]);
    second.must({ type: 'DeleteInbound', data: { inbound } });
    await second.round();
    expect(await second.sync.cleanUp(nodeOne)).toStrictEqual({ removed: 0, remaining: 0, kept: 0 });
    expect(await first.round()).toStrictEqual([]);
    expect(remote.read.inbounds.all().map(({ remark }) => remark)).not.toContain('of the other');
    expect(remote.read.inbounds.all()).toHaveLength(1);
  });

  it('loses only the clients of this panel when it is deleted and contains others', async () => {
    const { round, settled, addInbound, must, xui, read, clock } = await withXui();
    const inbound = addInbound([alice, bob]);
    await round();
    join(xui, zoe);
    await round();
    must({ type: 'DeleteInbound', data: { inbound } });
    await settled();
    expect([emails(xui), refusalOf({ read })]).toStrictEqual([['zoe'], GUESTS]);
    xui.byTag('in-1').settings = '{"clients":[]}';
    clock.advance(5000);
    expect(typesOf(await settled()).at(-1)).toBe('NodeInboundRemoved');
    expect(xui.inbounds).toStrictEqual([]);
  });

  it.each([2, 40])('with %i clients of this panel loses only these when its node is deleted', async (count) => {
    const { round, addInbound, xui, sync, asked } = await withXui();
    addInbound(Array.from({ length: count }, (_, n) => draft(`client ${n}`, n + 10)));
    await round();
    join(xui, zoe);
    await round();
    asked();
    expect(await sync.cleanUp(nodeOne)).toStrictEqual({ removed: 0, remaining: 0, kept: 1 });
    expect([emails(xui), asked().length]).toStrictEqual([['zoe'], count > 20 ? 1 : count]);
  });
});
