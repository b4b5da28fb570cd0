import { describe, expect, it, vi } from 'vitest';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { CoreError } from '../../src/commands/ports/core.js';
import { alice, bob, DAY, draft, inboundDraft, one, T0, two } from '../kit/builders.js';
import { FakeCore } from './fake-core.js';
import { addClients, addInbound, type Place, started } from './kit.js';

const update = (who: typeof alice, email = 'alice'): AnyCommand => ({
  type: 'UpdateClient',
  data: { inbound: one, client: { email }, draft: who },
});
const set = (enabled: boolean, inbound = one): AnyCommand => ({ type: 'SetInboundEnabled', data: { inbound, enabled } });
const past = [addInbound(1), addClients(alice, bob)] as const;
const fresh = (core?: FakeCore) => started(core, ...past);
const starts = (place: Place) => place.data('CoreStarted').map((data) => (data as { reason: string }).reason);

describe('a change of a client', () => {
  it('that is added reaches the core without a restart', async () => {
    const place = await fresh();
    expect(await place.done(addClients(draft('carol', 3)))).toStrictEqual(['addUser in-1 carol']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'] });
    expect(place.core.runs).toBe(1);
  });

  it('that is deleted removes and cuts it, and nobody else', async () => {
    const place = await fresh();
    const gone = await place.done({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    expect(gone).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob'] });
  });

  it('that is switched off and on again goes and comes', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 1, { terms: { enabled: false } })))).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice']);
    expect(await place.done(update(alice))).toStrictEqual(['addUser in-1 alice']);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('that is nothing to the core does not reach it', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 1, { terms: { capBytes: 5, limitIp: 1 } })))).toStrictEqual([]);
  });

  it('of its credential ends the old connections before the new one comes', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 9)))).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice', 'addUser in-1 alice']);
    expect(place.core.inbounds.get('in-1')?.users.get('alice')?.account).toMatchObject({ id: draft('alice', 9).credential.id });
    expect(place.core.runs).toBe(1);
  });

  it('of its name adds the one and cuts the other', async () => {
    const place = await fresh();
    const calls = await place.done(update(draft('amy', 1)));
    expect([...calls].sort()).toStrictEqual(['addUser in-1 amy', 'cut in-1 alice', 'removeUser in-1 alice']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'amy'] });
  });

  it('that reaches its cap cuts it at once, without a restart', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { terms: { capBytes: 10 } })));
    place.core.counts = [{ kind: 'client', name: 'alice', up: 6, down: 6 }];
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice']);
    expect(place.data('ClientDepleted')).toStrictEqual([{ client: 1, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } }]);
    expect(await place.done({ type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } })).toStrictEqual(['addUser in-1 alice']);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('whose term ends cuts it within a poll', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { terms: { expiresAt: T0 + 7000 } })));
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual([]);
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice']);
  });

  it('and fifty more in one batch are fifty calls and one cut', async () => {
    const place = await fresh();
    const many = Array.from({ length: 50 }, (_, i) => draft(`client-${i}`, 100 + i));
    const added = await place.done(addClients(...many));
    expect(added).toHaveLength(50);
    const emptied: AnyCommand = { type: 'UpdateInbound', data: { inbound: one, ...inboundDraft({ spec: { port: 1001, tag: 'in-1' } }) } };
    const removed = await place.done(emptied);
    expect(removed.filter((call) => call.startsWith('cut'))).toHaveLength(1);
    expect(removed).toHaveLength(53);
    expect(place.core.served).toStrictEqual({ 'in-1': [] });
  });
});

