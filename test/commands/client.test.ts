import { describe, it } from 'vitest';
import {
  ClientDeleted,
  ClientDepleted,
  ClientIpsCleared,
  ClientIpsSeen,
  ClientRestored,
  ClientTrafficAdjusted,
  ClientTrafficReset,
} from '../../src/events/client.js';
import { InboundDeleted, InboundDepleted } from '../../src/events/inbound.js';
import { KeyShredded } from '../../src/events/panel.js';
import { SettingsChanged } from '../../src/events/settings.js';
import {
  bob,
  caused,
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

describe('DeleteClient', () => {
  it('deletes a client, and the second time there is none', () => {
    const remove = { type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } } as const;
    const deleted = ClientDeleted({ client: first, inbound: one });
    given(...past)
      .when(remove)
      .then(deleted);
    given(...past, deleted)
      .when(remove)
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'alice', inbound: 1 });
  });

  it('wants an inbound that exists', () => {
    given()
      .when({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } })
      .thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('ResetClientTraffic', () => {
  const reset = (email: string, inbound: typeof one | null = null) =>
    ({ type: 'ResetClientTraffic', data: { inbound, email } }) as const;

  it('sets the counters to zero and says what they were', () => {
    given(...past, traffic({ clients: [[1, 3, 4]] }))
      .when(reset('ALICE', one))
      .then(ClientTrafficReset({ client: first, up: 3, down: 4 }));
  });

  it('restores a client that its cap had cut', () => {
    given(...overCap)
      .when(reset('alice'))
      .then(ClientTrafficReset({ client: first, up: 6, down: 6 }), caused(0, ClientRestored({ client: first })));
  });

  it('does not restore a client that has expired', () => {
    const expired = draft('alice', 1, { terms: { expiresAt: T0 } });
    given(
      inboundAdded(),
      clientAdded(expired),
      ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 } }),
    )
      .when(reset('alice'))
      .then(ClientTrafficReset({ client: first, up: 0, down: 0 }));
  });

  it('wants a client that exists, in the inbound that is named', () => {
    given(...past)
      .when(reset('nobody'))
      .thenRejects('CLIENT_NOT_FOUND', { client: 'nobody' });
    given(...past)
      .when(reset('alice', two))
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'alice', inbound: 2 });
  });
});

describe('ResetAllClientTraffic', () => {
  const reset = (inbound: typeof one | 'all') => ({ type: 'ResetAllClientTraffic', data: { inbound } }) as const;

  it('resets the clients of one inbound or of all', () => {
    const used = traffic({
      clients: [
        [1, 1, 2],
        [2, 3, 4],
      ],
    });
    const alone = ClientTrafficReset({ client: second, up: 3, down: 4 });
    given(...past, used)
      .when(reset(two))
      .then(alone);
    given(...past, used)
      .when(reset('all'))
      .then(ClientTrafficReset({ client: first, up: 1, down: 2 }), alone);
  });

  it('lets each restoration follow from its own reset', () => {
    given(
      inboundAdded(),
      clientAdded(capped),
      clientAdded(draft('bob', 2, { terms: { capBytes: 10 } }), second),
      traffic({
        clients: [
          [1, 6, 6],
          [2, 12, 0],
        ],
      }),
      capReached(),
      capReached(second),
    )
      .when(reset('all'))
      .then(
        ClientTrafficReset({ client: first, up: 6, down: 6 }),
        caused(0, ClientRestored({ client: first })),
        ClientTrafficReset({ client: second, up: 12, down: 0 }),
        caused(2, ClientRestored({ client: second })),
      );
  });

  it('wants an inbound that exists', () => {
    given().when(reset(one)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
    given().when(reset('all')).thenNothing();
  });
});

describe('AdjustClientTraffic', () => {
  const adjust = (up: number, down: number, email = 'alice') =>
    ({ type: 'AdjustClientTraffic', data: { email, up, down } }) as const;
  const adjusted = (up: number, down: number, before = { up: 0, down: 0 }) =>
    ClientTrafficAdjusted({ client: first, up, down, before });

  it('sets the counters and says what they were', () => {
    given(...past, traffic({ clients: [[1, 3, 4]] }))
      .when(adjust(100, 200))
      .then(adjusted(100, 200, { up: 3, down: 4 }));
  });

  it('depletes a client that it brings to its cap', () => {
    given(inboundAdded(), clientAdded(capped))
      .when(adjust(4, 6))
      .then(
        adjusted(4, 6),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 10, capBytes: 10 } })),
      );
  });

  it('restores a client that it brings below its cap', () => {
    given(...overCap)
      .when(adjust(4, 5))
      .then(adjusted(4, 5, { up: 6, down: 6 }), caused(0, ClientRestored({ client: first })));
  });

  it('leaves a depleted client so when it stays above its cap', () => {
    given(...overCap)
      .when(adjust(40, 5))
      .then(adjusted(40, 5, { up: 6, down: 6 }));
  });

  it.each([
    [-1, 0],
    [0, -1],
    [0.5, 0],
    [Number.MAX_SAFE_INTEGER + 1, 0],
  ])('refuses %d and %d bytes', (up, down) => {
    given(...past)
      .when(adjust(up, down))
      .thenRejects('VALUE_OUT_OF_RANGE');
  });

  it('wants a client that exists', () => {
    given(...past)
      .when(adjust(1, 1, 'nobody'))
      .thenRejects('CLIENT_NOT_FOUND', { client: 'nobody' });
  });
});

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

describe('the addresses of a client', () => {
  const record = (email: string, ips: { ip: string; at: number }[]) =>
    ({ type: 'RecordClientIps', data: { seen: [{ email, ips }] } }) as const;
  const ips = [{ ip: '198.51.100.7', at: T0 }];

  it('are recorded under its number', () => {
    given(...past)
      .when(record('BOB', ips))
      .then(ClientIpsSeen({ client: second, ips }));
  });

  it('of nobody are dropped, and so is an empty list', () => {
    given(...past)
      .when(record('nobody', ips))
      .thenNothing();
    given(...past)
      .when(record('bob', []))
      .thenNothing();
  });

  it('can be cleared', () => {
    const clear = (email: string) => ({ type: 'ClearClientIps', data: { email } }) as const;
    given(...past)
      .when(clear('Alice'))
      .then(ClientIpsCleared({ client: first }));
    given(...past)
      .when(clear('nobody'))
      .thenRejects('CLIENT_NOT_FOUND', { client: 'nobody' });
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
