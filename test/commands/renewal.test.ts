import { describe, it } from 'vitest';
import { ClientDepleted, ClientRenewed, ClientRestored, ClientTrafficReset } from '../../src/events/client.js';
import {
  InboundDepleted,
  InboundPeriodBegan,
  InboundRestored,
  InboundTrafficReset,
  InboundUpdated,
} from '../../src/events/inbound.js';
import { SettingsChanged } from '../../src/events/settings.js';
import { caused, clientAdded, DAY, draft, first, HOUR, inboundAdded, one, T0, traffic } from '../kit/builders.js';
import { at, given } from '../kit/spec.js';

const due = { type: 'BeginPeriods', data: {} } as const;
const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
const renewing = (terms: object = {}) =>
  clientAdded(draft('alice', 1, { terms: { resetDays: 30, expiresAt: T0 + HOUR, ...terms } }));

describe('a term that renews itself', () => {
  it('is left alone before its end, and where nobody asked for it', () => {
    given(utc, inboundAdded(), renewing()).when(due).thenNothing();
    given(utc, inboundAdded(), renewing({ resetDays: 0 }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
    given(utc, inboundAdded(), renewing({ expiresAt: 0 }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
    given(utc, inboundAdded(), renewing({ expiresAt: -DAY }))
      .when(due, { now: T0 + DAY })
      .thenNothing();
  });

  it('begins anew with nothing used', () => {
    const now = T0 + HOUR;
    const next = T0 + HOUR + 30 * DAY;
    given(utc, inboundAdded(), renewing(), traffic({ clients: [[first, 10, 20]] }))
      .when(due, { now })
      .then(
        ClientRenewed({ client: first, from: T0 + HOUR, expiresAt: next }),
        caused(0, ClientTrafficReset({ client: first, up: 10, down: 20 })),
      );
  });

  it('brings back a client that was over', () => {
    const over = ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 30, capBytes: 30 } });
    given(utc, inboundAdded(), renewing({ capBytes: 30 }), traffic({ clients: [[first, 10, 20]] }), over)
      .when(due, { now: T0 + DAY })
      .then(
        ClientRenewed({ client: first, from: T0 + HOUR, expiresAt: T0 + HOUR + 30 * DAY }),
        caused(0, ClientTrafficReset({ client: first, up: 10, down: 20 })),
        caused(0, ClientRestored({ client: first })),
      );
  });

  it('makes up for months that were missed by one renewal', () => {
    given(utc, inboundAdded(), renewing())
      .when(due, { now: T0 + 100 * DAY })
      .then(ClientRenewed({ client: first, from: T0 + HOUR, expiresAt: T0 + HOUR + 120 * DAY }));
  });

  it('ends at the same time of day through a change of the clocks', () => {
    const before = Date.parse('2026-03-20T11:00:00Z');
    given(
      SettingsChanged({ changes: { timeLocation: 'Europe/Berlin' } }),
      inboundAdded(),
      renewing({ expiresAt: before }),
    )
      .when(due, { now: before })
      .then(ClientRenewed({ client: first, from: before, expiresAt: Date.parse('2026-04-19T10:00:00Z') }));
  });
});

describe('a period of an inbound', () => {
  // T0 is 2023-11-14T22:13:20Z, a Tuesday.
  const midnight = Date.parse('2023-11-15T00:00:00Z');
  const daily = inboundAdded({ spec: { trafficReset: 'daily' } });
  const began = (start = midnight) => InboundPeriodBegan({ inbound: one, period: 'daily', start });

  it('does not begin before its time, nor twice', () => {
    given(utc, daily)
      .when(due, { now: midnight - 1 })
      .thenNothing();
    given(utc, daily, began())
      .when(due, { now: midnight + HOUR })
      .thenNothing();
    given(utc, inboundAdded()).when(due, { now: midnight }).thenNothing();
  });

  it('sets the counters of the inbound and of its clients to zero, and says so also when they are', () => {
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

  it('brings back what had reached its cap', () => {
    const capped = inboundAdded({ spec: { trafficReset: 'daily', capBytes: 5 } });
    const over = InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 7, capBytes: 5 } });
    given(utc, capped, traffic({ inbounds: [[one, 3, 4]] }), over)
      .when(due, { now: midnight })
      .then(
        began(),
        caused(0, InboundTrafficReset({ inbound: one, up: 3, down: 4 })),
        caused(0, InboundRestored({ inbound: one })),
      );
  });

  it('is made up for once after days without a panel', () => {
    given(utc, daily)
      .when(due, { now: midnight + 5 * DAY + HOUR })
      .then(began(midnight + 5 * DAY));
  });

  it('begins by the clocks of the admin, and never for the time before the rule', () => {
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
