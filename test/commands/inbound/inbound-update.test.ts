import { describe, it } from 'vitest';
import {
  ClientAdded,
  ClientCredentialRotated,
  ClientDeleted,
  ClientDepleted,
  ClientReactivated,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import {
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReactivated,
  InboundReconfigured,
  InboundUpdated,
} from '../../../src/events/inbound/inbound.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { message } from '../../../src/messages/message.js';
import {
  alice,
  bob,
  clientAdded,
  clientNumber,
  config,
  credential,
  draft,
  first,
  inboundAdded,
  inboundDraft,
  one,
  otherInbound,
  second,
  T0,
  traffic,
  two,
  uuid,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const update = (over: Parameters<typeof inboundDraft>[0] = {}) =>
  ({ type: 'UpdateInbound', data: { inbound: one, ...inboundDraft(over) } }) as const;
const depleted = InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 100, capBytes: 100 } });
const third = clientNumber(3);

describe('UpdateInbound', () => {
  it('does nothing if nothing differs', () => {
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [alice] }))
      .thenNothing();
  });

  it('records only what changed', () => {
    given(inboundAdded())
      .when(update({ spec: { remark: 'new', port: 8080 } }))
      .then(InboundUpdated({ inbound: one, changes: { remark: 'new', port: 8080 } }));
  });

  it('keeps the tag if none is given', () => {
    const asked = inboundDraft({ spec: { remark: 'new' } });
    given(inboundAdded())
      .when({ type: 'UpdateInbound', data: { inbound: one, ...asked, spec: { ...asked.spec, tag: '' } } })
      .then(InboundUpdated({ inbound: one, changes: { remark: 'new' } }));
  });

  it('replaces the configuration under a new key version', () => {
    const next = config({ stream: { network: 'ws' } });
    given(inboundAdded())
      .when(update({ config: next }))
      .then(InboundReconfigured({ inbound: one, keyVersion: 2, config: next }));
  });

  it('ignores a different order of keys', () => {
    given(inboundAdded({ config: { stream: { security: 'none', network: 'tcp' } } }))
      .when(update())
      .thenNothing();
  });

  it('records that the inbound was enabled or disabled', () => {
    given(inboundAdded())
      .when(update({ enabled: false }))
      .then(InboundDisabled({ inbound: one }));
    given(inboundAdded({ enabled: false }))
      .when(update())
      .then(InboundEnabled({ inbound: one }));
  });

  it('reactivates an inbound whose cap was raised', () => {
    given(inboundAdded({ spec: { capBytes: 100 } }), traffic({ inbounds: [[1, 60, 40]] }), depleted)
      .when(update({ spec: { capBytes: 101 } }))
      .then(InboundUpdated({ inbound: one, changes: { capBytes: 101 } }), InboundReactivated({ inbound: one }));
  });

  it('keeps it depleted, with the new cap as the reason, if that one is reached too', () => {
    given(inboundAdded({ spec: { capBytes: 100 } }), traffic({ inbounds: [[1, 60, 60]] }), depleted)
      .when(update({ spec: { capBytes: 110 } }))
      .then(
        InboundUpdated({ inbound: one, changes: { capBytes: 110 } }),
        InboundDepleted({ inbound: one, depletion: { reason: 'cap', usedBytes: 120, capBytes: 110 } }),
      );
  });

  it('depletes an inbound at once when its cap is lowered to its usage or its expiry is in the past', () => {
    const past = [inboundAdded(), traffic({ inbounds: [[1, 60, 40]] })] as const;
    given(...past)
      .when(update({ spec: { capBytes: 100 } }))
      .then(InboundUpdated({ inbound: one, changes: { capBytes: 100 } }), depleted);
    given(...past)
      .when(update({ spec: { capBytes: 101 } }))
      .then(InboundUpdated({ inbound: one, changes: { capBytes: 101 } }));
    given(...past)
      .when(update({ spec: { expiresAt: T0 } }))
      .then(
        InboundUpdated({ inbound: one, changes: { expiresAt: T0 } }),
        InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 } }),
      );
  });

  it('rejects an unknown inbound', () => {
    given().when(update()).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });

  it('rejects the tag of another inbound', () => {
    given(inboundAdded(), otherInbound())
      .when(update({ spec: { tag: 'in-2' } }))
      .thenRejects('TAG_TAKEN', { tag: 'in-2' });
  });

  it('rejects an invalid configuration', () => {
    given(inboundAdded())
      .when(update({ config: { stream: { network: 'pigeon' } } }))
      .thenRejects('CONFIG_INVALID', {
        why: message('inbound.networkUnknown', {
          network: 'pigeon',
          known: ['tcp', 'ws', 'grpc', 'kcp', 'httpupgrade', 'xhttp', 'hysteria'],
        }),
      });
  });
});

