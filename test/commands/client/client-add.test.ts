import { describe, it } from 'vitest';
import type { ClientDraft } from '../../../src/commands/client/credentials.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { ClientAdded, ClientDeleted } from '../../../src/events/client/client.js';
import type { Protocol } from '../../../src/events/inbound/inbound.js';
import { message, type Text } from '../../../src/messages/message.js';
import {
  alice,
  bob,
  clientAdded,
  clientNumber,
  credential,
  draft,
  first,
  inboundAdded,
  one,
  otherInbound,
  second,
  two,
  uuid,
} from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const add = (...clients: readonly ClientDraft[]) => ({ type: 'AddClients', data: { inbound: one, clients } }) as const;
const added = (client: ClientDraft, n = 1) =>
  ClientAdded({ client: clientNumber(n), inbound: one, keyVersion: 1, ...client });
const inboundOf = (protocol: Protocol, settings: Record<string, string> = {}): PanelEvent =>
  inboundAdded({ spec: { protocol }, config: { settings } });

describe('AddClients', () => {
  it('adds clients in the given order', () => {
    given(inboundAdded()).when(add(alice, bob)).then(added(alice, 1), added(bob, 2));
  });

  it('never reuses a number', () => {
    given(inboundAdded(), clientAdded(), ClientDeleted({ client: first, inbound: one }))
      .when(add(alice))
      .then(added(alice, 2));
  });

  it('adds all of its clients or none', () => {
    given(inboundAdded())
      .when(add(alice, draft('bad>', 2)))
      .thenRejects('EMAIL_INVALID');
  });

  it('rejects an unknown inbound', () => {
    given().when(add(alice)).thenRejects('INBOUND_NOT_FOUND', { inbound: 1 });
  });

  it.each(['socks', 'http', 'mixed', 'wireguard', 'dokodemo', 'dokodemo-door', 'tunnel'] as const)(
    'is rejected for %s, which does not support clients',
    (protocol) => {
      given(inboundOf(protocol)).when(add(alice)).thenRejects('CLIENTS_NOT_SUPPORTED', { protocol });
    },
  );

  it('rejects an empty list of clients', () => {
    given(inboundAdded()).when(add()).thenRejects('NO_CLIENTS');
  });
});

describe('an email', () => {
  it.each([
    ['', message('client.nameEmpty')],
    ['  ', message('client.nameEmpty')],
    ['x'.repeat(257), message('client.nameTooLong', { limit: 256 })],
    [' alice', message('client.nameSpaces')],
    ['alice ', message('client.nameSpaces')],
    ['a>b', message('client.nameSeparator')],
    ['a\ud801', message('client.nameNotUnicode')],
    ['a\nb', message('client.nameControl')],
    ['a\u2028b', message('client.nameControl')],
    ['.', message('client.emailPathSegment')],
    ['..', message('client.emailPathSegment')],
    ['portolan-x', message('client.emailReserved')],
    ['Portolan-X', message('client.emailReserved')],
  ])('cannot be %j', (email, why) => {
    given(inboundAdded())
      .when(add(draft(email, 1)))
      .thenRejects('EMAIL_INVALID', { email: email.slice(0, 100), why });
  });

  it.each(['erased-1', 'Erased-42'])('cannot be %j, which is the placeholder for an erased email', (email) => {
    given(inboundAdded())
      .when(add(draft(email, 1)))
      .thenRejects('EMAIL_INVALID', { email, why: message('client.emailErased') });
  });

  it.each(['alice@example.org', 'اسم', 'a b', 'x'.repeat(256), 'erased-x', '...', '.a'])('can be %j', (email) => {
    given(inboundAdded())
      .when(add(draft(email, 1)))
      .then(added(draft(email, 1)));
  });

  it('is taken by another client in any inbound, regardless of case', () => {
    given(inboundAdded(), otherInbound(), clientAdded(alice, first, two))
      .when(add(draft('aLiCe', 2)))
      .thenRejects('EMAIL_TAKEN', { email: 'aLiCe' });
  });

  it('is taken by an earlier client of the same request', () => {
    given(inboundAdded())
      .when(add(alice, draft('ALICE', 2)))
      .thenRejects('EMAIL_TAKEN', { email: 'ALICE' });
  });

  it('is free after its client was deleted', () => {
    given(inboundAdded(), clientAdded(), ClientDeleted({ client: first, inbound: one }))
      .when(add(draft('alice', 2)))
      .then(added(draft('alice', 2), 2));
  });
});

