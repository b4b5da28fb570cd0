import { describe, it } from 'vitest';
import type { ClientDraft } from '../../../src/commands/client/credentials.js';
import {
  ClientDeleted,
  ClientDepleted,
  ClientIdentityChanged,
  ClientReactivated,
  ClientTrafficReset,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import {
  InboundDeleted,
  InboundDepleted,
  InboundReactivated,
  InboundTrafficReset,
} from '../../../src/events/inbound/inbound.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import {
  bob,
  clientAdded,
  clientNumber,
  DAY,
  draft,
  first,
  inboundAdded,
  inboundId,
  one,
  otherInbound,
  second,
  T0,
  two,
} from '../../kit/builders.js';
import { at, given } from '../../kit/spec.js';
import { capped, capReached, overCap, past } from './kit.js';

describe('DeleteDepletedClients', () => {
  const remove = (inbound: typeof one | 'all') => ({ type: 'DeleteDepletedClients', data: { inbound } }) as const;
  const gone = (client = first, inbound = one) => ClientDeleted({ client, inbound });

  it('deletes only depleted clients', () => {
    given(...overCap, clientAdded(bob, second))
      .when(remove(one))
      .then(gone());
  });

  it('deletes clients past their cap or expiry before the depletion is recorded', () => {
    given(
      inboundAdded(),
      clientAdded(draft('alice', 1, { spec: { expiresAt: T0 } })),
      clientAdded(draft('bob', 2, { spec: { expiresAt: T0 + 1 } }), second),
      clientAdded(draft('carol', 3, { spec: { capBytes: 0, expiresAt: -DAY } }), clientNumber(3)),
    )
      .when(remove('all'))
      .then(gone());
  });

  it('skips clients with automatic renewal', () => {
    given(inboundAdded(), clientAdded(draft('alice', 1, { spec: { capBytes: 10, renewalDays: 30 } })), capReached())
      .when(remove('all'))
      .thenNothing();
  });

  it('is limited to the given inbound', () => {
    given(otherInbound(), inboundAdded(), clientAdded(capped), capReached()).when(remove(two)).thenNothing();
    given().when(remove(one)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('DepleteExpired', () => {
  const until = (expiresAt: number) => draft('alice', 1, { spec: { expiresAt } });
  const expired = ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 } });
  const deplete = { type: 'DepleteExpired', data: {} } as const;

  it('depletes a client in the millisecond of its expiry', () => {
    given(inboundAdded(), clientAdded(until(T0)))
      .when(deplete)
      .then(expired);
    given(inboundAdded(), clientAdded(until(T0 + 1)))
      .when(deplete)
      .thenNothing();
  });

  it('does nothing when repeated', () => {
    given(inboundAdded(), clientAdded(until(T0)), expired)
      .when(deplete)
      .thenNothing();
  });

  it('skips clients without an expiry or whose term has not started', () => {
    given(inboundAdded(), clientAdded(until(0)))
      .when(deplete)
      .thenNothing();
    given(inboundAdded(), clientAdded(until(-DAY)))
      .when(deplete)
      .thenNothing();
  });

  describe('after the clock was set back', () => {
    const back = { now: T0 - DAY };
    const cut = InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } });
    const alice = given(inboundAdded(), clientAdded(until(T0)), at(T0 + DAY, expired));
    const listener = given(inboundAdded({ spec: { expiresAt: T0 } }), at(T0 + DAY, cut));
    const change = (changed: ClientDraft) =>
      ({ type: 'UpdateClient', data: { inbound: one, client: { email: 'alice' }, draft: changed } }) as const;

    it('keeps expired clients depleted after a poll or an unrelated change', () => {
      alice.when(deplete, back).thenNothing();
      listener.when(deplete, back).thenNothing();
      const { identity } = until(T0);
      alice.when(change({ ...until(T0), identity: { ...identity, comment: 'x' } }), back).then(
        ClientIdentityChanged({
          client: first,
          keyVersion: 1,
          emailChanged: false,
          identity: { ...identity, comment: 'x' },
        }),
      );
      alice
        .when({ type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } }, back)
        .then(ClientTrafficReset({ client: first, up: 0, down: 0 }));
      listener
        .when({ type: 'ResetInboundTraffic', data: { inbound: one } }, back)
        .then(InboundTrafficReset({ inbound: one, up: 0, down: 0 }));
    });

    it('reactivates a client whose expiry an admin changes or which an admin disables and enables', () => {
      const restored = ClientReactivated({ client: first });
      alice
        .when(change(until(T0 + 1)), back)
        .then(ClientUpdated({ client: first, changes: { expiresAt: T0 + 1 } }), restored);
      const off = ClientUpdated({ client: first, changes: { enabled: false } });
      given(inboundAdded(), clientAdded(until(T0)), at(T0 + DAY, expired), at(T0 + DAY, off))
        .when(change(until(T0)), back)
        .then(ClientUpdated({ client: first, changes: { enabled: true } }), restored);
      listener
        .when({ type: 'SetInboundEnabled', data: { inbound: one, enabled: true } }, back)
        .then(InboundReactivated({ inbound: one }));
      listener.when({ type: 'SetInboundEnabled', data: { inbound: one, enabled: true } }, { now: T0 }).thenNothing();
    });
  });

  it('depletes an inbound too', () => {
    const cut = InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } });
    given(inboundAdded({ spec: { expiresAt: T0 } }))
      .when(deplete)
      .then(cut);
    given(inboundAdded({ spec: { expiresAt: T0 } }), cut)
      .when(deplete)
      .thenNothing();
  });
});

describe('EraseDeleted', () => {
  const erase = { type: 'EraseDeleted', data: {} } as const;
  const deletedAt = (days: number) => at(T0 - days * DAY, ClientDeleted({ client: first, inbound: one }));
  const erased = (key: string) => DataKeyDestroyed({ key, reason: 'erased' });

  it('destroys the keys of a client thirty days after its deletion', () => {
    given(...past, deletedAt(30))
      .when(erase)
      .then(erased('client:1/1'), erased('client:1/addresses'));
    given(...past, deletedAt(29.99))
      .when(erase)
      .thenNothing();
  });

  it('uses the retention time of the settings', () => {
    given(...past, SettingsChanged({ changes: { eraseDeletedAfterDays: 0 } }), deletedAt(0))
      .when(erase)
      .then(erased('client:1/1'), erased('client:1/addresses'));
  });

  it('does nothing when repeated', () => {
    given(...past, deletedAt(31), erased('client:1/1'), erased('client:1/addresses'))
      .when(erase)
      .thenNothing();
    given(...past, deletedAt(31), erased('client:1/1'))
      .when(erase)
      .then(erased('client:1/addresses'));
  });

  it('destroys every configuration key of a deleted inbound', () => {
    given(
      inboundAdded(),
      { type: 'InboundReconfigured', data: { inbound: one, keyVersion: 2, config: { settings: {}, stream: null } } },
      at(T0 - 31 * DAY, InboundDeleted({ inbound: inboundId(1) })),
    )
      .when(erase)
      .then(erased('inbound:1/config/1'), erased('inbound:1/config/2'));
  });
});
