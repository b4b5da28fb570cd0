import { describe, expect, it } from 'vitest';
import {
  ClientCredentialRotated,
  ClientDeleted,
  ClientDepleted,
  ClientExpiryStarted,
  ClientIdentified,
  ClientIpsCleared,
  ClientIpsSeen,
  ClientRestored,
  ClientTrafficAdjusted,
  ClientTrafficReset,
  ClientUpdated,
} from '../../src/events/client.js';
import {
  CoreFailed,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreStopRequested,
  CoreTemplateChanged,
  InboundAcceptedByCore,
  InboundRefusedByCore,
} from '../../src/events/core.js';
import {
  InboundDeleted,
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReconfigured,
  InboundRestored,
  InboundTrafficReset,
  InboundUpdated,
} from '../../src/events/inbound.js';
import { SettingsChanged } from '../../src/events/settings.js';
import { MeasurementsRolledUp, OutboundTrafficReset } from '../../src/events/traffic.js';
import { clientIps } from '../../src/projections/client-ips.js';
import { clients } from '../../src/projections/clients.js';
import { coreState } from '../../src/projections/core-state.js';
import { inbounds } from '../../src/projections/inbounds.js';
import { settings } from '../../src/projections/settings.js';
import { timeline } from '../../src/projections/timeline.js';
import { traffic as counters } from '../../src/projections/traffic.js';
import {
  alice,
  bob,
  clientAdded,
  config,
  credential,
  first,
  identity,
  inboundAdded,
  one,
  second,
  T0,
  terms,
  traffic,
  uuid,
} from '../kit/builders.js';
import { at, folded } from '../kit/spec.js';

const later = T0 + 1000;
const rollUp = (toTime: number) =>
  MeasurementsRolledUp({ from: 1, to: 1, fromTime: 0, toTime, root: '', pruned: 0, sums: [] });

describe('inbounds', () => {
  const all = (...events: Parameters<typeof folded>[1][]) => folded(inbounds, inboundAdded(), ...events).get(one);
  const fresh = all();

  it('are as they were added', () => {
    const { spec, config: own } = inboundAdded().data;
    expect(fresh).toStrictEqual({
      ...spec,
      id: one,
      owner: 1,
      enabled: true,
      life: 1,
      config: own,
      depletion: null,
      depletedAt: 0,
      resetAt: 0,
      createdAt: T0,
      updatedAt: T0,
    });
  });

  it('follow what happens to them', () => {
    expect(all(at(later, InboundUpdated({ inbound: one, changes: { port: 1, remark: 'x' } })))).toStrictEqual({
      ...fresh,
      port: 1,
      remark: 'x',
      updatedAt: later,
    });
    const next = config({ stream: null });
    expect(all(at(later, InboundReconfigured({ inbound: one, life: 2, config: next })))).toStrictEqual({
      ...fresh,
      life: 2,
      config: next,
      updatedAt: later,
    });
    expect(all(InboundDisabled({ inbound: one }))).toStrictEqual({ ...fresh, enabled: false });
    expect(all(InboundDisabled({ inbound: one }), InboundEnabled({ inbound: one }))).toStrictEqual(fresh);
    const depletion = { reason: 'expiry', expiresAt: 1 } as const;
    const depleted = at(later, InboundDepleted({ inbound: one, depletion }));
    expect(all(depleted)).toStrictEqual({ ...fresh, depletion, depletedAt: later });
    expect(all(depleted, InboundRestored({ inbound: one }))).toStrictEqual(fresh);
    expect(all(at(later, InboundTrafficReset({ inbound: one, up: 1, down: 1 })))).toStrictEqual({
      ...fresh,
      resetAt: later,
    });
    expect(all(InboundDeleted({ inbound: one }))).toBeUndefined();
  });
});

