import { describe, it } from 'vitest';
import {
  ClientDeleted,
  ClientDepleted,
  ClientReactivated,
  ClientTrafficAdjusted,
  ClientTrafficReset,
  ClientTrafficTransferred,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import {
  bob,
  caused,
  clientAdded,
  clientNumber,
  DAY,
  draft,
  first,
  inboundAdded,
  one,
  otherInbound,
  second,
  T0,
  traffic,
  two,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const unknown = clientNumber(99);
const capped = draft('alice', 1, { spec: { capBytes: 10 } });
const past = [inboundAdded(), otherInbound(), clientAdded(capped), clientAdded(bob, second, two)] as const;
const over = [
  ...past,
  traffic({ clients: [[1, 6, 6]] }),
  ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } }),
] as const;

describe('ChangeClientTerms', () => {
  it('changes what differs, of the clients that exist', () => {
    given(...past)
      .when({
        type: 'ChangeClientTerms',
        data: {
          terms: [
            { client: first, enabled: false, capBytes: 10 },
            { client: unknown, enabled: false },
            { client: second, enabled: true },
          ],
        },
      })
      .then(ClientUpdated({ client: first, changes: { enabled: false } }));
  });

  it('lets clients connect again below a higher cap, and disconnects those over a lower one', () => {
    given(...over)
      .when({ type: 'ChangeClientTerms', data: { terms: [{ client: first, capBytes: 20 }] } })
      .then(ClientUpdated({ client: first, changes: { capBytes: 20 } }), ClientReactivated({ client: first }));
    given(...past, traffic({ clients: [[2, 6, 6]] }))
      .when({ type: 'ChangeClientTerms', data: { terms: [{ client: second, capBytes: 5 }] } })
      .then(
        ClientUpdated({ client: second, changes: { capBytes: 5 } }),
        ClientDepleted({ client: second, depletion: { reason: 'cap', usedBytes: 12, capBytes: 5 } }),
      );
  });

  it('changes no client when the terms of one are out of range', () => {
    given(...past)
      .when({
        type: 'ChangeClientTerms',
        data: {
          terms: [
            { client: first, enabled: false },
            { client: second, expiresAt: Number.MAX_SAFE_INTEGER },
          ],
        },
      })
      .thenRejects('CREDENTIAL_INVALID', { email: 'bob', why: { code: 'client.expiryTooLate', params: {} } });
  });

  it('extends an expired client, which then connects again', () => {
    const expired = draft('alice', 1, { spec: { expiresAt: T0 - DAY } });
    given(
      inboundAdded(),
      clientAdded(expired),
      ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 - DAY } }),
    )
      .when({ type: 'ChangeClientTerms', data: { terms: [{ client: first, expiresAt: T0 + DAY }] } })
      .then(ClientUpdated({ client: first, changes: { expiresAt: T0 + DAY } }), ClientReactivated({ client: first }));
  });
});

describe('ResetClientsTraffic', () => {
  it('resets each email once, and restores what the reset restores', () => {
    given(...over)
      .when({ type: 'ResetClientsTraffic', data: { clients: [first, first, second, unknown] } })
      .then(
        ClientTrafficReset({ client: first, up: 6, down: 6 }),
        ClientTrafficReset({ client: second, up: 0, down: 0 }),
        caused(0, ClientReactivated({ client: first })),
      );
  });
});

describe('AdjustClientsTraffic', () => {
  it('sets the counters of each email, with their effects', () => {
    given(...past)
      .when({
        type: 'AdjustClientsTraffic',
        data: {
          counters: [
            { email: 'bob', up: 1, down: 2 },
            { email: 'unknown', up: 1, down: 2 },
            { email: 'alice', up: 6, down: 6 },
          ],
        },
      })
      .then(
        ClientTrafficAdjusted({ client: second, up: 1, down: 2, before: { up: 0, down: 0 } }),
        ClientTrafficAdjusted({ client: first, up: 6, down: 6, before: { up: 0, down: 0 } }),
        caused(1, ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } })),
      );
  });

  it('takes no counters that are not whole bytes', () => {
    given(...past)
      .when({ type: 'AdjustClientsTraffic', data: { counters: [{ email: 'bob', up: -1, down: 0 }] } })
      .thenRejects('VALUE_OUT_OF_RANGE', {
        field: { code: 'client.uploadAndDownload', params: {} },
        why: { code: 'client.countersInBytes', params: {} },
      });
  });
});

describe('DeleteClients', () => {
  it('deletes each client once; a sibling that stays gets the traffic', () => {
    const anna = (n: number) => draft('anna', n, { identity: { subId: 'anna' } });
    given(
      ...[inboundAdded(), otherInbound(), clientAdded(anna(1)), clientAdded(anna(2), second, two)],
      traffic({ clients: [[1, 3, 4]] }),
    )
      .when({ type: 'DeleteClients', data: { clients: [first, first, unknown] } })
      .then(
        ClientTrafficTransferred({ client: second, fromClient: first, up: 3, down: 4 }),
        ClientDeleted({ client: first, inbound: one }),
      );
  });
});

describe('MoveClients', () => {
  const third = clientNumber(3);
  const to = (client: typeof first, move = draft('alice', 1)) => ({ client, inbound: two, draft: move });

  it('adds each client to the other inbound with its counters and its depletion, and deletes it here', () => {
    given(...over)
      .when({ type: 'MoveClients', data: { moves: [to(first, capped), to(first, capped), to(second), to(unknown)] } })
      .then(
        clientAdded(capped, third, two),
        ClientDepleted({ client: third, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } }),
        ClientTrafficTransferred({ client: third, fromClient: first, up: 6, down: 6 }),
        ClientDeleted({ client: first, inbound: one }),
      );
  });

  it('moves none when one has an email or a credential that is taken there', () => {
    const twin = draft('alice', 9, { identity: { subId: 'sub-alice' } });
    const here = draft('alice', 1, { identity: { subId: 'sub-alice' } });
    given(inboundAdded(), otherInbound(), clientAdded(here), clientAdded(twin, second, two))
      .when({ type: 'MoveClients', data: { moves: [to(first, here)] } })
      .thenRejects('SUB_ID_SHARED');
    const { credential } = bob;
    given(...past)
      .when({ type: 'MoveClients', data: { moves: [to(first, { ...draft('alice', 1), credential })] } })
      .thenRejects('CREDENTIAL_TAKEN');
  });

  it('is rejected for an inbound that does not exist', () => {
    given(inboundAdded(), clientAdded(capped))
      .when({ type: 'MoveClients', data: { moves: [to(first)] } })
      .thenRejects('INBOUND_NOT_FOUND');
  });
});
