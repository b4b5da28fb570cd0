import { describe, it } from 'vitest';
import type { ClientDraft } from '../../../src/commands/client/credentials.js';
import {
  ClientAdded,
  ClientDeleted,
  ClientDepleted,
  ClientExpiryStarted,
  ClientIdentityChanged,
  ClientReactivated,
  ClientRenewed,
  ClientTrafficAdjusted,
  ClientTrafficReset,
  ClientTrafficTransferred,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import { ClientIpsCleared, ClientIpsSeen } from '../../../src/events/client/client-ips.js';
import { type ClientNumber, NodeId } from '../../../src/events/ids.js';
import { InboundDeleted, InboundTrafficPeriodStarted } from '../../../src/events/inbound/inbound.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import {
  caused,
  clientAdded,
  clientNumber,
  DAY,
  draft,
  first,
  HOUR,
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

type Terms = NonNullable<Parameters<typeof draft>[2]>['spec'];
const third = clientNumber(3);
const three = inboundId(3);
const anna = (n: number, spec: Terms = {}, subId = 'anna'): ClientDraft =>
  draft(n === 2 ? 'Anna' : 'anna', n, { spec, identity: { subId } });
const inbounds = [inboundAdded(), otherInbound()] as const;
const nodeInbound = inboundAdded({
  id: three,
  node: NodeId.parse(1),
  spec: { port: 9443, tag: 'in-3' },
});
const here = (spec: Terms = {}) => clientAdded(anna(1, spec));
const there = (spec: Terms = {}) => clientAdded(anna(2, spec), second, two);
const away = (spec: Terms = {}) => clientAdded(anna(3, spec), third, three);
const used = (number: number, up: number, down = 0) => traffic({ clients: [[number, up, down]] });
const cut = (client: ClientNumber, usedBytes: number, capBytes: number) =>
  ClientDepleted({ client, depletion: { reason: 'cap', usedBytes, capBytes } });
const reset = (client: ClientNumber, up = 0, down = 0) => ClientTrafficReset({ client, up, down });
const back = (client: ClientNumber) => ClientReactivated({ client });
const inherited = (client: ClientNumber, from: ClientNumber, up = 0, down = 0) =>
  ClientTrafficTransferred({ client, fromClient: from, up, down });
const gone = (client: ClientNumber, inbound = one) => ClientDeleted({ client, inbound });
const grown = (up: number, client = 1) =>
  ({
    type: 'RecordTraffic',
    data: { run: 'r1', clients: [[client, up, 0]], inbounds: [], outbounds: [] },
  }) as const;

describe('one email in several inbounds', () => {
  const add = (client: ClientDraft) => ({ type: 'AddClients', data: { inbound: two, clients: [client] } }) as const;

  it('is shared by clients with the same subscription id', () => {
    given(...inbounds, here())
      .when(add(anna(2)))
      .then(ClientAdded({ client: second, inbound: two, keyVersion: 1, ...anna(2) }));
  });

  it.each([
    ['another subscription id', anna(2, {}, 'bert')],
    ['one that differs by case', anna(2, {}, 'ANNA')],
    ['none', anna(2, {}, '')],
  ])('is rejected with %s', (_, client) => {
    given(...inbounds, here())
      .when(add(client))
      .thenRejects('EMAIL_TAKEN', { email: 'Anna' });
  });

  it('is rejected if the clients have no subscription id', () => {
    given(...inbounds, clientAdded(anna(1, {}, '')))
      .when(add(anna(2, {}, '')))
      .thenRejects('EMAIL_TAKEN', { email: 'Anna' });
  });

  it('is rejected within one inbound', () => {
    given(...inbounds, here())
      .when({ type: 'AddClients', data: { inbound: one, clients: [anna(2)] } })
      .thenRejects('EMAIL_TAKEN', { email: 'Anna' });
    given(...inbounds)
      .when({ type: 'AddClients', data: { inbound: one, clients: [anna(1), anna(2)] } })
      .thenRejects('EMAIL_TAKEN', { email: 'Anna' });
  });

  it('counts the usage of all siblings: a new client over its cap is depleted at once', () => {
    given(...inbounds, here(), used(1, 10))
      .when(add(anna(2, { capBytes: 10 })))
      .then(
        ClientAdded({ client: second, inbound: two, keyVersion: 1, ...anna(2, { capBytes: 10 }) }),
        cut(second, 10, 10),
      );
  });
});

describe('an update of one sibling', () => {
  const change = (client: ClientDraft, name = 'anna') =>
    ({ type: 'UpdateClient', data: { inbound: two, client: { email: name }, draft: client } }) as const;

  it('applies to the client in the given inbound', () => {
    given(...inbounds, here(), there())
      .when(change(anna(2, { capBytes: 9 })))
      .then(ClientUpdated({ client: second, changes: { capBytes: 9 } }));
  });

  it('cannot change the shared subscription id', () => {
    given(...inbounds, here(), there())
      .when(change(anna(2, {}, 'bert')))
      .thenRejects('SUB_ID_SHARED', { email: 'Anna', inbound: 1 });
  });

  it('cannot set the email of an unrelated client', () => {
    given(...inbounds, here(), clientAdded(draft('bert', 2), second, two))
      .when(change(anna(2, {}, 'sub-bert'), 'bert'))
      .thenRejects('EMAIL_TAKEN', { email: 'Anna' });
  });

  it('reactivates it when its cap is above the total usage, without affecting the other', () => {
    given(
      ...inbounds,
      here({ capBytes: 10 }),
      there({ capBytes: 10 }),
      used(1, 12),
      cut(first, 12, 10),
      cut(second, 12, 10),
    )
      .when(change(anna(2, { capBytes: 13 })))
      .then(ClientUpdated({ client: second, changes: { capBytes: 13 } }), back(second));
    given(
      ...inbounds,
      here({ capBytes: 10 }),
      there({ capBytes: 10 }),
      used(1, 12),
      cut(first, 12, 10),
      cut(second, 12, 10),
    )
      .when(change(anna(2, { capBytes: 12 })))
      .then(ClientUpdated({ client: second, changes: { capBytes: 12 } }), cut(second, 12, 12));
  });

  it('transfers its usage to the remaining siblings when its email changes', () => {
    const bert = draft('bert', 2, { identity: { subId: 'anna' } });
    given(...inbounds, here(), there(), used(2, 3, 4))
      .when(change(bert))
      .then(
        inherited(first, second, 3, 4),
        ClientIdentityChanged({ client: second, keyVersion: 1, emailChanged: true, identity: bert.identity }),
      );
  });

  it('counts the usage of both when it joins the email of another client', () => {
    const bert = clientAdded(draft('bert', 2, { identity: { subId: 'anna' }, spec: { capBytes: 10 } }), second, two);
    const { identity } = anna(2);
    given(...inbounds, here(), bert, used(1, 6), used(2, 4))
      .when(change(anna(2, { capBytes: 10 }), 'bert'))
      .then(
        ClientIdentityChanged({ client: second, keyVersion: 1, emailChanged: true, identity }),
        cut(second, 10, 10),
      );
    given(...inbounds, here(), bert, used(1, 6), used(2, 3))
      .when(change(anna(2, { capBytes: 10 }), 'bert'))
      .then(ClientIdentityChanged({ client: second, keyVersion: 1, emailChanged: true, identity }));
  });

  it('depletes each sibling whose cap is reached by the usage of the one that joins', () => {
    const bert = clientAdded(draft('bert', 2, { identity: { subId: 'anna' } }), second, two);
    const { identity } = anna(2);
    const joined = ClientIdentityChanged({ client: second, keyVersion: 1, emailChanged: true, identity });
    const past = [...inbounds, nodeInbound, here({ capBytes: 1000 }), bert, away({ capBytes: 1401 })] as const;
    given(...past, used(1, 900), used(2, 300, 200))
      .when(change(anna(2), 'bert'))
      .then(joined, cut(first, 1400, 1000));
    given(...past, used(1, 900), used(2, 50, 49))
      .when(change(anna(2), 'bert'))
      .then(joined);
    given(...past, used(1, 999), used(2, 1), cut(first, 1000, 1000))
      .when(change(anna(2), 'bert'))
      .then(joined);
  });

  it('does not count usage that it leaves behind with its former email', () => {
    const bert = draft('bert', 2, { identity: { subId: 'anna' } });
    const left = clientAdded({ ...bert, credential: draft('bert', 4).credential }, third, three);
    const { identity } = anna(2, { capBytes: 900 });
    given(
      ...inbounds,
      nodeInbound,
      here({ capBytes: 1000 }),
      clientAdded(bert, second, two),
      left,
      used(1, 900),
      used(2, 500),
    )
      .when(change(anna(2, { capBytes: 900 }), 'bert'))
      .then(
        ClientUpdated({ client: second, changes: { capBytes: 900 } }),
        inherited(third, second, 500),
        ClientIdentityChanged({ client: second, keyVersion: 1, emailChanged: true, identity }),
        cut(second, 900, 900),
      );
  });

  it('depletes it at once when its new cap is below the total usage, without affecting the other', () => {
    given(...inbounds, here({ capBytes: 20 }), there({ capBytes: 20 }), used(1, 7), used(2, 5))
      .when(change(anna(2, { capBytes: 12 })))
      .then(ClientUpdated({ client: second, changes: { capBytes: 12 } }), cut(second, 12, 12));
    given(...inbounds, here({ capBytes: 20 }), there({ capBytes: 20 }), used(1, 7), used(2, 5))
      .when(change(anna(2, { capBytes: 13 })))
      .then(ClientUpdated({ client: second, changes: { capBytes: 13 } }));
  });

  it('works likewise in an inbound update that lists all clients', () => {
    const { inbound, spec, config, enabled } = otherInbound().data;
    const clients = [anna(2, { capBytes: 12 }), draft('bert', 5)];
    given(...inbounds, here({ capBytes: 20 }), there({ capBytes: 20 }), used(1, 7), used(2, 5))
      .when({ type: 'UpdateInbound', data: { inbound, spec, config, enabled, clients } })
      .then(
        ClientUpdated({ client: second, changes: { capBytes: 12 } }),
        cut(second, 12, 12),
        ClientAdded({ client: third, inbound: two, keyVersion: 1, ...draft('bert', 5) }),
      );
    given(...inbounds, here({ capBytes: 20 }), used(1, 12))
      .when({ type: 'UpdateInbound', data: { inbound, spec, config, enabled, clients } })
      .then(
        ClientAdded({ client: second, inbound: two, keyVersion: 1, ...anna(2, { capBytes: 12 }) }),
        cut(second, 12, 12),
        ClientAdded({ client: third, inbound: two, keyVersion: 1, ...draft('bert', 5) }),
      );
  });

  it('does not delete siblings in other inbounds that an inbound update does not list', () => {
    const { inbound, spec, config, enabled } = otherInbound().data;
    given(...inbounds, here(), there(), used(1, 5), used(2, 7))
      .when({ type: 'UpdateInbound', data: { inbound, spec, config, enabled, clients: [draft('bert', 5)] } })
      .then(
        inherited(first, second, 7),
        gone(second, two),
        ClientAdded({ client: third, inbound: two, keyVersion: 1, ...draft('bert', 5) }),
      );
  });
});

describe('traffic of a shared email', () => {
  it('is recorded for the client that used it, and counts for all siblings', () => {
    given(...inbounds, here({ capBytes: 10 }), there({ capBytes: 10 }), used(1, 5))
      .when(grown(5, 2))
      .then(used(2, 5), caused(0, cut(first, 10, 10)), caused(0, cut(second, 10, 10)));
  });

  it('depletes each sibling whose cap is reached by the total of all machines', () => {
    given(...inbounds, nodeInbound, here({ capBytes: 10 }), there({ capBytes: 11 }), away({ capBytes: 10 }), used(3, 6))
      .when(grown(4))
      .then(used(1, 4), caused(0, cut(first, 10, 10)), caused(0, cut(third, 10, 10)));
  });

  it('depletes no sibling one byte below its cap', () => {
    given(...inbounds, here({ capBytes: 10 }), there({ capBytes: 10 }), used(1, 5), used(2, 2))
      .when(grown(2))
      .then(used(1, 2));
  });

  it('starts the term of each sibling with the first use of one', () => {
    const started = (client: ClientNumber, expiresAt: number) => caused(0, ClientExpiryStarted({ client, expiresAt }));
    given(...inbounds, here({ expiresAt: -DAY }), there({ expiresAt: -HOUR }))
      .when(grown(1))
      .then(used(1, 1), started(first, T0 + DAY), started(second, T0 + HOUR));
  });
});

describe('a reset of a shared email', () => {
  const over = [
    ...inbounds,
    here({ capBytes: 10 }),
    there({ capBytes: 10 }),
    used(1, 6),
    used(2, 6),
    cut(first, 12, 10),
    cut(second, 12, 10),
  ] as const;
  const both = [reset(first, 6), reset(second, 6), caused(0, back(first)), caused(1, back(second))] as const;

  it('resets all siblings', () => {
    for (const inbound of [null, one, two]) {
      given(...over)
        .when({ type: 'ResetClientTraffic', data: { inbound, email: 'ANNA' } })
        .then(...both);
    }
    given(...over)
      .when({ type: 'ResetClientTraffic', data: { inbound: three, email: 'anna' } })
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'anna', inbound: 3 });
  });

  it('happens once per sibling when an inbound or all clients are reset', () => {
    for (const inbound of [two, 'all'] as const) {
      given(...over)
        .when({ type: 'ResetAllClientTraffic', data: { inbound } })
        .then(...both);
    }
  });

  it('does not reactivate an expired sibling', () => {
    given(...inbounds, here({ capBytes: 10 }), there({ expiresAt: T0 }), used(1, 10), cut(first, 10, 10))
      .when({ type: 'ResetClientTraffic', data: { inbound: null, email: 'anna' } })
      .then(reset(first, 10), reset(second), caused(0, back(first)));
  });

  it('to given values sets the total of all siblings', () => {
    given(...over)
      .when({ type: 'AdjustClientTraffic', data: { email: 'anna', up: 4, down: 5 } })
      .then(
        ClientTrafficAdjusted({ client: first, up: 4, down: 5, before: { up: 6, down: 0 } }),
        ClientTrafficAdjusted({ client: second, up: 0, down: 0, before: { up: 6, down: 0 } }),
        caused(0, back(first)),
        caused(0, back(second)),
      );
    given(...inbounds, here({ capBytes: 10 }), there({ capBytes: 9 }))
      .when({ type: 'AdjustClientTraffic', data: { email: 'anna', up: 9, down: 0 } })
      .then(
        ClientTrafficAdjusted({ client: first, up: 9, down: 0, before: { up: 0, down: 0 } }),
        caused(0, cut(second, 9, 9)),
      );
  });
});

