import { describe, expect, it } from 'vitest';
import {
  ClientCredentialRotated,
  ClientDeleted,
  ClientDepleted,
  ClientExpiryStarted,
  ClientIdentityChanged,
  ClientReactivated,
  ClientUpdated,
} from '../../src/events/client/client.js';
import {
  InboundDeleted,
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReactivated,
  InboundReconfigured,
  InboundTrafficReset,
  InboundUpdated,
} from '../../src/events/inbound/inbound.js';
import { clients } from '../../src/projections/models/clients.js';
import { inbounds } from '../../src/projections/models/inbounds.js';
import {
  alice,
  bob,
  clientAdded,
  clientSpec,
  config,
  credential,
  first,
  identity,
  inboundAdded,
  one,
  second,
  T0,
  uuid,
} from '../kit/builders.js';
import { at, folded } from '../kit/spec.js';

const later = T0 + 1000;

describe('inbounds', () => {
  const all = (...events: Parameters<typeof folded>[1][]) => folded(inbounds, inboundAdded(), ...events).get(one);
  const fresh = all();

  it('have the values with which they were added', () => {
    const { spec, config: own } = inboundAdded().data;
    expect(fresh).toStrictEqual({
      ...spec,
      id: one,
      owner: 1,
      node: null,
      enabled: true,
      keyVersion: 1,
      config: own,
      depletion: null,
      depletedAt: 0,
      resetAt: 0,
      periodAt: T0,
      createdAt: T0,
      updatedAt: T0,
    });
  });

  it('change with their events', () => {
    expect(all(at(later, InboundUpdated({ inbound: one, changes: { port: 1, remark: 'x' } })))).toStrictEqual({
      ...fresh,
      port: 1,
      remark: 'x',
      updatedAt: later,
    });
    const next = config({ stream: null });
    expect(all(at(later, InboundReconfigured({ inbound: one, keyVersion: 2, config: next })))).toStrictEqual({
      ...fresh,
      keyVersion: 2,
      config: next,
      updatedAt: later,
    });
    expect(all(InboundDisabled({ inbound: one }))).toStrictEqual({ ...fresh, enabled: false });
    expect(all(InboundDisabled({ inbound: one }), InboundEnabled({ inbound: one }))).toStrictEqual(fresh);
    const depletion = { reason: 'expiry', expiresAt: 1 } as const;
    const depleted = at(later, InboundDepleted({ inbound: one, depletion }));
    expect(all(depleted)).toStrictEqual({ ...fresh, depletion, depletedAt: later });
    expect(all(depleted, InboundReactivated({ inbound: one }))).toStrictEqual(fresh);
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

  it('have the values with which they were added', () => {
    const state = { depletion: null, depletedAt: 0, createdAt: T0, updatedAt: T0 };
    expect(fresh).toStrictEqual({ number: first, inbound: one, keyVersion: 1, ...alice, ...state });
  });

  it('change with their events', () => {
    expect(only(at(later, ClientUpdated({ client: first, changes: { capBytes: 5 } })))).toStrictEqual({
      ...fresh,
      spec: clientSpec({ capBytes: 5 }),
      updatedAt: later,
    });
    const depletion = { reason: 'cap', usedBytes: 5, capBytes: 5 } as const;
    const depleted = at(later, ClientDepleted({ client: first, depletion }));
    expect(only(depleted)).toStrictEqual({ ...fresh, depletion, depletedAt: later });
    expect(only(depleted, ClientReactivated({ client: first }))).toStrictEqual(fresh);
    expect(only(ClientExpiryStarted({ client: first, expiresAt: 9 }))).toStrictEqual({
      ...fresh,
      spec: clientSpec({ expiresAt: 9 }),
    });
  });

  it('are found by their current names and ids, and not by former ones', () => {
    const renamed = ClientIdentityChanged({
      client: first,
      keyVersion: 1,
      emailChanged: true,
      identity: identity('Amy', { subId: 's2' }),
    });
    const rotated = ClientCredentialRotated({
      client: first,
      keyVersion: 2,
      identity: identity('Amy', { subId: 's2' }),
      credential: credential({ id: uuid(9) }),
    });
    const state = all(renamed, rotated);
    expect([...state.byEmail]).toStrictEqual([['amy', [1]]]);
    expect([...state.bySubId].map(([id, numbers]) => [id, ...numbers])).toStrictEqual([['s2', 1]]);
    expect([...state.byId].map(([id, numbers]) => [id, ...numbers])).toStrictEqual([[uuid(9), 1]]);
    expect(state.byNumber.get(first)?.keyVersion).toBe(2);
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

  it('are removed from all indexes when they are deleted', () => {
    const { byNumber, byEmail, byId, bySubId, ofInbound } = all(ClientDeleted({ client: first, inbound: one }));
    expect([byNumber.size, byEmail.size, byId.size, bySubId.size, ofInbound.size]).toStrictEqual([0, 0, 0, 0, 0]);
  });

  it('are found by an email that a deleted client had before', () => {
    const state = all(ClientDeleted({ client: first, inbound: one }), clientAdded(alice, second));
    expect(state.byEmail.get('alice')).toStrictEqual([2]);
  });
});
