import { describe, it } from 'vitest';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { SecretSettingChanged, SettingsChanged } from '../../../src/events/settings/settings.js';
import { MeasurementsRolledUp } from '../../../src/events/traffic/traffic.js';
import {
  LoggedIn,
  SessionsRevoked,
  TwoFactorCodeUsed,
  UserCreated,
  UserCredentialsChanged,
} from '../../../src/events/user.js';
import { message } from '../../../src/messages/message.js';
import { HOUR, T0, userId } from '../../kit/builders.js';
import { at, given } from '../../kit/spec.js';
import { OTHER_TOKEN, stepAt, TOKEN } from '../../kit/totp.js';

const NOW = stepAt(T0);
const account = (user: number, epoch = 0) => ({
  user: userId(user),
  epoch,
  credentials: { username: `user-${user}`, passwordHash: `hash-${epoch}` },
});
const people = [UserCreated(account(1)), UserCreated(account(2))];
const token = (value: string, keyVersion = 1) =>
  SecretSettingChanged({ key: 'twoFactorToken', keyVersion, secret: { value } });
const switched = (twoFactorEnable: boolean) => SettingsChanged({ changes: { twoFactorEnable } });
const used = (step: number, keyVersion = 1, user = 1) =>
  TwoFactorCodeUsed({ user: userId(user), keyVersion, timeStep: step });
const ended = (user: number, epoch = 1) => SessionsRevoked({ user: userId(user), epoch, reason: 'two-factor' });
const gone = (keyVersion: number) =>
  DataKeyDestroyed({ key: `setting/twoFactorToken/${keyVersion}`, reason: 'rotated' });
const on = [...people, token(TOKEN), switched(true)];

const shown = (of: string, step = NOW, user = 1) => ({ user: userId(user), codes: [{ token: of, step }] });
const change = (changes: Record<string, unknown>, proof?: ReturnType<typeof shown>) =>
  ({ type: 'ChangeSettings', data: { changes, ...(proof ? { codes: proof } : {}) } }) as const;
const noCode = {
  problems: [
    {
      key: 'twoFactorCode',
      why: message('settings.twoFactorCodeWrong'),
    },
  ],
};

describe('enabling two-factor login', () => {
  it('stores the token, requires a code of it, and ends all sessions', () => {
    given(...people)
      .when(change({ twoFactorEnable: true, twoFactorToken: TOKEN }, shown(TOKEN)))
      .then(used(NOW), switched(true), token(TOKEN), ended(1), ended(2));
  });

  it('uses the stored token if none is given', () => {
    given(...people, token(TOKEN))
      .when(change({ twoFactorEnable: true }, shown(TOKEN)))
      .then(used(NOW), switched(true), ended(1), ended(2));
    given(...people, token(TOKEN))
      .when(change({ twoFactorEnable: true, twoFactorToken: OTHER_TOKEN }, shown(OTHER_TOKEN)))
      .then(used(NOW, 2), switched(true), token(OTHER_TOKEN, 2), gone(1), ended(1), ended(2));
  });

  it.each([
    ['without a code', undefined],
    ['with a code of another token', shown(OTHER_TOKEN)],
    ['with a code of two steps before', shown(TOKEN, NOW - 2)],
    ['with a code of two steps after', shown(TOKEN, NOW + 2)],
  ])('is rejected %s', (_, proof) => {
    given(...people)
      .when(change({ twoFactorEnable: true, twoFactorToken: TOKEN }, proof))
      .thenRejects('SETTING_INVALID', noCode);
  });

  it('is rejected without a token', () => {
    given(...people)
      .when(change({ twoFactorEnable: true }, shown('')))
      .thenRejects('SETTING_INVALID', {
        problems: [{ key: 'twoFactorToken', why: message('settings.twoFactorTokenMissing') }],
      });
  });

  it('is rejected with an invalid token, with one problem', () => {
    given(...people)
      .when(change({ twoFactorEnable: true, twoFactorToken: 'x' }))
      .thenRejects('SETTING_INVALID', {
        problems: [{ key: 'twoFactorToken', why: message('settings.notBase32') }],
      });
  });

  it('is applied with all other changes or not at all', () => {
    const both = { twoFactorEnable: true, twoFactorToken: TOKEN, pageSize: 50 };
    given(...people)
      .when(change(both, shown(TOKEN)))
      .then(
        used(NOW),
        SettingsChanged({ changes: { twoFactorEnable: true, pageSize: 50 } }),
        token(TOKEN),
        ended(1),
        ended(2),
      );
    given(...people)
      .when(change({ ...both, pageSize: -1 }, shown(TOKEN)))
      .thenRejects('SETTING_INVALID', {
        problems: [{ key: 'pageSize', why: message('input.notBetween', { min: 0, max: 10000 }), value: -1 }],
      });
  });
});

