import { describe, it } from 'vitest';
import type { ClientName } from '../../../src/commands/client/client.js';
import type { ClientDraft } from '../../../src/commands/client/credentials.js';
import {
  ClientCredentialRotated,
  ClientDeleted,
  ClientDepleted,
  ClientIdentityChanged,
  ClientReactivated,
  ClientUpdated,
} from '../../../src/events/client/client.js';
import type { Protocol } from '../../../src/events/inbound/inbound.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { message } from '../../../src/messages/message.js';
import {
  alice,
  bob,
  clientAdded,
  draft,
  first,
  identity,
  inboundAdded,
  one,
  otherInbound,
  second,
  T0,
  traffic,
  two,
  uuid,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const update = (draft_: ClientDraft, client: ClientName = { key: uuid(1) }) =>
  ({ type: 'UpdateClient', data: { inbound: one, client, draft: draft_ } }) as const;
const rotated = (to: ClientDraft, keyVersion = 2, who = to.identity) =>
  ClientCredentialRotated({ client: first, keyVersion, identity: who, credential: to.credential });
const shredded = (keyVersion: number) => DataKeyDestroyed({ key: `client:1/${keyVersion}`, reason: 'rotated' });
const capReached = ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 10 } });
const capped = (capBytes: number) => draft('alice', 1, { spec: { capBytes } });

describe('UpdateClient', () => {
  it('does nothing if nothing differs', () => {
    given(inboundAdded(), clientAdded()).when(update(alice)).thenNothing();
  });

  it('records only the limits that changed', () => {
    given(inboundAdded(), clientAdded())
      .when(update(draft('alice', 1, { spec: { enabled: false, limitIp: 2 } })))
      .then(ClientUpdated({ client: first, changes: { enabled: false, limitIp: 2 } }));
  });

  it('seals personal changes with the current key version of the client', () => {
    const renamed = draft('alice', 1, { identity: identity('amy') });
    given(inboundAdded(), clientAdded())
      .when(update(renamed))
      .then(ClientIdentityChanged({ client: first, keyVersion: 1, emailChanged: true, identity: renamed.identity }));
  });

  it('accepts a change of case in the email', () => {
    const shouted = draft('ALICE', 1);
    given(inboundAdded(), clientAdded())
      .when(update(shouted))
      .then(ClientIdentityChanged({ client: first, keyVersion: 1, emailChanged: false, identity: shouted.identity }));
  });

  it('rotates the credential and destroys the key of the old one', () => {
    given(inboundAdded(), clientAdded())
      .when(update(draft('alice', 9)))
      .then(rotated(draft('alice', 9)), shredded(1));
  });

  it('rotates under the old email before it renames', () => {
    const both = draft('amy', 9);
    given(inboundAdded(), clientAdded())
      .when(update(both))
      .then(
        rotated(both, 2, { ...both.identity, email: 'alice' }),
        shredded(1),
        ClientIdentityChanged({ client: first, keyVersion: 2, emailChanged: true, identity: both.identity }),
      );
  });

  it('destroys the key of the second version at the second rotation', () => {
    given(inboundAdded(), clientAdded(), rotated(draft('alice', 9)), shredded(1))
      .when(update(draft('alice', 10), { key: uuid(9) }))
      .then(rotated(draft('alice', 10), 3), shredded(2));
  });

  it('records limits first, then the rotation, then the reactivation', () => {
    given(inboundAdded(), clientAdded(capped(10)), traffic({ clients: [[1, 6, 6]] }), capReached)
      .when(update(draft('alice', 9)))
      .then(
        ClientUpdated({ client: first, changes: { capBytes: 0 } }),
        rotated(draft('alice', 9)),
        shredded(1),
        ClientReactivated({ client: first }),
      );
  });

  it('reactivates a depleted client when its cap is raised above its usage', () => {
    given(inboundAdded(), clientAdded(capped(10)), traffic({ clients: [[1, 6, 6]] }), capReached)
      .when(update(capped(13)))
      .then(ClientUpdated({ client: first, changes: { capBytes: 13 } }), ClientReactivated({ client: first }));
  });

  it('keeps it depleted, with the new cap as the reason, when the usage has reached that one too', () => {
    given(inboundAdded(), clientAdded(capped(10)), traffic({ clients: [[1, 6, 6]] }), capReached)
      .when(update(capped(12)))
      .then(
        ClientUpdated({ client: first, changes: { capBytes: 12 } }),
        ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 12, capBytes: 12 } }),
      );
  });

  it('depletes a client at once when its cap is lowered to its usage or below', () => {
    const cut = (capBytes: number) =>
      ClientDepleted({ client: first, depletion: { reason: 'cap', usedBytes: 5000, capBytes } });
    const past = [inboundAdded(), clientAdded(), traffic({ clients: [[1, 2000, 3000]] })] as const;
    for (const capBytes of [100, 5000])
      given(...past)
        .when(update(capped(capBytes)))
        .then(ClientUpdated({ client: first, changes: { capBytes } }), cut(capBytes));
    given(...past)
      .when(update(capped(5001)))
      .then(ClientUpdated({ client: first, changes: { capBytes: 5001 } }));
  });

  it('depletes a client at once when its expiry is moved to the past', () => {
    const until = (expiresAt: number) => draft('alice', 1, { spec: { expiresAt } });
    given(inboundAdded(), clientAdded(until(T0 + 5)))
      .when(update(until(T0)))
      .then(
        ClientUpdated({ client: first, changes: { expiresAt: T0 } }),
        ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 } }),
      );
  });

  it('reactivates an expired client when its expiry is moved to the future', () => {
    const until = (expiresAt: number) => draft('alice', 1, { spec: { expiresAt } });
    given(
      inboundAdded(),
      clientAdded(until(T0 - 5)),
      ClientDepleted({ client: first, depletion: { reason: 'expiry', expiresAt: T0 - 5 } }),
    )
      .when(update(until(T0 + 5)))
      .then(ClientUpdated({ client: first, changes: { expiresAt: T0 + 5 } }), ClientReactivated({ client: first }));
  });

  it('rejects the email of another client', () => {
    given(inboundAdded(), clientAdded(), clientAdded(bob, second))
      .when(update(draft('BOB', 1)))
      .thenRejects('EMAIL_TAKEN', { email: 'BOB' });
  });

  it('rejects the credential of another client', () => {
    given(inboundAdded(), clientAdded(), clientAdded(bob, second))
      .when(update(draft('alice', 2)))
      .thenRejects('CREDENTIAL_TAKEN', { email: 'alice', other: 'bob' });
  });

  it('rejects values that AddClients would reject', () => {
    given(inboundAdded(), clientAdded())
      .when(update(draft('a>b', 1)))
      .thenRejects('EMAIL_INVALID');
    given(inboundAdded(), clientAdded())
      .when(update(draft('alice', 1, { credential: { id: '' } })))
      .thenRejects('CREDENTIAL_INVALID', { email: 'alice', why: message('client.idEmpty') });
  });

  it('keeps an email that could no longer be added, but accepts no other such email', () => {
    const dotted = (email: string, capBytes: number) => draft(email, 1, { spec: { capBytes } });
    given(inboundAdded(), clientAdded(dotted('.', 0)))
      .when(update(dotted('.', 7)))
      .then(ClientUpdated({ client: first, changes: { capBytes: 7 } }));
    given(inboundAdded(), clientAdded(dotted('.', 0)))
      .when(update(dotted('..', 0)))
      .thenRejects('EMAIL_INVALID');
  });

  it('rejects an unknown inbound or one without clients', () => {
    given().when(update(alice)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
    given(inboundAdded({ spec: { protocol: 'http' } }))
      .when(update(alice))
      .thenRejects('CLIENTS_NOT_SUPPORTED', { protocol: 'http' });
  });

  it('finds the client by its email', () => {
    given(inboundAdded(), clientAdded())
      .when(update(capped(1), { email: 'Alice' }))
      .then(ClientUpdated({ client: first, changes: { capBytes: 1 } }));
  });

  it('does not find a client of another inbound', () => {
    const past = [inboundAdded(), otherInbound(), clientAdded(alice, first, two)] as const;
    given(...past)
      .when(update(alice, { email: 'alice' }))
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: 'alice', inbound: 1 });
    given(...past)
      .when(update(alice))
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: uuid(1), inbound: 1 });
  });

  it('rejects the old id of a rotated client', () => {
    given(inboundAdded(), clientAdded(), rotated(draft('alice', 9)), shredded(1))
      .when(update(alice))
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: uuid(1), inbound: 1 });
  });
});