describe('clients', () => {
  const all = (...events: Parameters<typeof folded>[1][]) => folded(clients, inboundAdded(), clientAdded(), ...events);
  const only = (...events: Parameters<typeof folded>[1][]) => all(...events).byNumber.get(first);
  const fresh = only();

  it('are as they were added', () => {
    const state = { depletion: null, depletedAt: 0, createdAt: T0, updatedAt: T0 };
    expect(fresh).toStrictEqual({ number: first, inbound: one, life: 1, ...alice, ...state });
  });

  it('follow what happens to them', () => {
    expect(only(at(later, ClientUpdated({ client: first, changes: { capBytes: 5 } })))).toStrictEqual({
      ...fresh,
      terms: terms({ capBytes: 5 }),
      updatedAt: later,
    });
    const depletion = { reason: 'cap', usedBytes: 5, capBytes: 5 } as const;
    const depleted = at(later, ClientDepleted({ client: first, depletion }));
    expect(only(depleted)).toStrictEqual({ ...fresh, depletion, depletedAt: later });
    expect(only(depleted, ClientRestored({ client: first }))).toStrictEqual(fresh);
    expect(only(ClientExpiryStarted({ client: first, expiresAt: 9 }))).toStrictEqual({
      ...fresh,
      terms: terms({ expiresAt: 9 }),
    });
  });

  it('are found by every name that they have now, and by none that they had', () => {
    const renamed = ClientIdentified({
      client: first,
      life: 1,
      renamed: true,
      identity: identity('Amy', { subId: 's2' }),
    });
    const rotated = ClientCredentialRotated({
      client: first,
      life: 2,
      identity: identity('Amy', { subId: 's2' }),
      credential: credential({ id: uuid(9) }),
    });
    const state = all(renamed, rotated);
    expect([...state.byEmail]).toStrictEqual([['amy', 1]]);
    expect([...state.bySubId].map(([id, numbers]) => [id, ...numbers])).toStrictEqual([['s2', 1]]);
    expect([...state.byId].map(([id, numbers]) => [id, ...numbers])).toStrictEqual([[uuid(9), 1]]);
    expect(state.byNumber.get(first)?.life).toBe(2);
  });

  it('may share a subscription and an id', () => {
    const twin = clientAdded(
      { ...bob, identity: identity('bob', { subId: 'sub-alice' }), credential: alice.credential },
      second,
    );
    expect([...(all(twin).bySubId.get('sub-alice') ?? [])]).toStrictEqual([1, 2]);
    const parted = all(twin, ClientDeleted({ client: first, inbound: one }));
    expect([...(parted.bySubId.get('sub-alice') ?? [])]).toStrictEqual([2]);
    expect([...(parted.byId.get(uuid(1)) ?? [])]).toStrictEqual([2]);
    expect([...(parted.ofInbound.get(one) ?? [])]).toStrictEqual([2]);
  });

  it('leave nothing behind when they are deleted', () => {
    const { byNumber, byEmail, byId, bySubId, ofInbound } = all(ClientDeleted({ client: first, inbound: one }));
    expect([byNumber.size, byEmail.size, byId.size, bySubId.size, ofInbound.size]).toStrictEqual([0, 0, 0, 0, 0]);
  });

  it('give their email on: the old holder cannot take it away again', () => {
    const state = all(ClientDeleted({ client: first, inbound: one }), clientAdded(alice, second));
    expect(state.byEmail.get('alice')).toBe(2);
  });
});