describe('while two-factor login is off', () => {
  it('a token can be stored and removed', () => {
    given(...people)
      .when(change({ twoFactorToken: TOKEN }))
      .then(token(TOKEN));
    given(...people, token(TOKEN))
      .when(change({ twoFactorToken: '' }))
      .then(token('', 2), gone(1));
  });
});

describe('while two-factor login is on', () => {
  it.each([
    ['switched off', { twoFactorEnable: false }],
    ['taken away', { twoFactorToken: '' }],
    ['both', { twoFactorEnable: false, twoFactorToken: '' }],
  ])('it is %s with a code, and its token is removed', (_, changes) => {
    given(...on)
      .when(change(changes, shown(TOKEN)))
      .then(used(NOW), switched(false), token('', 2), gone(1), ended(1), ended(2));
  });

  it('its token can be replaced with a code of the current one', () => {
    given(...on)
      .when(change({ twoFactorToken: OTHER_TOKEN }, shown(TOKEN)))
      .then(used(NOW), token(OTHER_TOKEN, 2), gone(1), ended(1), ended(2));
  });

  it.each([
    ['to be switched off', { twoFactorEnable: false }],
    ['to lose its token', { twoFactorToken: '' }],
    ['to get another token', { twoFactorToken: OTHER_TOKEN }],
    ['to get another token, switched on again', { twoFactorEnable: true, twoFactorToken: OTHER_TOKEN }],
    ['to get another token, switched off', { twoFactorEnable: false, twoFactorToken: OTHER_TOKEN }],
  ])('it is not possible %s without an unused code of the current token', (_, changes) => {
    for (const proof of [undefined, shown(OTHER_TOKEN), shown(TOKEN, NOW - 2), shown(TOKEN, NOW + 2)])
      given(...on)
        .when(change(changes, proof))
        .thenRejects('SETTING_INVALID', noCode);
    given(...on, used(NOW))
      .when(change(changes, shown(TOKEN)))
      .thenRejects('SETTING_INVALID', noCode);
  });

  it('other settings need no code, and the same token is no change', () => {
    given(...on)
      .when(change({ pageSize: 50, twoFactorEnable: true, twoFactorToken: TOKEN }))
      .then(SettingsChanged({ changes: { pageSize: 50 } }));
  });

  it('new credentials do not affect it', () => {
    given(...on, ended(1))
      .when({ type: 'ChangeCredentials', data: { user: userId(1), username: 'root', passwordHash: 'h' } })
      .then(
        UserCredentialsChanged({ user: userId(1), epoch: 2, credentials: { username: 'root', passwordHash: 'h' } }),
        // The key of the credentials that were set, not of the epoch that rose without new ones.
        DataKeyDestroyed({ key: 'user:1/credentials/0', reason: 'rotated' }),
      );
  });

  it('the command line disables it without a code', () => {
    given(...on)
      .when({ type: 'SwitchOffTwoFactor', data: {} })
      .then(switched(false), token('', 2), gone(1), ended(1), ended(2));
    given(...people)
      .when({ type: 'SwitchOffTwoFactor', data: {} })
      .thenNothing();
  });
});