describe('a credential', () => {
  const with_ = (email: string, over: Partial<ClientDraft['credential']>) =>
    draft(email, 1, { credential: { ...credential(), ...over } });

  it.each([
    ['the same id', 'vless', { id: uuid(1) }, { id: uuid(1) }],
    [
      'an id in capitals',
      'vless',
      { id: 'abcdefab-2222-4333-8444-000000000001' },
      { id: 'ABCDEFAB-2222-4333-8444-000000000001' },
    ],
    ['an id without its hyphens', 'vmess', { id: uuid(1) }, { id: uuid(1).replaceAll('-', '') }],
    ['an id that differs only in bytes 6 and 7', 'vless', { id: uuid(1) }, { id: uuid(1).replace('-4333-', '-4abc-') }],
    ['the same text as id', 'vless', { id: 'text' }, { id: 'text' }],
    ['the same password', 'trojan', { password: 'p' }, { password: 'p' }],
    ['the same auth', 'hysteria', { auth: 'a' }, { auth: 'a' }],
  ] as const)('is taken: %s', (_, protocol, a, b) => {
    given(inboundOf(protocol), clientAdded(with_('alice', a)))
      .when(add(with_('bob', b)))
      .thenRejects('CREDENTIAL_TAKEN', { email: 'bob', other: 'alice' });
    given(inboundOf(protocol))
      .when(add(with_('alice', a), with_('bob', b)))
      .thenRejects('CREDENTIAL_TAKEN', { email: 'bob', other: 'alice' });
  });

  it.each([
    ['ids that differ in byte 5', 'vless', { id: uuid(1) }, { id: uuid(1).replace('-2222-', '-2223-') }],
    ['ids that differ in byte 8', 'vless', { id: uuid(1) }, { id: uuid(1).replace('-8444-', '-9444-') }],
    ['texts in another case', 'vless', { id: 'text' }, { id: 'Text' }],
    ['passwords that differ', 'trojan', { password: 'p', id: 'same' }, { password: 'P', id: 'same' }],
    ['auths that differ', 'hysteria2', { auth: 'a', password: 'same' }, { auth: 'b', password: 'same' }],
  ] as const)('is not taken: %s', (_, protocol, a, b) => {
    given(inboundOf(protocol), clientAdded(with_('alice', a)))
      .when(add(with_('bob', b)))
      .then(added(with_('bob', b), 2));
  });

  it('may be the same in another inbound', () => {
    given(inboundAdded(), otherInbound(), clientAdded(alice, first, two))
      .when(add(draft('bob', 1)))
      .then(added(draft('bob', 1), 2));
  });

  it('is free after its client was deleted', () => {
    given(inboundAdded(), clientAdded(), clientAdded(bob, second), ClientDeleted({ client: first, inbound: one }))
      .when(add(draft('carol', 1)))
      .then(added(draft('carol', 1), 3));
  });

  it.each([
    ['vless', { id: '' }, message('client.idEmpty')],
    ['vmess', { id: 'x'.repeat(31) }, message('client.idInvalid')],
    ['vless', { id: 'ü'.repeat(16) }, message('client.idInvalid')],
    ['trojan', { password: '' }, message('client.trojanPasswordEmpty')],
    ['hysteria2', { auth: '' }, message('client.hysteriaAuthEmpty')],
    ['trojan', { password: 'x'.repeat(1025) }, message('client.credentialTooLong')],
  ] as const)('of %s cannot be %j', (protocol, over, why) => {
    given(inboundOf(protocol))
      .when(add(with_('alice', over)))
      .thenRejects('CREDENTIAL_INVALID', { email: 'alice', why });
  });

  it('may be a string of 30 bytes for VLESS', () => {
    const who = with_('alice', { id: 'x'.repeat(30) });
    given(inboundAdded()).when(add(who)).then(added(who));
  });
});