describe('traffic', () => {
  const past = [inboundAdded(), clientAdded(), clientAdded(bob, second)] as const;
  const poll = traffic({
    clients: [
      [1, 3, 4],
      [2, 1, 0],
    ],
    inbounds: [[1, 4, 4]],
    outbounds: [['direct', 4, 4]],
  });

  it('adds up', () => {
    expect(counters.save(folded(counters, ...past, poll, at(later, poll)))).toStrictEqual({
      clients: [
        [1, { up: 6, down: 8 }],
        [2, { up: 2, down: 0 }],
      ],
      inbounds: [[1, { up: 8, down: 8 }]],
      outbounds: [['direct', { up: 8, down: 8 }]],
      clientsAllTime: [
        [1, 14],
        [2, 2],
      ],
      inboundsAllTime: [[1, 16]],
      lastOnline: [
        [1, later],
        [2, later],
      ],
    });
  });

  it('of a sum keeps the time of each client', () => {
    const sum = traffic({ clients: [[1, 3, 4, T0 - 5]] });
    expect([...folded(counters, ...past, sum).lastOnline]).toStrictEqual([[1, T0 - 5]]);
  });

  it('starts again at a reset or where an admin puts it, but not what was ever used', () => {
    const reset = folded(counters, ...past, poll, ClientTrafficReset({ client: first, up: 3, down: 4 }));
    expect([reset.clients.get(1), reset.clientsAllTime.get(1)]).toStrictEqual([{ up: 0, down: 0 }, 7]);
    const set = folded(
      counters,
      ...past,
      poll,
      ClientTrafficAdjusted({ client: first, up: 50, down: 60, before: { up: 3, down: 4 } }),
    );
    expect([set.clients.get(1), set.clientsAllTime.get(1)]).toStrictEqual([{ up: 50, down: 60 }, 7]);
    const inbound = folded(counters, ...past, poll, InboundTrafficReset({ inbound: one, up: 4, down: 4 }));
    expect([inbound.inbounds.get(1), inbound.inboundsAllTime.get(1), inbound.clients.get(1)]).toStrictEqual([
      { up: 0, down: 0 },
      8,
      { up: 3, down: 4 },
    ]);
    const outbound = folded(counters, ...past, poll, OutboundTrafficReset({ tag: 'direct', up: 4, down: 4 }));
    expect(outbound.outbounds.get('direct')).toStrictEqual({ up: 0, down: 0 });
  });

  it('of who is gone is dropped', () => {
    const gone = folded(counters, ...past, poll, ClientDeleted({ client: first, inbound: one }), poll);
    expect([gone.clients.has(1), gone.clientsAllTime.has(1), gone.lastOnline.has(1)]).toStrictEqual([
      false,
      false,
      false,
    ]);
    const inbound = folded(counters, ...past, InboundDeleted({ inbound: one }), poll);
    expect([inbound.inbounds.size, inbound.inboundsAllTime.size]).toStrictEqual([0, 0]);
  });
});

describe('addresses', () => {
  const seen = (...ips: [string, number][]) =>
    ClientIpsSeen({ client: first, ips: ips.map(([ip, at_]) => ({ ip, at: at_ })) });

  it('are kept with the time they were last seen, newest first', () => {
    const state = folded(clientIps, seen(['a', 1], ['b', 2]), seen(['a', 5]), seen(['b', 1]));
    expect([...(state.get(1) ?? [])]).toStrictEqual([
      ['a', 5],
      ['b', 2],
    ]);
  });

  it('are a hundred at most, the oldest go', () => {
    const many = Array.from({ length: 130 }, (_, i): [string, number] => [`ip-${i}`, i]);
    const kept = [
      ...(folded(clientIps, seen(...many))
        .get(1)
        ?.keys() ?? []),
    ];
    expect([kept.length, kept[0], kept.at(-1)]).toStrictEqual([100, 'ip-129', 'ip-30']);
  });

  it('are forgotten when they are cleared, with their client, and when they are rolled up', () => {
    expect(folded(clientIps, seen(['a', 1]), ClientIpsCleared({ client: first })).size).toBe(0);
    expect(folded(clientIps, seen(['a', 1]), ClientDeleted({ client: first, inbound: one })).size).toBe(0);
    expect([...(folded(clientIps, seen(['a', 1], ['b', 3]), rollUp(2)).get(1) ?? [])]).toStrictEqual([['b', 3]]);
    expect(folded(clientIps, seen(['a', 1]), rollUp(2)).size).toBe(0);
  });
});

