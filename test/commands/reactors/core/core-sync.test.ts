import { describe, expect, it, vi } from 'vitest';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { verbatim } from '../../../../src/messages/message.js';
import { alice, bob, clientSpec, draft, inboundDraft, inboundId, one, T0, two, userId } from '../../../kit/builders.js';
import { addClients, addInbound, type Place, started } from '../kit.js';
import { FakeCore } from './fake-core.js';

const update = (who: typeof alice, email = 'alice'): AnyCommand => ({
  type: 'UpdateClient',
  data: { inbound: one, client: { email }, draft: who },
});
const set = (enabled: boolean, inbound = one): AnyCommand => ({
  type: 'SetInboundEnabled',
  data: { inbound, enabled },
});
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

  it('that is deleted removes and disconnects only this client', async () => {
    const place = await fresh();
    const gone = await place.done({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } });
    expect(gone).toStrictEqual(['removeUser in-1 alice', 'disconnect in-1 alice']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob'] });
  });

  it('that is disabled and enabled is removed and added', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 1, { spec: { enabled: false } })))).toStrictEqual([
      'removeUser in-1 alice',
      'disconnect in-1 alice',
    ]);
    expect(await place.done(update(alice))).toStrictEqual(['addUser in-1 alice']);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('without an effect on the core is not sent to it', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 1, { spec: { capBytes: 5, limitIp: 1 } })))).toStrictEqual([]);
  });

  it('of its credential closes the old connections before the new one is added', async () => {
    const place = await fresh();
    expect(await place.done(update(draft('alice', 9)))).toStrictEqual([
      'removeUser in-1 alice',
      'disconnect in-1 alice',
      'addUser in-1 alice',
    ]);
    expect(place.core.listening.get('in-1')?.users.get(1)?.account).toMatchObject({
      id: draft('alice', 9).credential.id,
    });
    expect(place.core.runs).toBe(1);
  });

  it('of its name changes the account and closes no connection', async () => {
    const place = await fresh();
    const calls = await place.done(update(draft('amy', 1)));
    expect(calls).toStrictEqual(['removeUser in-1 alice', 'addUser in-1 amy']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'amy'] });
  });

  it('of many names removes all clients before it adds any, because the core deletes keys with them', async () => {
    const place = await fresh();
    const many = (name: string) => Array.from({ length: 40 }, (_, i) => draft(`${name}-${i}`, 100 + i));
    await place.done(addClients(...many('old')));
    const calls = await place.done(...many('new').map((client, i) => update(client, `old-${i}`)));
    const verbs = calls.map((call) => call.split(' ')[0]);
    expect(verbs.slice(0, 80)).toStrictEqual([
      ...Array<string>(40).fill('removeUser'),
      ...Array<string>(40).fill('addUser'),
    ]);
  });

  it('that reaches its cap disconnects it at once, without a restart', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { spec: { capBytes: 10 } })));
    place.core.counts = [{ kind: 'client', name: 1, up: 6, down: 6 }];
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'disconnect in-1 alice']);
    expect(place.data('ClientDepleted')).toStrictEqual([
      { client: 1, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } },
    ]);
    expect(await place.done({ type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } })).toStrictEqual([
      'addUser in-1 alice',
    ]);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('whose term ends disconnects it within one poll', async () => {
    const place = await fresh();
    await place.done(update(draft('alice', 1, { spec: { expiresAt: T0 + 7000 } })));
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual([]);
    await place.wait(5000);
    expect(place.core.seen()).toStrictEqual(['removeUser in-1 alice', 'disconnect in-1 alice']);
  });

  it('and of fifty more in one batch is fifty calls and one disconnect', async () => {
    const place = await fresh();
    const many = Array.from({ length: 50 }, (_, i) => draft(`client-${i}`, 100 + i));
    const added = await place.done(addClients(...many));
    expect(added).toHaveLength(50);
    const emptied: AnyCommand = {
      type: 'UpdateInbound',
      data: { inbound: one, ...inboundDraft({ spec: { port: 1001, tag: 'in-1' } }) },
    };
    const removed = await place.done(emptied);
    expect(removed.filter((call) => call.startsWith('disconnect'))).toHaveLength(1);
    expect(removed).toHaveLength(53);
    expect(place.core.served).toStrictEqual({ 'in-1': [] });
  });
});

