import { describe, it } from 'vitest';
import type { Growth } from '../../../src/commands/traffic/traffic.js';
import { ClientDeleted, ClientDepleted, ClientExpiryStarted } from '../../../src/events/client/client.js';
import { InboundDeleted, InboundDepleted } from '../../../src/events/inbound/inbound.js';
import {
  InboundCountersReleased,
  MeasurementsRolledUp,
  OutboundTrafficReset,
} from '../../../src/events/traffic/traffic.js';
import {
  alice,
  bob,
  caused,
  clientAdded,
  DAY,
  draft,
  first,
  inboundAdded,
  one,
  second,
  T0,
  traffic,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

interface Poll {
  readonly clients?: readonly Growth[];
  readonly inbounds?: readonly Growth[];
  readonly outbounds?: readonly Growth<string>[];
  readonly passedOn?: readonly Growth<string>[];
}

const poll = ({ clients = [], inbounds = [], outbounds = [], passedOn = [] }: Poll) =>
  ({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds, outbounds, passedOn } }) as const;
const withTerms = (spec: Parameters<typeof draft>[2] & object) => [
  inboundAdded(),
  clientAdded(draft('alice', 1, spec)),
];
const cap = (usedBytes: number, capBytes: number) =>
  ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes, capBytes } });

describe('RecordTraffic', () => {
  it('records the traffic of each number', () => {
    given(inboundAdded(), clientAdded(alice), clientAdded(bob, second))
      .when(
        poll({
          clients: [
            [2, 3, 4],
            [1, 1, 2],
          ],
          inbounds: [[1, 4, 6]],
          outbounds: [['direct', 4, 6]],
        }),
      )
      .then(
        traffic({
          clients: [
            [2, 3, 4],
            [1, 1, 2],
          ],
          inbounds: [[1, 4, 6]],
          outbounds: [['direct', 4, 6]],
        }),
      );
  });

  it('records the traffic of a deleted client and inbound under their own numbers', () => {
    const gone = [ClientDeleted({ client: first, inbound: one }), InboundDeleted({ inbound: one })] as const;
    given(inboundAdded(), clientAdded(draft('alice', 1, { spec: { capBytes: 1 } })), ...gone)
      .when(poll({ clients: [[1, 1, 2]], inbounds: [[1, 1, 2]] }))
      .then(traffic({ clients: [[1, 1, 2]], inbounds: [[1, 1, 2]] }));
  });

  it('drops the traffic of unknown numbers', () => {
    given(inboundAdded(), clientAdded())
      .when(poll({ clients: [[2, 1, 2]], inbounds: [[2, 1, 2]] }))
      .thenNothing();
  });

  it('records released inbound counters after the traffic counted on them', () => {
    const passedOn = [['in-1', 5, 9]] as const;
    const said = InboundCountersReleased({ run: 'r1', counters: [['in-1', 5, 9]] });
    given(inboundAdded()).when(poll({ passedOn })).then(said);
    given(inboundAdded())
      .when(poll({ inbounds: [[1, 1, 2]], passedOn }))
      .then(traffic({ inbounds: [[1, 1, 2]] }), said);
  });

  it('does not deplete a client with automatic renewal that has traffic after its expiry', () => {
    given(...withTerms({ spec: { expiresAt: T0 - 1, renewalDays: 30 } }))
      .when(poll({ clients: [[1, 1, 1]] }))
      .then(traffic({ clients: [[1, 1, 1]] }));
  });

  it('records nothing without traffic', () => {
    given(inboundAdded()).when(poll({})).thenNothing();
  });

  it('depletes a client in the batch that brings it to its cap, as an effect of it', () => {
    given(...withTerms({ spec: { capBytes: 10 } }), traffic({ clients: [[1, 3, 3]] }))
      .when(poll({ clients: [[1, 2, 2]] }))
      .then(traffic({ clients: [[1, 2, 2]] }), caused(0, cap(10, 10)));
  });

  it('does not deplete it one byte below its cap', () => {
    given(...withTerms({ spec: { capBytes: 10 } }), traffic({ clients: [[1, 3, 3]] }))
      .when(poll({ clients: [[1, 2, 1]] }))
      .then(traffic({ clients: [[1, 2, 1]] }));
  });

  it('depletes only once', () => {
    given(...withTerms({ spec: { capBytes: 10 } }), traffic({ clients: [[1, 5, 5]] }), cap(10, 10))
      .when(poll({ clients: [[1, 2, 1]] }))
      .then(traffic({ clients: [[1, 2, 1]] }));
  });

  it('starts the term of a client with its first bytes', () => {
    given(...withTerms({ spec: { expiresAt: -30 * DAY } }))
      .when(poll({ clients: [[1, 1, 0]] }))
      .then(
        traffic({ clients: [[1, 1, 0]] }),
        caused(0, ClientExpiryStarted({ client: first, expiresAt: T0 + 30 * DAY })),
      );
  });

  it('does not start it again', () => {
    given(...withTerms({ spec: { expiresAt: -DAY } }), ClientExpiryStarted({ client: first, expiresAt: T0 + DAY }))
      .when(poll({ clients: [[1, 1, 0]] }), { now: T0 + 10 })
      .then(traffic({ clients: [[1, 1, 0]] }));
  });

  it('can start a term and reach a cap in one poll', () => {
    given(...withTerms({ spec: { expiresAt: -DAY, capBytes: 5 } }))
      .when(poll({ clients: [[1, 5, 0]] }))
      .then(
        traffic({ clients: [[1, 5, 0]] }),
        caused(0, ClientExpiryStarted({ client: first, expiresAt: T0 + DAY })),
        caused(0, cap(5, 5)),
      );
  });

  it('depletes a client that has traffic after its expiry', () => {
    given(...withTerms({ spec: { expiresAt: T0 - 1 } }))
      .when(poll({ clients: [[1, 1, 1]] }))
      .then(
        traffic({ clients: [[1, 1, 1]] }),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 - 1 } })),
      );
  });

  it('depletes an inbound by its own counters', () => {
    given(inboundAdded({ spec: { capBytes: 10 } }), traffic({ inbounds: [[1, 4, 4]] }))
      .when(poll({ inbounds: [[1, 1, 1]] }))
      .then(
        traffic({ inbounds: [[1, 1, 1]] }),
        caused(0, InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 10, capBytes: 10 } })),
      );
  });
});