describe('a login', () => {
  const session = { idHash: 'ab', csrfToken: 'cd', device: 'Firefox' };
  const begin = { user: userId(1), session, expiresAt: T0 + HOUR };
  const login = (proof?: { token: string; step: number }) =>
    ({ type: 'RecordLogin', data: proof ? { ...begin, proof } : begin }) as const;
  const loggedIn = LoggedIn({ ...begin, epoch: 0 });

  it.each([-1, 0, 1])('accepts the code of %i steps away, once', (away) => {
    const step = NOW + away;
    given(...on)
      .when(login({ token: TOKEN, step }))
      .then(used(step), loggedIn);
    given(...on, used(step))
      .when(login({ token: TOKEN, step }))
      .thenRejects('LOGIN_WRONG');
    // All users share the token of the panel, so a code can be used by one of them only.
    given(...on, used(step, 1, 2))
      .when(login({ token: TOKEN, step }))
      .thenRejects('LOGIN_WRONG');
  });

  it.each([
    ['no code', undefined],
    ['a code of another token', { token: OTHER_TOKEN, step: NOW }],
    ['a code of no token', { token: '', step: NOW }],
    ['a code of before', { token: TOKEN, step: NOW - 2 }],
    ['a code of after', { token: TOKEN, step: NOW + 2 }],
  ])('rejects %s', (_, proof) => {
    given(...on)
      .when(login(proof))
      .thenRejects('LOGIN_WRONG');
  });

  it('requires a code of the current token', () => {
    given(...on, token(OTHER_TOKEN, 2))
      .when(login({ token: TOKEN, step: NOW }))
      .thenRejects('LOGIN_WRONG');
    given(...on, used(NOW), token(OTHER_TOKEN, 2))
      .when(login({ token: OTHER_TOKEN, step: NOW }))
      .then(used(NOW, 2), loggedIn);
  });

  it('is rejected if two-factor login is on without a token', () => {
    given(...people, switched(true))
      .when(login({ token: '', step: NOW }))
      .thenRejects('LOGIN_WRONG');
  });

  it('rejects a used code after the clock was set back, but accepts unused ones', () => {
    const back = { now: T0 - 90_000 };
    given(...on, used(NOW - 3))
      .when(login({ token: TOKEN, step: NOW - 3 }), back)
      .thenRejects('LOGIN_WRONG');
    given(...on, used(NOW))
      .when(login({ token: TOKEN, step: NOW - 3 }), back)
      .then(used(NOW - 3), loggedIn);
    const forward = { now: T0 + 600_000 };
    given(...on, used(NOW))
      .when(login({ token: TOKEN, step: NOW + 20 }), forward)
      .then(used(NOW + 20), loggedIn);
    given(...on)
      .when(login({ token: TOKEN, step: NOW }), forward)
      .thenRejects('LOGIN_WRONG');
  });

  it('forgets a used code when the event that recorded it is rolled up, also after a replay', () => {
    const rolled = (toTime: number) =>
      MeasurementsRolledUp({
        fromPosition: 1,
        toPosition: 5,
        firstAt: 0,
        lastAt: toTime,
        digest: '',
        prunedCount: 1,
        sums: [],
        nodeSums: [],
      });
    given(...on, at(T0 - 1, used(NOW)), rolled(T0 - 1))
      .when(login({ token: TOKEN, step: NOW }))
      .then(used(NOW), loggedIn);
    given(...on, used(NOW), rolled(T0 - 1))
      .when(login({ token: TOKEN, step: NOW }))
      .thenRejects('LOGIN_WRONG');
  });

  it('is renewed without a code, at the current epoch', () => {
    given(...on, ended(1))
      .when({ type: 'RenewSession', data: begin })
      .then(LoggedIn({ ...begin, epoch: 1 }));
    given().when({ type: 'RenewSession', data: begin }).thenRejects('CREDENTIALS_WRONG');
  });
});