describe('many inbounds at once', () => {
  it('are added after pending disconnects', async () => {
    const place = await fresh();
    const adding = place.core.inbounds.add.bind(place.core);
    let batches = 0;
    vi.spyOn(place.core.inbounds, 'add').mockImplementation((inbounds) => {
      batches += 1;
      if (batches === 2) place.must(update(draft('alice', 1, { spec: { enabled: false } })));
      return adding(inbounds);
    });
    const calls = await place.done(...Array.from({ length: 200 }, (_, n) => addInbound(n + 2)));
    expect(calls.filter((call) => call.startsWith('addInbound'))).toHaveLength(200);
    expect(batches).toBeLessThan(10);
    const cut = calls.indexOf('disconnect in-1 alice');
    expect(calls.slice(cut).filter((call) => call.startsWith('addInbound')).length).toBeGreaterThan(80);
  });

  it('are removed after pending disconnects', async () => {
    const place = await started(undefined, ...past, ...Array.from({ length: 60 }, (_, n) => addInbound(n + 2)));
    const removing = place.core.inbounds.remove.bind(place.core);
    let removed = 0;
    vi.spyOn(place.core.inbounds, 'remove').mockImplementation((inbound) => {
      removed += 1;
      if (removed === 5) place.must(update(draft('alice', 1, { spec: { enabled: false } })));
      return removing(inbound);
    });
    const off = Array.from({ length: 60 }, (_, n) => set(false, inboundId(n + 2)));
    const calls = await place.done(...off);
    const cut = calls.indexOf('disconnect in-1 alice');
    expect(calls.slice(cut).filter((call) => call.startsWith('removeInbound')).length).toBeGreaterThan(30);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob'] });
  });
});

describe('connections that cannot be closed one by one', () => {
  it('are closed by one restart', async () => {
    const place = await fresh();
    for (const email of ['alice', 'bob']) place.core.uncuttable.add(email);
    await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.wait(1000);
    await place.done({ type: 'DeleteClient', data: { inbound: one, client: { email: 'bob' } } });
    expect(place.core.runs).toBe(1);
    await place.wait(1500);
    expect(place.core.seen()).toStrictEqual(['stop', 'start in-1']);
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start', 'disconnect']);
    expect(place.data('CoreStopped')).toStrictEqual([{ run: 'run-1', reason: 'disconnect' }]);
  });
});

describe('a restart that was planned to close connections', () => {
  it('does not shorten the pause after the core has exited: the connections ended with it', async () => {
    const place = await fresh();
    place.core.uncuttable.add('alice');
    await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.wait(500);
    place.core.crash('killed');
    await place.wait(1100);
    place.core.crash('killed');
    await place.wait(1800);
    expect(starts(place)).toStrictEqual(['start', 'start']);
    await place.wait(400);
    expect(starts(place)).toStrictEqual(['start', 'start', 'start']);
  });
});

describe('a disconnected client that still receives data', () => {
  const receiving = (place: Place, down: number): void => {
    place.core.counts = [{ kind: 'client', name: 1, up: down, down }];
  };
  const off = update(draft('alice', 1, { spec: { enabled: false } }));

  it('is disconnected again at the next two polls, and then the core is restarted once', async () => {
    const place = await fresh();
    await place.done(off);
    for (let poll = 1; poll <= 4; poll += 1) {
      receiving(place, poll * 1000);
      await place.wait(5000);
    }
    expect(place.core.seen()).toStrictEqual(['disconnect in-1 alice', 'disconnect in-1 alice']);
    for (let poll = 5; poll <= 6; poll += 1) {
      receiving(place, poll * 1000);
      await place.wait(5000);
    }
    await place.wait(5000);
    expect(starts(place)).toStrictEqual(['start', 'disconnect']);
  });

  it('is ignored if it only sends, or may connect again', async () => {
    const place = await fresh();
    await place.done(off);
    for (let poll = 1; poll <= 4; poll += 1) {
      place.core.counts = [{ kind: 'client', name: 1, up: poll * 1000, down: 5 }];
      await place.wait(5000);
    }
    expect(place.core.seen()).toStrictEqual([]);
    await place.done(update(alice));
    for (let poll = 1; poll <= 4; poll += 1) {
      receiving(place, 10_000 + poll * 1000);
      await place.wait(5000);
    }
    expect(place.core.seen()).toStrictEqual([]);
    expect(place.core.runs).toBe(1);
  });
});

