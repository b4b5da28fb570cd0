import { describe, it } from 'vitest';
import type { Growth } from '../../src/commands/traffic.js';
import { ClientDeleted, ClientDepleted, ClientExpiryStarted } from '../../src/events/client.js';
import { InboundDepleted } from '../../src/events/inbound.js';
import { MeasurementsRolledUp, OutboundTrafficReset } from '../../src/events/traffic.js';
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
} from '../kit/builders.js';
import { given } from '../kit/spec.js';

interface Poll {
  readonly clients?: readonly Growth[];
  readonly inbounds?: readonly Growth[];
  readonly outbounds?: readonly Growth[];
}

const poll = ({ clients = [], inbounds = [], outbounds = [] }: Poll) =>
  ({ type: 'RecordTraffic', data: { run: 'r1', clients, inbounds, outbounds } }) as const;
const grown = (name: string, up: number, down: number): Growth => ({ name, up, down });
const withTerms = (terms: Parameters<typeof draft>[2] & object) => [
  inboundAdded(),
  clientAdded(draft('alice', 1, terms)),
];
const cap = (usedBytes: number, capBytes: number) =>
  ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes, capBytes } });

describe('RecordTraffic', () => {
  it('records numbers instead of names', () => {
    given(inboundAdded(), clientAdded(alice), clientAdded(bob, second))
      .when(
        poll({
          clients: [grown('Bob', 3, 4), grown('alice', 1, 2)],
          inbounds: [grown('in-1', 4, 6)],
          outbounds: [grown('direct', 4, 6)],
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

  it('drops the bytes of who is gone', () => {
    given(inboundAdded(), clientAdded(), ClientDeleted({ client: first, inbound: one }))
      .when(poll({ clients: [grown('alice', 1, 2)], inbounds: [grown('nowhere', 1, 2)] }))
      .thenNothing();
  });

  it('records nothing when nothing grew', () => {
    given(inboundAdded()).when(poll({})).thenNothing();
  });

  it('depletes a client in the batch that brings it to its cap, as an effect of it', () => {
    given(...withTerms({ terms: { capBytes: 10 } }), traffic({ clients: [[1, 3, 3]] }))
      .when(poll({ clients: [grown('alice', 2, 2)] }))
      .then(traffic({ clients: [[1, 2, 2]] }), caused(0, cap(10, 10)));
  });

  it('leaves it one byte below its cap', () => {
    given(...withTerms({ terms: { capBytes: 10 } }), traffic({ clients: [[1, 3, 3]] }))
      .when(poll({ clients: [grown('alice', 2, 1)] }))
      .then(traffic({ clients: [[1, 2, 1]] }));
  });

  it('depletes only once', () => {
    given(...withTerms({ terms: { capBytes: 10 } }), traffic({ clients: [[1, 5, 5]] }), cap(10, 10))
      .when(poll({ clients: [grown('alice', 2, 1)] }))
      .then(traffic({ clients: [[1, 2, 1]] }));
  });

  it('starts the term of a client with its first bytes', () => {
    given(...withTerms({ terms: { expiresAt: -30 * DAY } }))
      .when(poll({ clients: [grown('alice', 1, 0)] }))
      .then(
        traffic({ clients: [[1, 1, 0]] }),
        caused(0, ClientExpiryStarted({ client: first, expiresAt: T0 + 30 * DAY })),
      );
  });

  it('does not start it again', () => {
    given(...withTerms({ terms: { expiresAt: -DAY } }), ClientExpiryStarted({ client: first, expiresAt: T0 + DAY }))
      .when(poll({ clients: [grown('alice', 1, 0)] }), { now: T0 + 10 })
      .then(traffic({ clients: [[1, 1, 0]] }));
  });

  it('starts a term and reaches a cap in one poll', () => {
    given(...withTerms({ terms: { expiresAt: -DAY, capBytes: 5 } }))
      .when(poll({ clients: [grown('alice', 5, 0)] }))
      .then(
        traffic({ clients: [[1, 5, 0]] }),
        caused(0, ClientExpiryStarted({ client: first, expiresAt: T0 + DAY })),
        caused(0, cap(5, 5)),
      );
  });

  it('depletes a client that moves bytes after its expiry', () => {
    given(...withTerms({ terms: { expiresAt: T0 - 1 } }))
      .when(poll({ clients: [grown('alice', 1, 1)] }))
      .then(
        traffic({ clients: [[1, 1, 1]] }),
        caused(0, ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 - 1 } })),
      );
  });

  it('depletes an inbound by its own counters', () => {
    given(inboundAdded({ spec: { capBytes: 10 } }), traffic({ inbounds: [[1, 4, 4]] }))
      .when(poll({ inbounds: [grown('in-1', 1, 1)] }))
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

  it('resets one outbound, and says what it had', () => {
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

  it('wants an outbound that has counted', () => {
    given(used).when(reset('nowhere')).thenRejects('OUTBOUND_TAG_UNKNOWN', { tag: 'nowhere' });
  });
});

describe('RecordRollUp', () => {
  it('says what was summed up', () => {
    const data = { from: 1, to: 9, fromTime: T0, toTime: T0, root: 'ab', pruned: 3, sums: [], nodeSums: [] };
    given().when({ type: 'RecordRollUp', data }).then(MeasurementsRolledUp(data));
  });
});
