import { describe, it } from 'vitest';
import { ClientDeleted } from '../../../src/events/client/client.js';
import {
  InboundDeleted,
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReactivated,
  InboundTrafficReset,
} from '../../../src/events/inbound/inbound.js';
import {
  alice,
  bob,
  caused,
  clientAdded,
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
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const capped = (id = one, spec: object = {}) => inboundAdded({ id, spec: { capBytes: 100, ...spec } });
const depleted = (id = one) =>
  InboundDepleted({ inbound: id, depletion: { reason: 'cap', usedBytes: 100, capBytes: 100 } });

describe('SetInboundEnabled', () => {
  const set = (enabled: boolean) => ({ type: 'SetInboundEnabled', data: { inbound: one, enabled } }) as const;

  it('enables and disables an inbound', () => {
    given(inboundAdded())
      .when(set(false))
      .then(InboundDisabled({ inbound: one }));
    given(inboundAdded(), InboundDisabled({ inbound: one }))
      .when(set(true))
      .then(InboundEnabled({ inbound: one }));
  });

  it('does nothing if the state is the same', () => {
    given(inboundAdded()).when(set(true)).thenNothing();
    given(inboundAdded({ enabled: false }))
      .when(set(false))
      .thenNothing();
  });

  it('rejects an unknown inbound', () => {
    given().when(set(true)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('DeleteInbound', () => {
  const remove = { type: 'DeleteInbound', data: { inbound: one } } as const;

  it('deletes its clients, then the inbound', () => {
    given(inboundAdded(), clientAdded(), clientAdded(bob, second), otherInbound())
      .when(remove)
      .then(
        ClientDeleted({ client: first, inbound: one }),
        ClientDeleted({ client: second, inbound: one }),
        InboundDeleted({ inbound: one }),
      );
  });

  it('does not affect clients of other inbounds', () => {
    given(inboundAdded(), otherInbound(), clientAdded(bob, first, two))
      .when(remove)
      .then(InboundDeleted({ inbound: one }));
  });

  it('rejects an unknown inbound, and a second attempt', () => {
    given(inboundAdded(), InboundDeleted({ inbound: one }))
      .when(remove)
      .thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });

  it('frees its port, tag and emails', () => {
    const again = {
      type: 'AddInbound',
      data: {
        owner: inboundAdded().data.owner,
        enabled: true,
        spec: inboundAdded().data.spec,
        config: inboundAdded().data.config,
        clients: [alice],
      },
    } as const;
    given(
      inboundAdded(),
      clientAdded(),
      ClientDeleted({ client: first, inbound: one }),
      InboundDeleted({ inbound: one }),
    )
      .when(again)
      .then(inboundAdded({ id: two }), clientAdded(alice, second, two));
  });
});

describe('ResetInboundTraffic', () => {
  const reset = { type: 'ResetInboundTraffic', data: { inbound: one } } as const;

  it('sets the counters to zero and records their former values', () => {
    given(inboundAdded(), clientAdded(), traffic({ inbounds: [[1, 3, 4]], clients: [[1, 1, 1]] }))
      .when(reset)
      .then(InboundTrafficReset({ inbound: one, up: 3, down: 4 }));
  });

  it('reactivates an inbound that its cap had depleted', () => {
    given(capped(), traffic({ inbounds: [[1, 60, 40]] }), depleted())
      .when(reset)
      .then(InboundTrafficReset({ inbound: one, up: 60, down: 40 }), caused(0, InboundReactivated({ inbound: one })));
  });

  it('does not reactivate an expired inbound', () => {
    given(
      inboundAdded({ spec: { expiresAt: T0 } }),
      InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } }),
    )
      .when(reset)
      .then(InboundTrafficReset({ inbound: one, up: 0, down: 0 }));
  });

  it('rejects an unknown inbound', () => {
    given().when(reset).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });
});

describe('ResetAllTraffic', () => {
  it('resets every inbound, and each reset is the cause of its reactivation', () => {
    given(
      capped(),
      capped(two, { port: 2, tag: 'in-2' }),
      inboundAdded({ id: inboundId(3), spec: { port: 3, tag: 'in-3' } }),
      traffic({
        inbounds: [
          [1, 100, 0],
          [2, 0, 100],
          [3, 5, 5],
        ],
      }),
      depleted(),
      depleted(two),
    )
      .when({ type: 'ResetAllTraffic', data: {} })
      .then(
        InboundTrafficReset({ inbound: one, up: 100, down: 0 }),
        caused(0, InboundReactivated({ inbound: one })),
        InboundTrafficReset({ inbound: two, up: 0, down: 100 }),
        caused(2, InboundReactivated({ inbound: two })),
        InboundTrafficReset({ inbound: inboundId(3), up: 5, down: 5 }),
      );
  });

  it('does nothing without inbounds', () => {
    given().when({ type: 'ResetAllTraffic', data: {} }).thenNothing();
  });

  it('does not affect the counters of clients', () => {
    given(inboundAdded(), clientAdded(draft('alice', 1, { spec: { capBytes: 10 } })), traffic({ clients: [[1, 5, 5]] }))
      .when({ type: 'ResetAllTraffic', data: {} })
      .then(InboundTrafficReset({ inbound: one, up: 0, down: 0 }));
  });
});