describe('an email in two inbounds', () => {
  const sibling = draft('ALICE', 7, { identity: { subId: alice.identity.subId } });
  const both = async (): Promise<Place> => {
    const place = await fresh();
    await place.done(addInbound(2), { type: 'AddClients', data: { inbound: two, clients: [sibling] } });
    return place;
  };

  it('that may still connect on one of them is disconnected from the other', async () => {
    const place = await both();
    place.core.uncuttable.add('alice');
    const calls = await place.done({ type: 'DeleteClient', data: { inbound: two, client: { email: 'alice' } } });
    expect(calls).toStrictEqual(['removeUser in-2 ALICE', 'disconnect in-2 ALICE']);
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'], 'in-2': [] });
  });

  it('is disconnected from both when the sum reaches the cap', async () => {
    const place = await both();
    await place.done(update(draft('alice', 1, { spec: { capBytes: 10 } })), {
      type: 'UpdateClient',
      data: { inbound: two, client: { email: 'alice' }, draft: { ...sibling, spec: clientSpec({ capBytes: 10 }) } },
    });
    const growth = { run: 'run-1', clients: [[1, 10, 0]] as const, inbounds: [], outbounds: [] };
    const calls = await place.done({ type: 'RecordTraffic', data: growth });
    expect([...calls].sort()).toStrictEqual([
      'disconnect in-1 alice',
      'disconnect in-2 ALICE',
      'removeUser in-1 alice',
      'removeUser in-2 ALICE',
    ]);
    await place.done({ type: 'ResetClientTraffic', data: { inbound: two, email: 'alice' } });
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob', 'alice'], 'in-2': ['ALICE'] });
  });
});

describe('connections that cannot be closed one by one, without restarts in the settings', () => {
  it('stay open, the core keeps running, and new connections are refused', async () => {
    const place = await fresh();
    await place.done({ type: 'ChangeSettings', data: { changes: { restartCoreOnClientDisable: false } } });
    place.core.uncuttable.add('alice');
    await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start']);
    expect(place.core.served).toStrictEqual({ 'in-1': ['bob'] });
    expect(place.warnings.filter((warning) => warning.includes('as set in the settings'))).toHaveLength(1);
  });
});