describe('a period of a shared email', () => {
  const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
  const due = { type: 'BeginPeriods', data: {} } as const;
  const renewed = (client: ClientNumber) => ClientRenewed({ client, previousExpiresAt: T0, expiresAt: T0 + 30 * DAY });

  it('renews each sibling separately and resets the counters once', () => {
    const spec = { expiresAt: T0, renewalDays: 30, capBytes: 10 };
    const expired = (client: ClientNumber) =>
      ClientDepleted({ client, depletion: { reason: 'expiry', expiresAt: T0 } });
    given(utc, ...inbounds, here(spec), there(spec), used(1, 7), expired(first), expired(second))
      .when(due)
      .then(
        renewed(first),
        caused(0, reset(first, 7)),
        caused(0, reset(second)),
        caused(0, back(first)),
        renewed(second),
        caused(4, back(second)),
      );
  });

  it('reactivates a sibling that was over its cap and has no expiry', () => {
    given(
      utc,
      ...inbounds,
      here({ expiresAt: T0, renewalDays: 30 }),
      there({ capBytes: 5 }),
      used(1, 7),
      cut(second, 7, 5),
    )
      .when(due)
      .then(renewed(first), caused(0, reset(first, 7)), caused(0, reset(second)), caused(0, back(second)));
  });

  it('resets siblings once when the periods of two inbounds start together', () => {
    const start = Date.parse('2023-11-15T00:00:00Z');
    const daily = { trafficReset: 'daily' } as const;
    const began = (inbound: typeof one) => InboundTrafficPeriodStarted({ inbound, period: 'daily', startedAt: start });
    given(
      utc,
      inboundAdded({ spec: daily }),
      inboundAdded({ id: two, spec: { ...daily, port: 8443, tag: 'in-2' } }),
      here(),
      there(),
      used(1, 7),
    )
      .when(due, { now: start })
      .then(began(one), caused(0, reset(first, 7)), caused(0, reset(second)), began(two));
  });
});