describe('the key that names a client in a path', () => {
  const remove = (key: string) => ({ type: 'DeleteClient', data: { inbound: one, client: { key } } }) as const;
  const settings = { method: 'aes-256-gcm' };
  const gone = ClientDeleted({ client: first, inbound: one });

  it.each([
    ['vless', uuid(1)],
    ['vless', uuid(1).toUpperCase()],
    ['vmess', uuid(1)],
    ['trojan', 'password-1'],
    ['shadowsocks', 'alice'],
    ['shadowsocks', 'ALICE'],
    ['hysteria', 'auth-1'],
    ['hysteria2', 'auth-1'],
  ] as [Protocol, string][])('of %s is %s', (protocol, key) => {
    given(inboundAdded({ spec: { protocol }, config: { settings } }), clientAdded())
      .when(remove(key))
      .then(gone);
  });

  it.each([
    ['vless', 'alice'],
    ['trojan', uuid(1)],
    ['shadowsocks', 'password-1'],
    ['hysteria', 'alice'],
    ['vless', uuid(1).replace('-4333-', '-4334-')],
  ] as [Protocol, string][])('of %s is not %s', (protocol, key) => {
    given(inboundAdded({ spec: { protocol }, config: { settings } }), clientAdded())
      .when(remove(key))
      .thenRejects('CLIENT_NOT_IN_INBOUND', { client: key, inbound: 1 });
  });
});