describe('connections that wait for such a restart', () => {
  it('stay open when the settings change before it', async () => {
    const place = await fresh();
    place.core.uncuttable.add('alice');
    await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.done({ type: 'ChangeSettings', data: { changes: { restartCoreOnClientDisable: false } } });
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('are closed by any earlier restart', async () => {
    const place = await fresh();
    place.core.uncuttable.add('alice');
    await place.done(update(draft('alice', 1, { spec: { enabled: false } })));
    await place.done({ type: 'RestartCore', data: {} });
    await place.wait(30_000);
    expect(starts(place)).toStrictEqual(['start', 'request']);
  });
});

describe('a change of an inbound', () => {
  it('that is added or removed does not affect others', async () => {
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
    expect(await place.done({ type: 'UpdateInbound', data: { inbound: one, ...moved } })).toStrictEqual([
      'removeInbound in-1',
      'addInbound in-1',
    ]);
    expect(place.core.served).toStrictEqual({ 'in-1': ['alice', 'bob'] });
  });

  it('may exchange ports in one batch', async () => {
    const place = await started(undefined, addInbound(1), addInbound(2));
    const move = (inbound: typeof one, n: number, port: number): AnyCommand => ({
      type: 'UpdateInbound',
      data: { inbound, ...inboundDraft({ spec: { port, tag: `in-${n}` } }) },
    });
    await place.done(move(one, 1, 9999), move(two, 2, 1001), move(one, 1, 1002));
    expect(place.data('InboundRejectedByCore')).toStrictEqual([]);
    const { listening: inbounds } = place.core;
    expect(['in-1', 'in-2'].map((tag) => inbounds.get(tag)?.config['port'])).toStrictEqual([1002, 1001]);
  });

  it('that the core rejects is left out and recorded, while the others run', async () => {
    const core = new FakeCore();
    core.refuses.add('in-2');
    const place = await fresh(core);
    await place.done(addInbound(2), addInbound(3));
    expect(Object.keys(core.served)).toStrictEqual(['in-1', 'in-3']);
    expect(place.data('InboundRejectedByCore')).toStrictEqual([
      { inbound: 2, reason: verbatim('inbound in-2 is refused') },
    ]);
    await place.wait(60_000); // tried again, refused again, said once
    expect(core.seen()).toContain('addInbound in-2');
    expect(place.data('InboundRejectedByCore')).toHaveLength(1);
    core.refuses.clear();
    await place.wait(60_000);
    expect(Object.keys(core.served)).toContain('in-2');
    expect(place.data('InboundAcceptedByCore')).toStrictEqual([{ inbound: 2 }]);
    expect(starts(place)).toStrictEqual(['start']);
  });

  it('that prevents the start of the core is left out too', async () => {
    const core = new FakeCore();
    core.refuses.add('in-1').add('in-3');
    const place = await started(core, addInbound(1), addInbound(2), addInbound(3));
    expect(await place.done({ type: 'RestartCore', data: {} })).toStrictEqual([
      'stop',
      'start in-1,in-2,in-3',
      'start in-2,in-3',
      'start in-2',
    ]);
    expect(Object.keys(core.served)).toStrictEqual(['in-2']);
    expect(place.data('InboundRejectedByCore').map((data) => (data as { inbound: number }).inbound)).toStrictEqual([
      1, 3,
    ]);
  });
});

describe('a tag that moves from one inbound to another', () => {
  const count = (name: string, up: number) => ({ kind: 'inbound' as const, name, up, down: 0 });
  const at = (port: number, tag: string) => inboundDraft({ spec: { port, tag } });
  const booked = (place: Place) =>
    place.data('TrafficRecorded').map((data) => (data as { readonly inbounds: unknown }).inbounds);
  const bytes = (place: Place, id: number) => {
    const inbound = place.panel.read.inbounds.get(id);
    return inbound && place.panel.read.usage.inbound(inbound).up;
  };
  const gone = { type: 'DeleteInbound', data: { inbound: one } } as const;
  const again = { type: 'AddInbound', data: { owner: userId(1), ...at(1001, 'in-1') } } as const;

  it('keeps the traffic of the former one separate', async () => {
    const place = await started(undefined, addInbound(1));
    place.core.counts = [count('in-1', 100)];
    await place.panel.reactors.poll();
    place.core.counts = [count('in-1', 130)];
    const calls = await place.done(gone, again);
    expect(calls).toStrictEqual(['removeInbound in-1', 'addInbound in-1']);
    place.core.counts = [count('in-1', 137)];
    await place.panel.reactors.poll();
    expect([bytes(place, 2), booked(place)]).toStrictEqual([7, [[[1, 100, 0]], [[1, 30, 0]], [[2, 7, 0]]]]);
    expect(place.data('InboundCountersReleased')).toStrictEqual([{ run: 'run-1', counters: [['in-1', 130, 0]] }]);
  });

  it('is recognized by the next panel process if this one exited before it was sent to the core', async () => {
    const place = await started(undefined, addInbound(1));
    place.core.counts = [count('in-1', 100)];
    await place.diedAfter(gone, again);
    place.core.counts = [count('in-1', 150)];
    await place.open();
    expect(place.core.seen()).toContain('addInbound in-1');
    place.core.counts = [count('in-1', 151)];
    await place.panel.reactors.poll();
    expect(booked(place)).toStrictEqual([[[1, 100, 0]], [[1, 50, 0]], [[2, 1, 0]]]);
  });

  it('has the right traffic when two inbounds exchange their tags', async () => {
    const place = await started(undefined, addInbound(1), addInbound(2));
    const move = (inbound: typeof one, port: number, tag: string) =>
      ({ type: 'UpdateInbound', data: { inbound, ...at(port, tag) } }) as const;
    place.core.counts = [count('in-1', 10), count('in-2', 20)];
    await place.done(move(one, 1001, 'x'), move(two, 1002, 'in-1'), move(one, 1001, 'in-2'));
    expect([bytes(place, 1), bytes(place, 2)]).toStrictEqual([10, 20]);
    place.core.counts = [count('in-1', 13), count('in-2', 24)];
    await place.panel.reactors.poll();
    expect([bytes(place, 1), bytes(place, 2)]).toStrictEqual([14, 23]);
  });
});
