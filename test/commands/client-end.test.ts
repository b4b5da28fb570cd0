import { describe, it } from 'vitest';
import { ClientDeleted, ClientDepleted, ClientRestored } from '../../src/events/client.js';
import { InboundDeleted, InboundDepleted, InboundRestored } from '../../src/events/inbound.js';
import { KeyShredded } from '../../src/events/panel.js';
import { SettingsChanged } from '../../src/events/settings.js';
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
  traffic,
  two,
} from '../kit/builders.js';
import { at, given } from '../kit/spec.js';

const past = [inboundAdded(), otherInbound(), clientAdded(), clientAdded(bob, second, two)] as const;
const capped = draft('alice', 1, { terms: { capBytes: 10 } });
const capReached = (client = first) =>
  ClientDepleted({ client, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } });
const overCap = [inboundAdded(), clientAdded(capped), traffic({ clients: [[1, 6, 6]] }), capReached()] as const;

describe('DeleteDepletedClients', () => {
  const remove = (inbound: typeof one | 'all') => ({ type: 'DeleteDepletedClients', data: { inbound } }) as const;
  const gone = (client = first, inbound = one) => ClientDeleted({ client, inbound });

  it('deletes who is depleted, and nobody else', () => {
    given(...overCap, clientAdded(bob, second))
      .when(remove(one))
      .then(gone());
  });

  it('deletes who is over its cap or its expiry before anybody recorded it', () => {
    given(
      inboundAdded(),
      clientAdded(draft('alice', 1, { terms: { expiresAt: T0 } })),
      clientAdded(draft('bob', 2, { terms: { expiresAt: T0 + 1 } }), second),
      clientAdded(draft('carol', 3, { terms: { capBytes: 0, expiresAt: -DAY } }), clientNumber(3)),
    )
      .when(remove('all'))
      .then(gone());
  });

  it('leaves alone who renews by itself', () => {
    given(inboundAdded(), clientAdded(draft('alice', 1, { terms: { capBytes: 10, resetDays: 30 } })), capReached())
      .when(remove('all'))
      .thenNothing();
  });

  it('looks only at the inbound that is named', () => {
    given(otherInbound(), inboundAdded(), clientAdded(capped), capReached()).when(remove(two)).thenNothing();
    given().when(remove(one)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('DepleteExpired', () => {
  const until = (expiresAt: number) => draft('alice', 1, { terms: { expiresAt } });
  const expired = ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 } });
  const deplete = { type: 'DepleteExpired', data: {} } as const;

  it('cuts a client in the millisecond of its expiry', () => {
    given(inboundAdded(), clientAdded(until(T0)))
      .when(deplete)
      .then(expired);
    given(inboundAdded(), clientAdded(until(T0 + 1)))
      .when(deplete)
      .thenNothing();
  });

  it('does nothing the second time', () => {
    given(inboundAdded(), clientAdded(until(T0)), expired)
      .when(deplete)
      .thenNothing();
  });

  it('leaves alone who has no expiry or whose term has not begun', () => {
    given(inboundAdded(), clientAdded(until(0)))
      .when(deplete)
      .thenNothing();
    given(inboundAdded(), clientAdded(until(-DAY)))
      .when(deplete)
      .thenNothing();
  });

  it('lets in again who was shut out by a clock that was ahead, and nobody for a correction of seconds', () => {
    const ahead = at(T0 + DAY, expired);
    given(inboundAdded(), clientAdded(until(T0)), ahead)
      .when(deplete, { now: T0 - DAY })
      .then(ClientRestored({ client: first }));
    given(inboundAdded(), clientAdded(until(T0)), ahead)
      .when(deplete, { now: T0 - 30_000 })
      .thenNothing();
    const cut = InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } });
    given(inboundAdded({ spec: { expiresAt: T0 } }), cut)
      .when(deplete, { now: T0 - DAY })
      .then(InboundRestored({ inbound: one }));
  });

  it('cuts an inbound too', () => {
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
  const erased = (key: string) => KeyShredded({ key, reason: 'erased' });

  it('destroys the keys of a client that was deleted thirty days ago', () => {
    given(...past, deletedAt(30))
      .when(erase)
      .then(erased('client:1/1'), erased('client:1/addresses'));
    given(...past, deletedAt(29.99))
      .when(erase)
      .thenNothing();
  });

  it('heeds the setting', () => {
    given(...past, SettingsChanged({ changes: { eraseDeletedAfterDays: 0 } }), deletedAt(0))
      .when(erase)
      .then(erased('client:1/1'), erased('client:1/addresses'));
  });

  it('does nothing the second time', () => {
    given(...past, deletedAt(31), erased('client:1/1'), erased('client:1/addresses'))
      .when(erase)
      .thenNothing();
    given(...past, deletedAt(31), erased('client:1/1'))
      .when(erase)
      .then(erased('client:1/addresses'));
  });

  it('destroys every configuration of a deleted inbound', () => {
    given(
      inboundAdded(),
      { type: 'InboundReconfigured', data: { inbound: one, life: 2, config: { settings: {}, stream: null } } },
      at(T0 - 31 * DAY, InboundDeleted({ inbound: inboundId(1) })),
    )
      .when(erase)
      .then(erased('inbound:1/config/1'), erased('inbound:1/config/2'));
  });
});
