import { describe, expect, it } from 'vitest';
import {
  ClientDeleted,
  ClientTrafficAdjusted,
  ClientTrafficReset,
  ClientTrafficTransferred,
} from '../../../src/events/client/client.js';
import { ClientIpsCleared, ClientIpsSeen } from '../../../src/events/client/client-ips.js';
import { InboundDeleted, InboundTrafficReset } from '../../../src/events/inbound/inbound.js';
import { OutboundTrafficReset } from '../../../src/events/traffic/traffic.js';
import { clientIps } from '../../../src/projections/models/client-ips.js';
import { traffic as counters } from '../../../src/projections/models/traffic.js';
import { bob, clientAdded, first, inboundAdded, one, rolledUp, second, T0, traffic } from '../../kit/builders.js';
import { at, folded } from '../../kit/spec.js';

const later = T0 + 1000;

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

  it('is summed', () => {
    expect(folded(counters, ...past, poll, at(later, poll))).toStrictEqual({
      clients: new Map([
        [1, { up: 6, down: 8 }],
        [2, { up: 2, down: 0 }],
      ]),
      inbounds: new Map([[1, { up: 8, down: 8 }]]),
      outbounds: new Map([['direct', { up: 8, down: 8 }]]),
      clientsAllTime: new Map([
        [1, 14],
        [2, 2],
      ]),
      inboundsAllTime: new Map([[1, 16]]),
      lastOnline: new Map([
        [1, later],
        [2, later],
      ]),
    });
  });

  it('that was rolled up keeps the time of each client', () => {
    const sum = traffic({ clients: [[1, 3, 4, T0 - 5]] });
    expect([...folded(counters, ...past, sum).lastOnline]).toStrictEqual([[1, T0 - 5]]);
  });

  it('is transferred completely from a client to its sibling', () => {
    const before = [...past, poll, ClientTrafficReset({ client: first, up: 3, down: 4 }), at(later, poll)] as const;
    const state = folded(
      counters,
      ...before,
      ClientTrafficTransferred({ client: second, fromClient: first, up: 3, down: 4 }),
    );
    expect(state).toMatchObject({
      clients: new Map([
        [1, { up: 0, down: 0 }],
        [2, { up: 5, down: 4 }],
      ]),
      clientsAllTime: new Map([[2, 16]]),
    });
    const seen = folded(
      counters,
      ...past,
      at(later, traffic({ clients: [[1, 1, 0]] })),
      ClientTrafficTransferred({ client: second, fromClient: first, up: 1, down: 0 }),
    );
    expect(seen.lastOnline.get(second)).toBe(later);
  });

  it('restarts at a reset or an adjustment, except for the all-time usage', () => {
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

  it('of a deleted client or inbound is dropped', () => {
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

describe('client addresses', () => {
  const seen = (...ips: [string, number][]) =>
    ClientIpsSeen({ client: first, ips: ips.map(([ip, at_]) => ({ ip, seenAt: at_ })) });

  it('are kept with the time they were last seen, newest first', () => {
    const state = folded(clientIps, seen(['a', 1], ['b', 2]), seen(['a', 5]), seen(['b', 1]));
    expect([...(state.get(1) ?? [])]).toStrictEqual([
      ['a', 5],
      ['b', 2],
    ]);
  });

  it('are limited to the newest hundred', () => {
    const many = Array.from({ length: 130 }, (_, i): [string, number] => [`ip-${i}`, i]);
    const kept = [
      ...(folded(clientIps, seen(...many))
        .get(1)
        ?.keys() ?? []),
    ];
    expect([kept.length, kept[0], kept.at(-1)]).toStrictEqual([100, 'ip-129', 'ip-30']);
  });

  it('are forgotten when they are cleared, deleted with their client, or rolled up', () => {
    expect(folded(clientIps, seen(['a', 1]), ClientIpsCleared({ client: first })).size).toBe(0);
    expect(folded(clientIps, seen(['a', 1]), ClientDeleted({ client: first, inbound: one })).size).toBe(0);
    expect([...(folded(clientIps, seen(['a', 1], ['b', 3]), rolledUp(2)).get(1) ?? [])]).toStrictEqual([['b', 3]]);
    expect(folded(clientIps, seen(['a', 1]), rolledUp(2)).size).toBe(0);
  });
});