describe('ResetOutboundTraffic', () => {
  const reset = (tag: string | null) => ({ type: 'ResetOutboundTraffic', data: { tag } }) as const;
  const used = traffic({
    outbounds: [
      ['direct', 1, 2],
      ['warp', 3, 4],
    ],
  });

  it('resets one outbound and records its former values', () => {
    given(used)
      .when(reset('warp'))
      .then(OutboundTrafficReset({ tag: 'warp', up: 3, down: 4 }));
  });

  it('resets all of them', () => {
    given(used)
      .when(reset(null))
      .then(
        OutboundTrafficReset({ tag: 'direct', up: 1, down: 2 }),
        OutboundTrafficReset({ tag: 'warp', up: 3, down: 4 }),
      );
    given().when(reset(null)).thenNothing();
  });

  it('rejects an outbound without counters', () => {
    given(used).when(reset('nowhere')).thenRejects('OUTBOUND_TAG_UNKNOWN', { tag: 'nowhere' });
  });
});

describe('RecordRollUp', () => {
  it('records the sums', () => {
    const data = {
      fromPosition: 1,
      toPosition: 9,
      firstAt: T0,
      lastAt: T0,
      digest: 'ab',
      prunedCount: 3,
      sums: [],
      nodeSums: [],
    };
    given().when({ type: 'RecordRollUp', data }).then(MeasurementsRolledUp(data));
  });
});