describe('the client list of an updated inbound', () => {
  it('deletes missing clients, updates present ones, and adds new ones', () => {
    const capped = draft('alice', 1, { spec: { capBytes: 5 } });
    const carol = draft('carol', 3);
    given(inboundAdded(), clientAdded(), clientAdded(bob, second))
      .when(update({ clients: [carol, capped] }))
      .then(
        ClientDeleted({ client: second, inbound: one }),
        ClientUpdated({ client: first, changes: { capBytes: 5 } }),
        ClientAdded({ client: third, inbound: one, keyVersion: 1, ...carol }),
      );
  });

  it('matches a client by email regardless of case', () => {
    const shouted = draft('ALICE', 1, { identity: { subId: 'sub-alice' } });
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [{ ...shouted, identity: alice.identity }] }))
      .thenNothing();
  });

  it('gives a new credential a new key version and destroys the key of the old one', () => {
    const rotated = draft('alice', 7);
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [rotated] }))
      .then(
        ClientCredentialRotated({
          client: first,
          keyVersion: 2,
          identity: rotated.identity,
          credential: rotated.credential,
        }),
        DataKeyDestroyed({ key: 'client:1/1', reason: 'rotated' }),
      );
  });

  it('reactivates a client whose cap it raises', () => {
    const raised = draft('alice', 1, { spec: { capBytes: 1000 } });
    given(
      inboundAdded(),
      clientAdded(draft('alice', 1, { spec: { capBytes: 10 } })),
      traffic({ clients: [[1, 6, 6]] }),
      ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } }),
    )
      .when(update({ clients: [raised] }))
      .then(ClientUpdated({ client: first, changes: { capBytes: 1000 } }), ClientReactivated({ client: first }));
  });

  it('accepts a new client with the id of one that it deletes', () => {
    const carol = draft('carol', 1);
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [carol] }))
      .then(
        ClientDeleted({ client: first, inbound: one }),
        ClientAdded({ client: second, inbound: one, keyVersion: 1, ...carol }),
      );
  });

  it('rejects a duplicate email, also in another case', () => {
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [alice, draft('Alice', 5)] }))
      .thenRejects('EMAIL_TAKEN', { email: 'Alice' });
  });

  it('rejects the email of a client of another inbound', () => {
    given(inboundAdded(), otherInbound(), clientAdded(bob, first, two))
      .when(update({ clients: [draft('Bob', 5)] }))
      .thenRejects('EMAIL_TAKEN', { email: 'Bob' });
  });

  it('rejects a new client with the id that an existing client gets in the same request', () => {
    given(inboundAdded(), clientAdded())
      .when(update({ clients: [draft('alice', 9), draft('carol', 9)] }))
      .thenRejects('CREDENTIAL_TAKEN', { email: 'carol', other: 'alice' });
  });

  it('compares passwords when the protocol changes to Trojan', () => {
    const both = [draft('alice', 1), draft('bob', 2, { credential: { password: 'password-1' } })];
    given(inboundAdded(), clientAdded(), clientAdded(both[1], second))
      .when(update({ spec: { protocol: 'trojan' }, clients: both }))
      .thenRejects('CREDENTIAL_TAKEN', { email: 'bob', other: 'alice' });
  });

  it('deletes all clients when the protocol changes to one without clients', () => {
    given(inboundAdded(), clientAdded())
      .when(update({ spec: { protocol: 'http' } }))
      .then(
        InboundUpdated({ inbound: one, changes: { protocol: 'http' } }),
        ClientDeleted({ client: first, inbound: one }),
      );
  });

  it('rejects clients when the protocol changes to one without clients', () => {
    given(inboundAdded(), clientAdded())
      .when(update({ spec: { protocol: 'http' }, clients: [alice] }))
      .thenRejects('CLIENTS_NOT_SUPPORTED', { protocol: 'http' });
  });

  it('is validated by the rules of the new protocol', () => {
    const trojan = draft('alice', 1, { credential: credential({ id: uuid(1), password: 'p' }) });
    given(inboundAdded(), clientAdded(trojan), InboundUpdated({ inbound: one, changes: { protocol: 'trojan' } }))
      .when({
        type: 'AddClients',
        data: { inbound: one, clients: [draft('eve', 3, { credential: { password: 'p' } })] },
      })
      .thenRejects('CREDENTIAL_TAKEN', { email: 'eve', other: 'alice' });
  });
});

describe('the expiry of an updated inbound', () => {
  it('reactivates it when it is in the future', () => {
    const expired = InboundDepleted({ inbound: one, depletion: { reason: 'expiry', expiresAt: T0 - 1 } });
    given(inboundAdded({ spec: { expiresAt: T0 - 1 } }), expired)
      .when(update({ spec: { expiresAt: T0 + 1 } }))
      .then(InboundUpdated({ inbound: one, changes: { expiresAt: T0 + 1 } }), InboundReactivated({ inbound: one }));
  });
});
