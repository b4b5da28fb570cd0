import { describe, it } from 'vitest';
import { SecretSettingChanged, SettingsChanged } from '../../../src/events/settings/settings.js';
import { message } from '../../../src/messages/message.js';
import { T0, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';
import { stepAt, TOKEN } from '../../kit/totp.js';

const change = (changes: Record<string, unknown>, more: object = {}) =>
  ({ type: 'ChangeSettings', data: { changes, ...more } }) as const;
const no = (...keys: readonly string[]) => {
  const why = message('settings.tokenCannotChange');
  return { problems: keys.map((key) => ({ key, why })) };
};
const stored = SecretSettingChanged({ key: 'ldapPassword', keyVersion: 1, secret: { value: 'secret' } });

describe('the API token', () => {
  it.each([
    ['ldapEnable', true],
    ['ldapHost', 'directory.example'],
    ['ldapPort', 636],
    ['ldapUseTLS', true],
    ['ldapBaseDN', 'dc=x'],
    ['ldapBindDN', 'cn=x'],
    ['ldapUserFilter', '(uid=*)'],
    ['ldapUserAttr', 'uid'],
    ['ldapPassword', 'another'],
    ['twoFactorEnable', true],
    ['twoFactorToken', TOKEN],
    ['trustedProxyCIDRs', ['10.0.0.0/8']],
  ])('cannot change %s, which affects who may log in', (key, value) => {
    given(stored)
      .when(change({ [key]: value, pageSize: 50 }), { by: 'token' })
      .thenRejects('SETTING_INVALID', no(key));
  });

  it('gets all such settings and all other problems in one error', () => {
    const { problems } = no('ldapEnable', 'ldapHost');
    given()
      .when(change({ nonsense: 1, ldapEnable: true, ldapHost: 'x.example' }), { by: 'token' })
      .thenRejects('SETTING_INVALID', {
        problems: [...problems, { key: 'nonsense', why: message('settings.unknown') }],
      });
  });

  it('cannot enable two-factor login, even with a valid code, nor disable it', () => {
    const codes = { user: userId(1), codes: [{ token: TOKEN, step: stepAt(T0) }] };
    const own = { twoFactorEnable: true, twoFactorToken: TOKEN };
    given()
      .when(change(own, { codes }), { by: 'token' })
      .thenRejects('SETTING_INVALID', no('twoFactorEnable', 'twoFactorToken'));
    given(
      SecretSettingChanged({ key: 'twoFactorToken', keyVersion: 1, secret: { value: TOKEN } }),
      SettingsChanged({ changes: { twoFactorEnable: true } }),
    )
      .when(change({ twoFactorEnable: false }, { codes }), { by: 'token' })
      .thenRejects('SETTING_INVALID', no('twoFactorEnable'));
  });

  it('may send such settings back unchanged, and change others', () => {
    const same = {
      ldapEnable: false,
      ldapPort: 389,
      ldapPassword: 'secret',
      trustedProxyCIDRs: '127.0.0.0/8, ::1/128',
    };
    given(stored)
      .when(change({ ...same, pageSize: 50, ldapSyncCron: '@hourly' }), { by: 'token' })
      .then(SettingsChanged({ changes: { pageSize: 50, ldapSyncCron: '@hourly' } }));
  });

  it('is restricted, a user is not', () => {
    given()
      .when(change({ ldapHost: 'x.example' }), { by: 'user' })
      .then(SettingsChanged({ changes: { ldapHost: 'x.example' } }));
  });
});
