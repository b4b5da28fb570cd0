import { describe, expect, it } from 'vitest';
import { NodeError } from '../../../../src/commands/ports/remote-panel.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { clientSpec, draft, HOUR } from '../../../kit/builders.js';
import type { XuiInbounds } from '../../../kit/real/three-x-ui/three-x-ui-inbounds.js';
import { alice, backupOf, bob, type Centre, nodeOne, withXui } from './kit.js';

const zoe = draft('zoe', 12);
const kim = draft('kim', 13);
const nina = draft('nina', 14);
const FOREIGN = message('node.foreignInbound');

const emails = (xui: XuiInbounds, tag = 'in-1') => xui.clients(tag).map(({ email }) => email);
const refusal = ({ read }: Centre, n = 0) => read.nodes.outbox(nodeOne)[n]?.refused?.reason ?? null;
const client = (xui: XuiInbounds, email: string) => xui.clients('in-1').find((one) => one['email'] === email);

/** Marks in the former format, which does not distinguish clients with the same number. */
function age(xui: XuiInbounds): void {
  for (const inbound of xui.inbounds)
    inbound.settings = inbound.settings.replace(/(portolan:[\w-]+:\d+):\w{12}/g, '$1');
}

/** A node with alice, a backup of its centre, and clients added after the backup: zoe is number 2, kim number 3. */
async function withLostClients(old = false) {
  const first = await withXui();
  const inbound = first.addInbound([alice]);
  await first.settled();
  const restore = backupOf(first);
  first.must({ type: 'AddClients', data: { inbound, clients: [zoe] } });
  first.must({ type: 'AddClients', data: { inbound, clients: [kim] } });
  await first.settled();
  for (const [email, bytes] of Object.entries({ alice: 10, zoe: 200, kim: 3000 }))
    first.xui.count('in-1', email, 0, bytes);
  await first.settled();
  if (old) age(first.xui);
  first.asked();
  const { xui, asked } = first;
  return { centre: restore(), xui, asked, inbound };
}

describe('a centre that was restored from a backup', () => {
  it.each([
    ['marks of now', false],
    ['marks of before', true],
  ])('recognises its clients by their uids, not by numbers that are assigned again, with %s', async (_, old) => {
    const { centre, xui, inbound } = await withLostClients(old);
    const { must, settled, used, clock } = centre;
    clock.advance(HOUR);
    await settled();
    expect([emails(xui), used('alice')]).toStrictEqual([['alice', 'zoe', 'kim'], 10]);
    expect(centre.read.nodes.unmanagedItems(nodeOne)?.clients.map(({ email }) => email)).toStrictEqual(['kim', 'zoe']);
    must({ type: 'AddClients', data: { inbound, clients: [kim] } });
    await settled();
    clock.advance(HOUR);
    must({ type: 'AddClients', data: { inbound, clients: [zoe] } });
    await settled();
    await settled();
    expect(refusal(centre)).toBeNull();
    expect(xui.clients('in-1').map(({ email, id }) => [email, id])).toStrictEqual(
      [alice, zoe, kim].map((of) => [of.identity.email, of.credential.id]),
    );
    expect([used('zoe'), used('kim')]).toStrictEqual([0, 0]);
    xui.count('in-1', 'zoe', 0, 5);
    xui.count('in-1', 'kim', 0, 70);
    await settled();
    expect([used('zoe'), used('kim')]).toStrictEqual([5, 70]);
    must({ type: 'AddClients', data: { inbound, clients: [nina] } });
    centre.edit(inbound, 'zoe', { spec: clientSpec({ enabled: false }) });
    await settled();
    expect(emails(xui)).toStrictEqual(['alice', 'zoe', 'kim', 'nina']);
    expect(xui.clients('in-1').map(({ enable }) => enable)).toStrictEqual([true, false, true, true]);
    centre.remove(inbound, 'kim');
    await settled();
    expect([emails(xui), centre.read.nodes.unmanagedItems(nodeOne)]).toStrictEqual([
      ['alice', 'zoe', 'nina'],
      undefined,
    ]);
  });

  it.each([
    ['alone', 1, false],
    ['among many, with the inbound as a whole', 40, false],
    ['alone, with marks of before', 1, true],
  ])('leaves an unknown client alone when its number is assigned again: %s', async (_, count, old) => {
    const { centre, xui, asked, inbound } = await withLostClients(old);
    const before = client(xui, 'zoe');
    const clients = Array.from({ length: count }, (__, n) => draft(`yan ${n}`, 20 + n));
    centre.must({ type: 'AddClients', data: { inbound, clients } });
    await centre.settled();
    expect(asked().at(-1)).toMatch(count > 1 ? /update\/1$/ : /addClient$/);
    expect(emails(xui)).toHaveLength(3 + count);
    expect([client(xui, 'zoe'), refusal(centre)]).toStrictEqual([before, null]);
    expect(centre.read.nodes.unmanagedItems(nodeOne)?.clients.map(({ email }) => email)).toStrictEqual(['kim', 'zoe']);
    // Nor are they cut with an inbound that is deleted here.
    centre.must({ type: 'DeleteInbound', data: { inbound } });
    await centre.settled();
    expect([emails(xui), refusal(centre)]).toStrictEqual([['zoe', 'kim'], message('node.ownClients')]);
  });

  it.each([
    ['marks of now', false],
    ['marks of before', true],
  ])('neither adopts nor removes an unknown inbound, with %s', async (_, old) => {
    const first = await withXui();
    const gone = first.addInbound([alice], { spec: { tag: 'in-2', port: 8443 } });
    await first.settled();
    first.must({ type: 'DeleteInbound', data: { inbound: gone } });
    await first.settled();
    const restore = backupOf(first);
    first.addInbound([bob], { spec: { tag: 'in-2', port: 8443, remark: 'lost' } });
    await first.settled();
    if (old) age(first.xui);
    const before = structuredClone(first.xui.inbounds);
    first.asked();
    const centre = restore();
    await centre.settled();
    expect(centre.read.nodes.unmanagedItems(nodeOne)?.inboundTags).toStrictEqual(['in-2']);
    centre.addInbound([kim], { spec: { tag: 'in-2', port: 8443, remark: 'another', protocol: 'trojan' } });
    await centre.settled();
    expect(refusal(centre, 1)).toStrictEqual(FOREIGN);
    expect([first.asked(), first.xui.inbounds]).toStrictEqual([[], before]);
  });
});

