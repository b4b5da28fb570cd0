import { describe, it } from 'vitest';
import { AdminDeleted } from '../../../src/events/access/access.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import {
  OwnCodeUsed,
  PasskeyAdded,
  PasskeyRemoved,
  PasskeyUsed,
  RecoveryCodesIssued,
  RecoveryCodeUsed,
  SecondFactorRemoved,
  SecondFactorSet,
} from '../../../src/events/second-factor.js';
import { LoggedIn, SessionsRevoked, UserCreated } from '../../../src/events/user.js';
import { message } from '../../../src/messages/message.js';
import { T0, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';
import { OTHER_TOKEN, stepAt, TOKEN } from '../../kit/totp.js';

const NOW = stepAt(T0);
const user = userId(1);
const people = [1, 2].map((id) =>
  UserCreated({ user: userId(id), epoch: 0, credentials: { username: `user-${id}`, passwordHash: 'hash' } }),
);
const set = SecondFactorSet({ user, keyVersion: 1, secret: { token: TOKEN } });
const issued = (hashes: string[], keyVersion = 1) => RecoveryCodesIssued({ user, keyVersion, codes: { hashes } });
const used = (timeStep = NOW, keyVersion = 1) => OwnCodeUsed({ user, keyVersion, timeStep });
const recovered = (hash: string, left: number) =>
  RecoveryCodeUsed({ user, keyVersion: 1, codes: { hashes: [hash] }, left });
const destroyed = (key: string, reason: 'rotated' | 'erased' = 'rotated') => DataKeyDestroyed({ key, reason });
const ended = SessionsRevoked({ user, epoch: 1, reason: 'two-factor' });
const proof = (step = NOW, token = TOKEN) => ({ token, step });
const on = [...people, set, issued(['one', 'two'])];

const session = { idHash: 'a', csrfToken: 'b', device: '' };
const login = (shown: object, of = 1) =>
  ({ type: 'RecordLogin', data: { user: userId(of), session, expiresAt: T0 + 1, ...shown } }) as const;
const begun = (of = 1) => LoggedIn({ user: userId(of), epoch: 0, session, expiresAt: T0 + 1 });

describe('a second factor of one admin', () => {
  it('is set with a code of the new token, together with recovery codes, and ends the sessions of that admin', () => {
    const enable = (step: number) =>
      ({ type: 'SetSecondFactor', data: { user, proof: proof(step), codes: ['one'] } }) as const;
    given(...people)
      .when(enable(NOW))
      .then(used(), set, issued(['one']), ended);
    given(...people)
      .when(enable(NOW + 2))
      .thenRejects('SECOND_FACTOR_WRONG');
    given(...on)
      .when(enable(NOW))
      .thenRejects('SECOND_FACTOR_SET');
  });

  it('is needed at the login of that admin, and of no other', () => {
    given(...on)
      .when(login({ proof: proof() }))
      .then(used(), begun());
    given(...on)
      .when(login({}))
      .thenRejects('LOGIN_WRONG');
    given(...on)
      .when(login({ proof: proof(NOW, OTHER_TOKEN) }))
      .thenRejects('LOGIN_WRONG');
    given(...on)
      .when(login({ proof: proof(NOW - 2) }))
      .thenRejects('LOGIN_WRONG');
    given(...on, used())
      .when(login({ proof: proof() }))
      .thenRejects('LOGIN_WRONG');
    given(...on)
      .when(login({}, 2))
      .then(begun(2));
  });

  it('is replaced by a recovery code, once', () => {
    given(...on)
      .when(login({ recovery: 'two' }))
      .then(recovered('two', 1), begun());
    given(...on, recovered('two', 1))
      .when(login({ recovery: 'two' }))
      .thenRejects('LOGIN_WRONG');
    given(...on)
      .when(login({ recovery: 'three' }))
      .thenRejects('LOGIN_WRONG');
    given(...people)
      .when(login({ recovery: 'one' }))
      .then(begun());
  });

  it('is removed with a code, and its token and codes are destroyed', () => {
    const remove = (evidence: object) => ({ type: 'RemoveSecondFactor', data: { user, evidence } }) as const;
    const gone = [
      SecondFactorRemoved({ user }),
      destroyed('user:1/second-factor/1'),
      destroyed('user:1/recovery-codes/1'),
      ended,
    ];
    given(...on)
      .when(remove({ proof: proof() }))
      .then(used(), ...gone);
    given(...on)
      .when(remove({ recovery: 'one' }))
      .then(recovered('one', 1), ...gone);
    given(...on)
      .when(remove({}))
      .thenRejects('SECOND_FACTOR_WRONG');
    given(...people)
      .when(remove({ proof: proof() }))
      .thenRejects('SECOND_FACTOR_MISSING');
    given(...on, SecondFactorRemoved({ user }))
      .when(login({}))
      .then(begun());
  });

  it('gets other recovery codes with a code', () => {
    const renew = (evidence: object) =>
      ({ type: 'IssueRecoveryCodes', data: { user, evidence, codes: ['new'] } }) as const;
    given(...on)
      .when(renew({ proof: proof() }))
      .then(used(), issued(['new'], 2), destroyed('user:1/recovery-codes/1'));
    given(...on)
      .when(renew({ recovery: 'x' }))
      .thenRejects('SECOND_FACTOR_WRONG');
    given(...people)
      .when(renew({}))
      .thenRejects('SECOND_FACTOR_MISSING');
  });

  it('is removed by an operator without a code, with the passkeys', () => {
    const passkey = PasskeyAdded({ user, passkey: 1, credential: credentialOf('id'), signCount: 0 });
    given(...on, passkey)
      .when({ type: 'RemoveFactors', data: { user } })
      .then(
        SecondFactorRemoved({ user }),
        destroyed('user:1/second-factor/1'),
        destroyed('user:1/recovery-codes/1'),
        PasskeyRemoved({ user, passkey: 1 }),
        destroyed('user:1/passkeys/1', 'erased'),
        ended,
      );
    given(...people)
      .when({ type: 'RemoveFactors', data: { user } })
      .thenNothing();
  });

  it('is destroyed with the account', () => {
    given(...people, set, issued(['one']))
      .when({ type: 'DeleteAdmin', data: { user } })
      .then(
        AdminDeleted({ user }),
        destroyed('user:1/credentials/0', 'erased'),
        destroyed('user:1/second-factor/1', 'erased'),
        destroyed('user:1/recovery-codes/1', 'erased'),
      );
  });
});

const credentialOf = (id: string) => ({ name: 'phone', host: 'panel.test', id, publicKey: 'key', transports: [] });

describe('a passkey', () => {
  const added = (passkey: number, id: string, signCount = 0) =>
    PasskeyAdded({ user, passkey, credential: credentialOf(id), signCount });
  const add = (over: object = {}) =>
    ({ type: 'AddPasskey', data: { user, ...credentialOf('id'), signCount: 0, evidence: {}, ...over } }) as const;
  const use = (passkey: number, signCount: number) => login({ passkey: { passkey, signCount } });

  it('is added with a name, and with a code if the admin has a second factor', () => {
    given(...people)
      .when(add())
      .then(added(1, 'id'));
    given(...on)
      .when(add({ evidence: { proof: proof() } }))
      .then(used(), added(1, 'id'));
    given(...on)
      .when(add())
      .thenRejects('SECOND_FACTOR_WRONG');
    given(...people)
      .when(add({ name: ' ' }))
      .thenRejects('PASSKEY_INVALID', { why: message('account.passkeyName', { most: 64 }) });
    given(...people, added(1, 'id'))
      .when({ ...add(), data: { ...add().data, user: userId(2) } })
      .thenRejects('PASSKEY_INVALID', { why: message('account.passkeyKnown') });
    given(...people, ...Array.from({ length: 20 }, (_, n) => added(n + 1, `id-${n}`)))
      .when(add())
      .thenRejects('PASSKEY_INVALID', { why: message('account.passkeyTooMany', { most: 20 }) });
  });

  it('replaces the code at a login, and a copied authenticator is refused', () => {
    const passkeyUsed = (signCount: number) => PasskeyUsed({ user, passkey: 1, signCount });
    given(...on, added(1, 'id'))
      .when(use(1, 0))
      .then(passkeyUsed(0), begun());
    given(...people, added(1, 'id', 5))
      .when(use(1, 6))
      .then(passkeyUsed(6), begun());
    given(...people, added(1, 'id', 5))
      .when(use(1, 5))
      .thenRejects('LOGIN_WRONG');
    given(...people, added(1, 'id', 5))
      .when(use(1, 0))
      .thenRejects('LOGIN_WRONG');
    given(...people, added(1, 'id'), passkeyUsed(9))
      .when(use(1, 9))
      .thenRejects('LOGIN_WRONG');
    given(...people, added(1, 'id'))
      .when(use(2, 0))
      .thenRejects('LOGIN_WRONG');
  });

  it('is removed, and its number is not used again', () => {
    const remove = { type: 'RemovePasskey', data: { user, passkey: 1 } } as const;
    const removed = PasskeyRemoved({ user, passkey: 1 });
    given(...people, added(1, 'id'))
      .when(remove)
      .then(removed, destroyed('user:1/passkeys/1', 'erased'));
    given(...people)
      .when(remove)
      .thenRejects('PASSKEY_NOT_FOUND', { passkey: 1 });
    given(...people, added(1, 'id'), removed)
      .when(add())
      .then(added(2, 'id'));
  });
});