describe('the core', () => {
  const started = (run: string, time = T0) => at(time, CoreStarted({ run, version: '26', reason: 'start' }));
  const stands = { state: 'stop', run: null, version: '', since: 0, error: '', wanted: true };

  it('is what the log last said of it', () => {
    expect(folded(coreState).process).toStrictEqual(stands);
    const running = { ...stands, state: 'running', run: 'r1', version: '26', since: T0 };
    expect(folded(coreState, started('r1')).process).toStrictEqual(running);
    expect(folded(coreState, started('r1'), started('r1', later)).process).toStrictEqual(running); // adopted
    expect(folded(coreState, started('r1'), started('r2', later)).process).toStrictEqual({
      ...running,
      run: 'r2',
      since: later,
    });
    expect(folded(coreState, started('r1'), CoreStopped({ run: 'r1', reason: 'request' })).process).toStrictEqual({
      ...stands,
      version: '26',
    });
    const failed = { ...stands, state: 'error', version: '26', error: 'killed' };
    expect(folded(coreState, started('r1'), CoreFailed({ run: 'r1', reason: 'killed' })).process).toStrictEqual(failed);
    expect(
      folded(coreState, started('r1'), CoreFailed({ run: 'r1', reason: 'killed' }), started('r1')).process.error,
    ).toBe('');
  });

  it('is wanted until somebody stops it', () => {
    expect(folded(coreState, CoreStopRequested({})).process.wanted).toBe(false);
    expect(folded(coreState, CoreStopRequested({}), CoreRestartRequested({})).process.wanted).toBe(true);
  });

  it('refuses inbounds until it takes them or they are gone', () => {
    const refused = InboundRefusedByCore({ inbound: one, reason: 'no' });
    expect([...folded(coreState, refused).refused]).toStrictEqual([[1, 'no']]);
    expect(folded(coreState, refused, InboundAcceptedByCore({ inbound: one })).refused.size).toBe(0);
    expect(folded(coreState, refused, InboundDeleted({ inbound: one })).refused.size).toBe(0);
  });
});

describe('settings', () => {
  it('are the defaults with what was changed', () => {
    const state = folded(
      settings,
      SettingsChanged({ changes: { webPort: 1 } }),
      SettingsChanged({ changes: { subTitle: 'x' } }),
    );
    expect(state.values).toMatchObject({ webPort: 1, subTitle: 'x', subPort: 10882 });
    expect(folded(settings).template).toBeNull();
    const template = CoreTemplateChanged({ life: 1, template: { a: 1 }, outboundTestUrl: 'u' });
    expect(folded(settings, template).template).toStrictEqual({ template: { a: 1 }, outboundTestUrl: 'u' });
  });

  it('of an older snapshot get the defaults of newer keys', () => {
    const saved = { values: { webPort: 1 }, template: null } as unknown as ReturnType<typeof settings.initial>;
    expect(settings.load(saved as never).values).toMatchObject({ webPort: 1, subPort: 10882 });
  });
});

describe('the timeline', () => {
  it('has the facts without their data, and no measurements', () => {
    const [entry, ...others] = folded(
      timeline,
      clientAdded(),
      traffic({ clients: [[1, 1, 1]] }),
      ClientIpsSeen({ client: first, ips: [] }),
    );
    expect(others).toStrictEqual([]);
    expect(entry).toStrictEqual({
      position: 1,
      at: T0,
      type: 'ClientAdded',
      stream: 'client-1',
      actor: { kind: 'system', id: 'test' },
      correlationId: 'given',
    });
  });

  it('keeps the newest two thousand', () => {
    const state = folded(timeline, ...Array.from({ length: 4500 }, () => ClientRestored({ client: first })));
    expect(state.length).toBeLessThan(4000);
    const saved = timeline.save(state) as typeof state;
    expect([saved.length, saved[0]?.position, saved.at(-1)?.position]).toStrictEqual([2000, 2501, 4500]);
    expect(timeline.save(timeline.load(saved as never))).toStrictEqual(saved);
  });
});