describe('marks without a uid', () => {
  it('are recognised by a current or former email or credential of the client, and rewritten', async () => {
    const { xui, settled, addInbound, edit, remove, clock, asked } = await withXui();
    const inbound = addInbound([alice, bob, zoe, kim]);
    await settled();
    age(xui);
    remove(inbound, 'bob');
    edit(inbound, 'zoe', { identity: { ...zoe.identity, email: 'zora' } });
    asked();
    await settled();
    expect(emails(xui)).toStrictEqual(['alice', 'zora', 'kim']);
    for (const { comment } of xui.clients('in-1')) expect(comment).toMatch(/^portolan:[\w-]+:\d:\w{12}$/);
    clock.advance(HOUR);
    asked();
    await settled();
    expect(asked()).toStrictEqual([]);
  });

  it.each([
    ['under another email and credential', { ...zoe.identity, email: 'bobby' }, false],
    ['renamed and deleted since', { ...bob.identity, email: 'bobby' }, true],
  ])('are recognised by their number in a log that was never restored: %s', async (_, identity, isDeleted) => {
    const { xui, settled, addInbound, edit, remove, read } = await withXui();
    const inbound = addInbound([alice, bob]);
    await settled();
    age(xui);
    edit(inbound, 'bob', { identity, ...(isDeleted ? {} : { credential: zoe.credential }) });
    if (isDeleted) remove(inbound, 'bobby');
    await settled();
    const of = xui.clients('in-1').map(({ email, id }) => [email, id]);
    expect(of).toStrictEqual([['alice', alice.credential.id], ...(isDeleted ? [] : [['bobby', zoe.credential.id]])]);
    expect(read.nodes.unmanagedItems(nodeOne)).toBeUndefined();
  });

  it.each([
    ['never restored', false],
    ['restored', true],
  ])(
    'are known by the password in an inbound of Shadowsocks, whose clients have no other, in a log that was %s',
    async (_, isRestored) => {
      const first = await withXui();
      const inbound = first.addInbound([alice, bob], {
        spec: { protocol: 'shadowsocks' },
        config: { settings: { method: 'aes-256-gcm', network: 'tcp' } },
      });
      await first.settled();
      age(first.xui);
      const { edit, settled, read } = isRestored ? backupOf(first)() : first;
      edit(inbound, 'bob', { identity: { ...bob.identity, email: 'bobby' } });
      await settled();
      const of = first.xui.clients('in-1').map(({ email, password }) => [email, password]);
      expect(of).toStrictEqual([
        ['alice', alice.credential.password],
        ['bobby', bob.credential.password],
      ]);
      expect(read.nodes.unmanagedItems(nodeOne)).toBeUndefined();
    },
  );
});

describe('a step that the node declines', () => {
  it.each([
    ['a few', 1],
    ['so many that the whole inbound is sent', 40],
  ])('does not affect other clients of the inbound, with %s of them', async (_, count) => {
    const { xui, settled, addInbound, must, edit, read, asked } = await withXui((panel) => ({
      ...panel,
      async update() {
        throw new NodeError('declined', verbatim('Duplicate email: kim'));
      },
    }));
    const inbound = addInbound([alice, bob]);
    await settled();
    const taken = { inboundId: 9, enable: true, email: 'kim', up: 0, down: 0, allTime: 0, total: 0, expiryTime: 0 };
    xui.rows.set('kim', { ...taken, lastOnline: 0 });
    const more = Array.from({ length: count }, (__, n) => draft(`more ${n}`, 20 + n));
    must({ type: 'AddClients', data: { inbound, clients: [kim, ...more] } });
    edit(inbound, 'bob', { spec: clientSpec({ enabled: false }) });
    asked();
    await settled();
    expect(emails(xui)).toStrictEqual(['alice', 'bob', ...more.map(({ identity }) => identity.email)]);
    expect(client(xui, 'bob')).toMatchObject({ enable: false });
    expect(read.nodes.outbox(nodeOne)[0]?.refused?.reason).toMatchObject({
      params: { why: { verbatim: expect.stringMatching(/Duplicate email: client \d+/) as string } },
    });
  });

  it('does not delay the disabling of clients by changes of others', async () => {
    const { xui, round, addInbound, edit } = await withXui((panel) => ({
      ...panel,
      async update() {
        throw new NodeError('declined', verbatim('Duplicate email: kim'));
      },
    }));
    const inbound = addInbound(Array.from({ length: 60 }, (_, n) => draft(`c${n}`, 20 + n)));
    await round();
    age(xui);
    edit(inbound, 'c59', { spec: clientSpec({ enabled: false }) });
    await round();
    expect(client(xui, 'c59')).toMatchObject({ enable: false });
    // The number of clients that one round sends one by one.
    const rewritten = xui.clients('in-1').filter(({ comment }) => /:\w{12}$/.test(String(comment)));
    expect(rewritten).toHaveLength(50);
  });
});