describe('the deletion of a sibling', () => {
  it('transfers its usage to the remaining sibling with the lowest number on this machine', () => {
    const past = [
      ...inbounds,
      nodeInbound,
      clientAdded(anna(3), first, three),
      there(),
      clientAdded(anna(1), third),
    ] as const;
    given(...past, used(2, 3, 4))
      .when({ type: 'DeleteClient', data: { inbound: two, client: { email: 'anna' } } })
      .then(inherited(third, second, 3, 4), gone(second, two));
    given(...past, used(1, 3, 4))
      .when({ type: 'DeleteClient', data: { inbound: three, client: { email: 'anna' } } })
      .then(inherited(second, first, 3, 4), gone(first, three));
  });

  it('applies only to the client in the given inbound', () => {
    given(...inbounds, here())
      .when({ type: 'DeleteClient', data: { inbound: two, client: { email: 'anna' } } })
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'anna', inbound: 2 });
  });

  it('transfers its usage also when its inbound is deleted', () => {
    given(...inbounds, here(), there(), used(1, 3))
      .when({ type: 'DeleteInbound', data: { inbound: one } })
      .then(inherited(second, first, 3), gone(first), InboundDeleted({ inbound: one }));
  });

  it('transfers nothing when all siblings are deleted', () => {
    const spec = { capBytes: 5 };
    given(...inbounds, nodeInbound, here(spec), there(spec), away(), used(1, 3), used(2, 3))
      .when({ type: 'DeleteDepletedClients', data: { inbound: 'all' } })
      .then(inherited(third, first, 3), inherited(third, second, 3), gone(first), gone(second, two));
    given(...inbounds, here(spec), there(spec), used(1, 6))
      .when({ type: 'DeleteDepletedClients', data: { inbound: 'all' } })
      .then(gone(first), gone(second, two));
  });
});

describe('the addresses of a shared email', () => {
  const ips = [{ ip: '198.51.100.1', seenAt: T0 }];

  it('are recorded for one sibling, and cleared for all', () => {
    given(...inbounds, here(), there())
      .when({ type: 'RecordClientIps', data: { seen: [{ client: 1, ips }] } })
      .then(ClientIpsSeen({ client: first, ips }));
    given(...inbounds, here(), there())
      .when({ type: 'ClearClientIps', data: { email: 'anna' } })
      .then(ClientIpsCleared({ client: first }), ClientIpsCleared({ client: second }));
  });
});