describe('connections that cannot be ended one by one', () => {
  it('are ended by exactly one restart for all', async () => {
    const place = await fresh();
    for (const email of ['alice', 'bob']) place.core.uncuttable.add(email);
    await place.done(update(draft('alice', 1, { terms: { enabled: false } })));
    await place.wait(1000);
    await place.done({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    expect(place.core.runs).toBe(1);
    await place.wait(1500);
    expect(place.core.seen()).toStrictEqual(['stop', 'start in-1']);
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start', 'cut']);
    expect(place.data('CoreStopped')).toStrictEqual([{ run: 'run-1', reason: 'cut' }]);
  });
});

describe('a change of an inbound', () => {
  it('that is added or removed touches no other', async () => {
    const place = await fresh();
    expect(await place.done(addInbound(2))).toStrictEqual(['addInbound in-2']);
    expect(await place.done({ type: 'DeleteInbound', data: { inbound: two } })).toStrictEqual(['removeInbound in-2']);
    expect(await place.done(set(false))).toStrictEqual(['removeInbound in-1']);
    expect(await place.done(set(true))).toStrictEqual(['addInbound in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('replaces it with its clients', async () => {
    const place = await fresh();
    const moved = inboundDraft({ spec: { port: 77, tag: 'in-1' }, clients: [alice, bob] });
    expect(await place.done({ type: 'UpdateInbound', data: { inbound: one, ...moved } })).toStrictEqual(['removeInbound in-1', 'addInbound in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('may hand a port round in one go', async () => {
    const place = await started(undefined, addInbound(1), addInbound(2));
    const move = (inbound: typeof one, n: number, port: number): AnyCommand => ({
      type: 'UpdateInbound',
      data: { inbound, ...inboundDraft({ spec: { port, tag: `in-${n}` } }) },
    });
    await place.done(move(one, 1, 9999), move(two, 2, 1001), move(one, 1, 1002));
    expect(place.data('InboundRefusedByCore')).toStrictEqual([]);
    expect([...place.core.inbounds].map(([tag, { config }]) => [tag, config['port']]).sort()).toStrictEqual([['in-1', 1002], ['in-2', 1001]]);
  });

  it('that the core does not take is left out and recorded, while the others run', async () => {
    const core = new FakeCore();
    core.refuses.add('in-2');
    const place = await fresh(core);
    await place.done(addInbound(2), addInbound(3));
    expect(Object.keys(core.served)).toStrictEqual(['in-1', 'in-3']);
    expect(place.data('InboundRefusedByCore')).toStrictEqual([{ inbound: 2, reason: 'inbound in-2 is refused' }]);
    await place.wait(60_000); // tried again, refused again, said once
    expect(core.seen()).toContain('addInbound in-2');
    expect(place.data('InboundRefusedByCore')).toHaveLength(1);
    core.refuses.clear();
    await place.wait(60_000);
    expect(Object.keys(core.served)).toContain('in-2');
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: 2 }]);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('that keeps the core from starting is left out too', async () => {
    const core = new FakeCore();
    core.refuses.add('in-1').add('in-3');
    const place = await started(core, addInbound(1), addInbound(2), addInbound(3));
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['stop', 'start in-1,in-2,in-3', 'start in-2,in-3', 'start in-2']);
    expect(Object.keys(core.served)).toStrictEqual(['in-2']);
    expect(place.data('InboundRefusedByCore').map((data) => (data as { inbound: number }).inbound)).toStrictEqual([1, 3]);
  });
});

describe('the wish of an admin', () => {
  it('stops the core and keeps it stopped', async () => {
    const place = await fresh();
    expect(await place.done({ type: 'StopCore', data: {} })).toStrictEqual(['stop']);
    expect(await place.done(addInbound(2), addClients(draft('carol', 3)))).toStrictEqual([]);
    await place.wait(120_000);
    expect(place.core.seen()).toStrictEqual([]);
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['start in-1,in-2']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'], 'in-2': [] });
  });

  it('restarts it, and counts what it had counted before', async () => {
    const place = await fresh();
    place.core.counts = [{ kind: 'client', name: 'alice', up: 1, down: 2 }];
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['stop', 'start in-1']);
    expect(place.events('CoreStarted', 'TrafficRecorded', 'CoreStopped').map(({ type }) => type)).toStrictEqual(['CoreStarted', 'TrafficRecorded', 'CoreStopped', 'CoreStarted']);
  });

  it('for another template restarts it', async () => {
    const place = await fresh();
    const template: AnyCommand = { type: 'ChangeCoreTemplate', data: { template: { log: {} }, outboundTestUrl: '' } };
    expect(await place.done(template)).toStrictEqual(['stop', 'start in-1']);
    expect(place.core.template).toStrictEqual({ log: {} });
    expect(starts(place)).toStrictEqual(['start', 'configuration']);
  });
});

describe('a core that ends by itself', () => {
  it('is started again after a while that doubles', async () => {
    const place = await fresh();
    for (const seconds of [1, 2, 4]) {
      place.core.crash('killed');
      await place.calm();
      expect(place.core.seen()).toStrictEqual([]);
      await place.wait(seconds * 1000 - 100);
      expect(place.core.seen()).toStrictEqual([]);
      await place.wait(200);
      expect(place.core.seen()).toStrictEqual(['start in-1']);
    }
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
    expect(place.data('CoreFailed')).toStrictEqual([1, 2, 3].map((run) => ({ run: `run-${run}`, reason: 'killed' })));
  });

  it('and cannot be started says so once, not every minute', async () => {
    const place = await fresh();
    place.core.crash('killed');
    for (let i = 0; i < 5; i += 1) {
      place.core.fail.set('start', new CoreError('missing', 'there is no core binary'));
      await place.wait(61_000);
    }
    expect(place.data('CoreFailed')).toStrictEqual([
      { run: 'run-1', reason: 'killed' },
      { run: null, reason: 'there is no core binary' },
    ]);
    await place.wait(61_000);
    expect(place.core.running).not.toBeNull();
  });

  it('is started at once when somebody asks', async () => {
    const place = await fresh();
    for (let i = 0; i < 4; i += 1) {
      place.core.crash('killed');
      await place.wait(61_000);
    }
    place.core.crash('killed');
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual(['start in-1']);
  });

  it('takes the changes of its absence with it', async () => {
    const place = await fresh();
    place.core.crash('killed');
    expect(await place.done(addClients(draft('carol', 3)), addInbound(2))).toStrictEqual([]);
    await place.wait(1100);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'], 'in-2': [] });
  });
});

describe('a call that fails', () => {
  it('is settled by a full start', async () => {
    const place = await fresh();
    place.core.fail.set('addUser', new CoreError('unreachable', 'no answer'));
    expect(await place.done(addClients(draft('carol', 3)))).toStrictEqual(['addUser in-1 carol', 'stop', 'start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob', 'carol'] });
    expect(place.warnings).toContain('the core could not be changed');
  });
});

describe('a panel that begins', () => {
  it('starts the core with all that serves', async () => {
    const place = await fresh();
    await place.close(false);
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('takes over a core that runs, and changes nothing when nothing differs', async () => {
    const place = await fresh();
    await place.close(true);
    expect(place.core.seen()).toStrictEqual(['release']);
    await place.open();
    expect(place.core.seen()).toStrictEqual([]);
    expect(starts(place)).toStrictEqual(['start', 'adopted']);
    expect(place.data('CoreDriftRepaired')).toStrictEqual([]);
  });

  it('repairs only what differs in a core that it takes over', async () => {
    const place = await fresh();
    await place.done(addInbound(2));
    await place.close(true);
    const { inbounds } = place.core;
    const mallory = { email: 'mallory', account: { id: 'x' } };
    inbounds.get('in-1')?.users.delete('alice');
    inbounds.get('in-1')?.users.set('mallory', mallory);
    inbounds.set('stranger', { config: { port: 6666 }, users: new Map() });
    place.core.seen();
    await place.open();
    const calls = place.core.seen();
    expect([...calls].sort()).toStrictEqual(['addUser in-1 alice', 'cut in-1 mallory', 'removeInbound stranger', 'removeUser in-1 mallory']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'alice'], 'in-2': [] });
    expect(place.data('CoreDriftRepaired')).toStrictEqual([{ inbounds: ['stranger'], clients: 2 }]);
  });

  it('restarts a core that runs another template', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.template = { other: true };
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['stop', 'start in-1']);
  });

  it('comes up beside a core that does not answer, and puts it right', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.fail.set('inboundTags', new CoreError('unreachable', 'no answer'));
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual(['stop', 'start in-1']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('says so when the core died while nobody looked', async () => {
    const place = await fresh();
    await place.close(true);
    place.core.left = null;
    await place.open();
    expect(place.data('CoreFailed')).toStrictEqual([{ run: 'run-1', reason: 'it ended while the panel was not running' }]);
    expect(starts(place)).toStrictEqual(['start', 'start']);
  });

  it('stops a core that nobody wants any more', async () => {
    const place = await fresh();
    await place.done({ type: 'StopCore', data: {} });
    await place.close(false);
    place.core.seen();
    await place.open();
    expect(place.core.seen()).toStrictEqual([]);
  });
});

describe('a look now and then', () => {
  it('puts back an inbound that the core lost', async () => {
    const place = await fresh();
    place.core.inbounds.delete('in-1');
    await place.wait(60_000);
    expect(place.core.seen()).toStrictEqual(['addInbound in-1']);
    expect(place.data('CoreDriftRepaired')).toStrictEqual([{ inbounds: ['in-1'], clients: 0 }]);
  });

  it('loses no change that is made meanwhile', async () => {
    const place = await fresh();
    place.core.inbounds.delete('in-1');
    place.clock.advance(60_000);
    // The look is under way when the client is added.
    vi.advanceTimersByTime(60_000);
    await Promise.resolve();
    place.must(addClients(draft('carol', 3)));
    await place.calm();
    expect(place.core.served['in-1']).toContain('carol');
  });

  it('puts back accounts that the core lost, and cuts those that nobody knows', async () => {
    const place = await fresh();
    place.core.inbounds.get('in-1')?.users.delete('alice');
    place.core.inbounds.get('in-1')?.users.set('mallory', { email: 'mallory', account: {} });
    for (let i = 0; i < 6; i += 1) await place.wait(60_000);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'alice'] });
    expect(place.core.runs).toBe(1);
  });
});

describe('time', () => {
  it('goes on for the clients when the core does not answer', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { terms: { expiresAt: T0 + DAY } })));
    place.clock.advance(DAY);
    place.core.fail.set('counters', new CoreError('unreachable', 'no answer'));
    await place.wait(5000);
    expect(place.data('ClientDepleted')).toStrictEqual([{ client: 1, depletion: { reason: 'expiry', expiresAt: T0 + DAY } }]);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'cut in-1 alice']);
  });
});
