import { describe, it } from 'vitest';
import {
  ClientDeleted,
  ClientDepleted,
  ClientReactivated,
  ClientTrafficAdjusted,
  ClientTrafficReset,
} from '../../../src/events/client/client.js';
import { ClientIpsCleared, ClientIpsSeen } from '../../../src/events/client/client-ips.js';
import { caused, clientAdded, draft, first, inboundAdded, one, second, T0, traffic, two } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';
import { capped, capReached, overCap, past } from './kit.js';

describe('DeleteClient', () => {
  it('deletes a client, and rejects a second attempt', () => {
    const remove = { type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } } as const;
    const deleted = ClientDeleted({ client: first, inbound: one });
    given(...past)
      .when(remove)
      .then(deleted);
    given(...past, deleted)
      .when(remove)
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'alice', inbound: 1 });
  });

  it('rejects an unknown inbound', () => {
    given()
      .when({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } })
      .thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('ResetClientTraffic', () => {
  const reset = (email: string, inbound: typeof one | null = null) =>
    ({ type: 'ResetClientTraffic', data: { inbound, email } }) as const;

  it('sets the counters to zero and records their former values', () => {
    given(...past, traffic({ clients: [[1, 3, 4]] }))
      .when(reset('ALICE', one))
      .then(ClientTrafficReset({ client: first, up: 3, down: 4 }));
  });

  it('reactivates a client that its cap had depleted', () => {
    given(...overCap)
      .when(reset('alice'))
      .then(ClientTrafficReset({ client: first, up: 6, down: 6 }), caused(0, ClientReactivated({ client: first })));
  });

  it('does not reactivate an expired client', () => {
    const expired = draft('alice', 1, { spec: { expiresAt: T0 } });
    given(
      inboundAdded(),
      clientAdded(expired),
      ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 } }),
    )
      .when(reset('alice'))
      .then(ClientTrafficReset({ client: first, up: 0, down: 0 }));
  });

  it('rejects a client that does not exist in the given inbound', () => {
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

  it('records each reset as the cause of its reactivation', () => {
    given(
      inboundAdded(),
      clientAdded(capped),
      clientAdded(draft('bob', 2, { spec: { capBytes: 10 } }), second),
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
        ClientTrafficReset({ client: second, up: 12, down: 0 }),
        caused(0, ClientReactivated({ client: first })),
        caused(1, ClientReactivated({ client: second })),
      );
  });

  it('rejects an unknown inbound', () => {
    given().when(reset(one)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
    given().when(reset('all')).thenNothing();
  });
});

describe('AdjustClientTraffic', () => {
  const adjust = (up: number, down: number, email = 'alice') =>
    ({ type: 'AdjustClientTraffic', data: { email, up, down } }) as const;
  const adjusted = (up: number, down: number, before = { up: 0, down: 0 }) =>
    ClientTrafficAdjusted({ client: first, up, down, before });

  it('sets the counters and records their former values', () => {
    given(...past, traffic({ clients: [[1, 3, 4]] }))
      .when(adjust(100, 200))
      .then(adjusted(100, 200, { up: 3, down: 4 }));
  });

  it('depletes a client whose usage reaches its cap', () => {
    given(inboundAdded(), clientAdded(capped))
      .when(adjust(4, 6))
      .then(
        adjusted(4, 6),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 10, capBytes: 10 } })),
      );
  });

  it('reactivates a client whose usage falls below its cap', () => {
    given(...overCap)
      .when(adjust(4, 5))
      .then(adjusted(4, 5, { up: 6, down: 6 }), caused(0, ClientReactivated({ client: first })));
  });

  it('keeps a client depleted whose usage stays at or above its cap', () => {
    given(...overCap)
      .when(adjust(40, 5))
      .then(adjusted(40, 5, { up: 6, down: 6 }));
  });

  it.each([
    [-1, 0],
    [0, -1],
    [0.5, 0],
    [Number.MAX_SAFE_INTEGER + 1, 0],
  ])('rejects %d and %d bytes', (up, down) => {
    given(...past)
      .when(adjust(up, down))
      .thenRejects('VALUE_OUT_OF_RANGE');
  });

  it('rejects an unknown client', () => {
    given(...past)
      .when(adjust(1, 1, 'nobody'))
      .thenRejects('CLIENT_NOT_FOUND', { client: 'nobody' });
  });
});

describe('the addresses of a client', () => {
  const record = (client: number, ips: { ip: string; seenAt: number }[]) =>
    ({ type: 'RecordClientIps', data: { seen: [{ client, ips }] } }) as const;
  const ips = [{ ip: '198.51.100.7', seenAt: T0 }];

  it('are recorded with its number', () => {
    given(...past)
      .when(record(2, ips))
      .then(ClientIpsSeen({ client: second, ips }));
  });

  it('are dropped for an unknown client or an empty list', () => {
    given(...past)
      .when(record(9, ips))
      .thenNothing();
    given(...past)
      .when(record(2, []))
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
