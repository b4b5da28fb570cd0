import { describe, expect, it } from 'vitest';
import { NodeInboundAdopted } from '../../../../src/events/node/node-sync.js';
import { message } from '../../../../src/messages/message.js';
import { clientSpec, draft, HOUR } from '../../../kit/builders.js';
import { alice, bob, nodeOne, startCentre, withXui } from './kit.js';

const zoe = { id: 'own', email: 'zoe', enable: true, comment: 'paid in cash' };

/** A node as the panel before managed it, with all that it counted, and a centre to which that was moved. */
async function moved(clients: readonly object[], { remark = 'first', tag = 'in-1' } = {}) {
  const { addInbound, xui, ...centre } = await withXui();
  xui.inbounds.push({
    ...{ id: 70, up: 1000, down: 9000, allTime: 10_000, total: 0, remark, enable: true, expiryTime: 0 },
    ...{ trafficReset: 'never', listen: '', port: 443, protocol: 'vless', tag, sniffing: '{}' },
    ...{ settings: JSON.stringify({ clients, decryption: 'none' }), streamSettings: '' },
  });
  for (const { email } of clients as readonly { readonly email: string }[])
    xui.rows.set(email, {
      ...{ inboundId: 70, enable: true, email, up: 500, down: 4500, allTime: 5000, total: 0, expiryTime: 0 },
      lastOnline: 0,
    });
  const inbound = addInbound([alice, bob]);
  centre.journal.append(NodeInboundAdopted({ node: nodeOne, inbound, tag }));
  return { ...centre, xui, inbound };
}

const there = (of: typeof alice) => ({ id: of.credential.id, email: of.identity.email, enable: true, comment: '' });
const refusal = ({ read }: Pick<Awaited<ReturnType<typeof moved>>, 'read'>) =>
  read.nodes.outbox(nodeOne)[0]?.refused?.reason;

describe('an inbound that an imported panel managed on a node', () => {
  it('keeps its tag and its clients by their emails, and counts from the first listing', async () => {
    const { round, settled, xui, used, read, remove, inbound, asked } = await moved([there(alice), there(bob)]);
    const types = (await round()).map(({ type }) => type);
    expect(types).toStrictEqual(['NodeTrafficRecorded', 'NodeInboundApplied']);
    expect([used('alice'), used('bob'), read.nodes.unmanagedItems(nodeOne)]).toStrictEqual([0, 0, undefined]);
    expect(xui.clients('in-1').map(({ email, id }) => [email, id])).toStrictEqual(
      [alice, bob].map((of) => [of.identity.email, of.credential.id]),
    );
    xui.count('in-1', 'alice', 3, 4);
    await round();
    expect([used('alice'), used('bob')]).toStrictEqual([7, 0]);
    asked();
    remove(inbound, 'bob');
    await settled();
    expect(asked()).toStrictEqual([
      expect.stringMatching(/updateClient/),
      expect.stringMatching(/delClientByEmail\/bob$/),
    ]);
    expect([refusal({ read }), read.nodes.outbox(nodeOne)[0]?.waiting]).toStrictEqual([undefined, []]);
  });

  it('receives the changes of this panel, also under another tag, and keeps the clients of the node', async () => {
    const centre = await moved([there(alice), zoe], { remark: 'of before', tag: 'of-before' });
    await centre.round();
    centre.clock.advance(HOUR);
    await centre.round();
    expect(centre.xui.byTag('in-1')).toMatchObject({ id: 70, remark: 'first' });
    expect(centre.xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'bob', 'zoe']);
    expect(centre.xui.clients('in-1')[2]).toStrictEqual(zoe);
    expect(centre.read.nodes.unmanagedItems(nodeOne)?.clients).toStrictEqual([{ inboundTag: 'in-1', email: 'zoe' }]);
  });

  it('continues after a second import from the same panel', async () => {
    const { round, xui, remote } = await moved([there(alice), there(bob), zoe]);
    await round();
    const second = startCentre();
    second.addNode(remote.port, { kind: '3x-ui' });
    const inbound = second.addInbound([alice, bob]);
    second.journal.append(NodeInboundAdopted({ node: nodeOne, inbound, tag: 'in-1' }));
    await second.round();
    second.clock.advance(HOUR);
    second.edit(inbound, 'bob', { spec: clientSpec({ enabled: false }) });
    await second.round();
    expect([refusal(second), second.read.nodes.outbox(nodeOne)[0]?.waiting]).toStrictEqual([undefined, []]);
    expect(second.read.nodes.unmanagedItems(nodeOne)?.clients).toStrictEqual([{ inboundTag: 'in-1', email: 'zoe' }]);
    const marked = xui
      .clients('in-1')
      .map(({ email, enable, comment }) => [email, enable, String(comment).slice(0, 45)]);
    const own = `portolan:${second.read.identity.panelId}`;
    expect(marked).toStrictEqual([
      ['alice', true, own],
      ['bob', false, own],
      ['zoe', true, zoe.comment],
    ]);
    const settings: unknown = JSON.parse(xui.byTag('in-1')?.settings ?? '');
    expect(settings).toMatchObject({ managedBy: expect.stringMatching(`^${own}:1:`) });
  });

  it('is left alone if the node has another inbound with its tag', async () => {
    const centre = await moved([zoe], { remark: 'its own' });
    const before = structuredClone(centre.xui.inbounds);
    await centre.round();
    expect([refusal(centre), centre.asked()]).toStrictEqual([message('node.foreignInbound'), []]);
    expect(centre.xui.inbounds).toStrictEqual(before);
  });

  it('is added if the node no longer has it, and removed when it is deleted here', async () => {
    const { round, settled, xui, inbound, must, clock } = await moved([there(alice)]);
    xui.inbounds.splice(0);
    xui.rows.clear();
    await round();
    expect(xui.clients('in-1').map(({ email }) => email)).toStrictEqual(['alice', 'bob']);
    must({ type: 'AddClients', data: { inbound, clients: [draft('carol', 3)] } });
    clock.advance(HOUR);
    await round();
    must({ type: 'DeleteInbound', data: { inbound } });
    await settled();
    expect(xui.inbounds).toStrictEqual([]);
  });
});