describe('a Shadowsocks client', () => {
  const client = (password: string, method = '') => draft('alice', 1, { spec: { method }, credential: { password } });
  const key = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64');
  const refused = (settings: Record<string, string>, who: ClientDraft, why: Text): void =>
    given(inboundOf('shadowsocks', settings)).when(add(who)).thenRejects('CREDENTIAL_INVALID', { email: 'alice', why });

  it.each([
    ['2022-blake3-aes-128-gcm', 16],
    ['2022-blake3-aes-256-gcm', 32],
  ])('of %s needs a base64 key of exactly %i bytes', (method, bytes) => {
    const why = message('client.passwordLength', { bytes, method });
    for (const wrong of [
      '',
      'password',
      key(bytes - 1),
      key(bytes + 1),
      key(48 - bytes),
      key(bytes).replace(/=+$/, ''),
    ]) {
      refused({ method }, client(wrong), why);
    }
    refused({ method }, client(key(bytes).replace(/^./, '-')), why);
    given(inboundOf('shadowsocks', { method }))
      .when(add(client(key(bytes))))
      .then(added(client(key(bytes))));
  });

  it('is rejected if the method has only a server key', () => {
    const method = '2022-blake3-chacha20-poly1305';
    refused({ method }, client(key(32)), message('client.methodWithoutClients', { method }));
  });

  it('of a classic cipher needs a password and a known cipher', () => {
    refused({ method: 'aes-256-gcm' }, client(''), message('client.passwordEmpty'));
    refused({ method: 'aes-256-gcm' }, client('p', 'rot13'), message('client.cipherUnknown', { method: 'rot13' }));
    refused({ method: 'none' }, client('p'), message('client.cipherUnknown', { method: 'none' }));
    given(inboundOf('shadowsocks', { method: 'none' }))
      .when(add(client('p', 'aes-128-gcm')))
      .then(added(client('p', 'aes-128-gcm')));
  });
});

describe('the limits of a client', () => {
  const LATEST = 253_402_300_799_999;
  it.each([
    [{ expiresAt: LATEST + 1 }, message('client.expiryTooLate')],
    [{ expiresAt: -LATEST - 1 }, message('client.expiryOutOfRange', { value: -LATEST - 1, min: -LATEST })],
    [
      { capBytes: Number.MAX_SAFE_INTEGER + 1 },
      message('client.capOutOfRange', { value: Number.MAX_SAFE_INTEGER + 1, max: Number.MAX_SAFE_INTEGER }),
    ],
    [{ renewalDays: 36_501 }, message('client.resetTooLong')],
    [{ flow: 'xtls-rprx-direct' }, message('client.flowUnknown', { flow: 'xtls-rprx-direct' })],
  ])('cannot be %j', (over, why) => {
    given(inboundAdded())
      .when(add(draft('alice', 1, { spec: over })))
      .thenRejects('CREDENTIAL_INVALID', { email: 'alice', why });
  });

  it.each([
    { expiresAt: LATEST },
    { expiresAt: -86_400_000 },
    { capBytes: Number.MAX_SAFE_INTEGER },
    { flow: 'xtls-rprx-vision' },
    { flow: 'xtls-rprx-vision-udp443' },
  ])('can be %j', (over) => {
    const who = draft('alice', 1, { spec: over });
    given(inboundAdded()).when(add(who)).then(added(who));
  });
});
