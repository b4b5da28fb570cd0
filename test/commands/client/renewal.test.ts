import { describe, expect, it } from 'vitest';
import {
  ClientDepleted,
  ClientReactivated,
  ClientRenewed,
  ClientTrafficReset,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import {
  InboundDepleted,
  InboundReactivated,
  InboundTrafficPeriodStarted,
  InboundTrafficReset,
  InboundUpdated,
} from '../../../src/events/inbound/inbound.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { caused, clientAdded, DAY, draft, first, HOUR, inboundAdded, one, T0, traffic } from '../../kit/builders.js';
import { busOver, TestLog } from '../../kit/log.js';
import { at, given } from '../../kit/spec.js';

const due = { type: 'BeginPeriods', data: {} } as const;
const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
const renewing = (spec: object = {}) =>
  clientAdded(draft('alice', 1, { spec: { renewalDays: 30, expiresAt: T0 + HOUR, ...spec } }));

describe('automatic renewal', () => {
  it('leaves a client alone before its expiry, or if it is not configured', () => {
    given(utc, inboundAdded(), renewing()).when(due).thenNothing();
    given(utc, inboundAdded(), renewing({ renewalDays: 0 }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
    given(utc, inboundAdded(), renewing({ expiresAt: 0 }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
    given(utc, inboundAdded(), renewing({ expiresAt: -DAY }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
  });

  it('does not apply to a period longer than any calendar, which earlier releases accepted', () => {
    given(utc, inboundAdded(), renewing({ renewalDays: 2 ** 31 }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
  });

  it('starts a new term with zero usage', () => {
    const now = T0 + HOUR;
    const next = T0 + HOUR + 30 * DAY;
    given(utc, inboundAdded(), renewing(), traffic({ clients: [[first, 10, 20]] }))
      .when(due, { now })
      .then(
        ClientRenewed({ client: first, previousExpiresAt: T0 + HOUR, expiresAt: next }),
        caused(0, ClientTrafficReset({ client: first, up: 10, down: 20 })),
      );
  });

  it('reactivates a depleted client', () => {
    const over = ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 30, capBytes: 30 } });
    given(utc, inboundAdded(), renewing({ capBytes: 30 }), traffic({ clients: [[first, 10, 20]] }), over)
      .when(due, { now: T0 + DAY })
      .then(
        ClientRenewed({ client: first, previousExpiresAt: T0 + HOUR, expiresAt: T0 + HOUR + 30 * DAY }),
        caused(0, ClientTrafficReset({ client: first, up: 10, down: 20 })),
        caused(0, ClientReactivated({ client: first })),
      );
  });

  it('replaces several missed renewals by one', () => {
    given(utc, inboundAdded(), renewing())
      .when(due, { now: T0 + 100 * DAY })
      .then(ClientRenewed({ client: first, previousExpiresAt: T0 + HOUR, expiresAt: T0 + HOUR + 120 * DAY }));
  });

  it('keeps the time of day across daylight saving changes', () => {
    const before = Date.parse('2026-03-20T11:00:00Z');
    given(
      SettingsChanged({ changes: { timeLocation: 'Europe/Berlin' } }),
      inboundAdded(),
      renewing({ expiresAt: before }),
    )
      .when(due, { now: before })
      .then(ClientRenewed({ client: first, previousExpiresAt: before, expiresAt: Date.parse('2026-04-19T10:00:00Z') }));
  });

  /** The ends of the terms that follow each other, by UTC, each recorded and decided on as it comes. */
  function ends(zone: string, from: string, renewalDays: number, count: number): readonly string[] {
    const journal = new TestLog();
    journal.append(
      SettingsChanged({ changes: { timeLocation: zone } }),
      inboundAdded(),
      renewing({ expiresAt: Date.parse(from), renewalDays }),
    );
    const { must, state } = busOver(journal.log, journal.clock);
    return Array.from({ length: count }, () => {
      journal.clock.advance((state.clients.get(first)?.spec.expiresAt ?? 0) - journal.clock.now());
      must(due);
      return new Date(state.clients.get(first)?.spec.expiresAt ?? 0).toISOString().slice(5, 16);
    });
  }

  it.each<readonly [zone: string, from: string, days: number, ends: readonly string[]]>([
    // 02:30 there, which the night of 8 March has not: 03:30 of that day, and 02:30 again from the next one on.
    ['America/New_York', '2026-03-06T07:30:00Z', 1, ['03-07T07:30', '03-08T07:30', '03-09T06:30', '03-10T06:30']],
    // 02:30 is twice on 25 October: the first of them.
    ['Europe/Berlin', '2026-10-24T00:30:00Z', 1, ['10-25T00:30', '10-26T01:30', '10-27T01:30']],
    // It falls into the gap of the spring, and comes through the autumn too.
    ['Europe/Berlin', '2026-02-27T01:30:00Z', 30, ['03-29T01:30', '04-28T00:30', '05-28T00:30']],
    ['Europe/Berlin', '2026-03-28T01:30:00Z', 1, ['03-29T01:30', '03-30T00:30']],
    ['Europe/Berlin', '2025-03-01T01:30:00Z', 196, ['09-13T00:30', '03-28T01:30']],
    ['Europe/Berlin', '2026-03-08T01:30:00Z', 21, ['03-29T01:30', '04-19T00:30', '05-10T00:30', '05-31T00:30']],
    // There it is a quarter to midnight that the gap leaves out: it is made up for on the next day.
    ['America/Nuuk', '2026-03-27T01:45:00Z', 1, ['03-28T01:45', '03-29T01:45', '03-30T00:45', '03-31T00:45']],
  ])('keeps the time of day in %s from %s on, each %i days', (zone, from, days, expected) => {
    expect(ends(zone, from, days, expected.length)).toStrictEqual(expected);
  });

  it('uses the time of day that an admin set last, also in another time zone', () => {
    const start = Date.parse('2026-03-07T07:30:00Z');
    const gap = Date.parse('2026-03-08T07:30:00Z');
    const renewed = ClientRenewed({ client: first, previousExpiresAt: start, expiresAt: gap });
    const daily = [inboundAdded(), renewing({ expiresAt: start, renewalDays: 1 }), renewed] as const;
    const next = (expiresAt: string, from = gap) =>
      ClientRenewed({ client: first, previousExpiresAt: from, expiresAt: Date.parse(expiresAt) });
    const newYork = SettingsChanged({ changes: { timeLocation: 'America/New_York' } });
    given(newYork, ...daily)
      .when(due, { now: gap })
      .then(next('2026-03-09T06:30:00Z'));
    given(utc, ...daily)
      .when(due, { now: gap })
      .then(next('2026-03-09T07:30:00Z'));
    const moved = ClientUpdated({ client: first, changes: { expiresAt: gap } });
    given(newYork, ...daily, moved)
      .when(due, { now: gap })
      .then(next('2026-03-09T07:30:00Z'));
    // A client whose cap changed keeps the time of day.
    given(newYork, ...daily, ClientUpdated({ client: first, changes: { capBytes: 5 } }))
      .when(due, { now: gap })
      .then(next('2026-03-09T06:30:00Z'));
  });
});

describe('a traffic period of an inbound', () => {
  // T0 is 2023-11-14T22:13:20Z, a Tuesday.
  const midnight = Date.parse('2023-11-15T00:00:00Z');
  const daily = inboundAdded({ spec: { trafficReset: 'daily' } });
  const began = (start = midnight) => InboundTrafficPeriodStarted({ inbound: one, period: 'daily', startedAt: start });

  it('does not start early or twice', () => {
    given(utc, daily)
      .when(due, { now: midnight - 1 })
      .thenNothing();
    given(utc, daily, began())
      .when(due, { now: midnight + HOUR })
      .thenNothing();
    given(utc, inboundAdded()).when(due, { now: midnight }).thenNothing();
  });

  it('sets the counters of the inbound and of its clients to zero, and records this also if they are zero', () => {
    given(utc, daily, clientAdded(draft('alice', 1)), traffic({ inbounds: [[one, 3, 4]], clients: [[first, 1, 2]] }))
      .when(due, { now: midnight })
      .then(
        began(),
        caused(0, InboundTrafficReset({ inbound: one, up: 3, down: 4 })),
        caused(0, ClientTrafficReset({ client: first, up: 1, down: 2 })),
      );
    given(utc, daily, clientAdded(draft('alice', 1)))
      .when(due, { now: midnight })
      .then(began());
  });

  it('reactivates an inbound and clients that had reached their caps', () => {
    const capped = inboundAdded({ spec: { trafficReset: 'daily', capBytes: 5 } });
    const over = InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 7, capBytes: 5 } });
    given(utc, capped, traffic({ inbounds: [[one, 3, 4]] }), over)
      .when(due, { now: midnight })
      .then(
        began(),
        caused(0, InboundTrafficReset({ inbound: one, up: 3, down: 4 })),
        caused(0, InboundReactivated({ inbound: one })),
      );
  });

  it('starts once after days without a running panel', () => {
    given(utc, daily)
      .when(due, { now: midnight + 5 * DAY + HOUR })
      .then(began(midnight + 5 * DAY));
  });

  it('is corrected without another reset after the clock was years ahead', () => {
    const ahead = at(midnight + 1000 * DAY, began(midnight + 1000 * DAY));
    given(utc, daily, ahead, traffic({ inbounds: [[one, 3, 4]] }))
      .when(due, { now: midnight + HOUR })
      .then(began());
    given(utc, daily, at(midnight, began()))
      .when(due, { now: midnight - 30_000 })
      .thenNothing();
  });

  it('starts in the time zone of the settings, and never for a time before it was configured', () => {
    const tehran = SettingsChanged({ changes: { timeLocation: 'Asia/Tehran' } });
    given(tehran, daily)
      .when(due, { now: Date.parse('2023-11-15T20:30:00Z') })
      .then(began(Date.parse('2023-11-15T20:30:00Z')));
    const later = at(midnight + HOUR, InboundUpdated({ inbound: one, changes: { trafficReset: 'daily' } }));
    given(utc, inboundAdded(), later)
      .when(due, { now: midnight + 2 * HOUR })
      .thenNothing();
  });
});
