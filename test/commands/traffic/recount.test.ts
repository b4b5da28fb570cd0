import { describe, it } from 'vitest';
import { ClientDepleted, ClientReactivated, ClientTrafficAdjusted } from '../../../src/events/client/client.js';
import { TrafficRecounted } from '../../../src/events/traffic/traffic.js';
import {
  bob,
  caused,
  clientAdded,
  draft,
  first,
  inboundAdded,
  otherInbound,
  second,
  traffic,
  two,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const rules = [{ count: 0.5 }];
const capped = draft('alice', 1, { spec: { capBytes: 10 } });
const past = [
  ...[inboundAdded(), otherInbound(), clientAdded(capped), clientAdded(bob, second, two)],
  ...[
    traffic({
      clients: [
        [1, 6, 6],
        [2, 2, 2],
      ],
    }),
  ],
  ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } }),
] as const;
const change = (client: typeof first, [up, down]: readonly [number, number], counted = { up: 6, down: 6 }) => ({
  ...{ client, counted, recounted: { up, down } },
});

describe('RecountTraffic', () => {
  it('sets the counters, and lets a client connect again that is below its cap now', () => {
    given(...past)
      .when({ type: 'RecountTraffic', data: { rules, position: 6, changes: [change(first, [3, 3])] } })
      .then(
        TrafficRecounted({ rules, position: 6, clients: 1 }),
        caused(0, ClientTrafficAdjusted({ client: first, up: 3, down: 3, before: { up: 6, down: 6 } })),
        caused(1, ClientReactivated({ client: first })),
      );
  });

  it('keeps what was used since the recount', () => {
    given(...past, traffic({ clients: [[2, 1, 5]] }))
      .when({
        type: 'RecountTraffic',
        data: { rules, position: 6, changes: [change(second, [1, 1], { up: 2, down: 2 })] },
      })
      .then(
        TrafficRecounted({ rules, position: 6, clients: 1 }),
        caused(0, ClientTrafficAdjusted({ client: second, up: 2, down: 6, before: { up: 3, down: 7 } })),
      );
  });

  it('is refused as a whole when a counter was reset since', () => {
    given(...past, ClientTrafficAdjusted({ client: second, up: 0, down: 0, before: { up: 2, down: 2 } }))
      .when({
        type: 'RecountTraffic',
        data: { rules, position: 6, changes: [change(first, [3, 3]), change(second, [1, 1], { up: 2, down: 2 })] },
      })
      .thenRejects('RECOUNT_OUTDATED', { client: 'bob' });
  });

  it('records nothing when the clients are gone', () => {
    given(inboundAdded())
      .when({ type: 'RecountTraffic', data: { rules, position: 1, changes: [change(first, [3, 3])] } })
      .then();
  });
});
