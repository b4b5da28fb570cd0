import type { Actor } from '../../events/log/event.js';
import type { SecretKey, SettingKey, Settings } from '../../events/settings/settings.js';
import { sameJson } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { SettingProblem } from '../rejection.js';

/** Settings that decide who may log in, and from which address a login is counted. */
const GUARDED: readonly SettingKey[] = [
  ...(['ldapEnable', 'ldapHost', 'ldapPort', 'ldapUseTLS'] as const),
  ...(['ldapBaseDN', 'ldapBindDN', 'ldapUserFilter', 'ldapUserAttr'] as const),
  ...(['twoFactorEnable', 'trustedProxyCIDRs'] as const),
];
const GUARDED_SECRETS: readonly SecretKey[] = ['ldapPassword', 'twoFactorToken'];

/** Settings as they are, and as they would be; of the secrets only those that would be another. */
interface Wish {
  readonly current: Settings;
  readonly next: Settings;
  readonly secrets: ReadonlyMap<SecretKey, string>;
}

/**
 * The API token lies in scripts and on other machines: whoever has it manages the panel, but may neither make himself an
 * admin nor lock the admins out. What is as it was asks for nothing, because programs send everything back.
 */
export function tokenProblems(by: Actor['kind'], { current, next, secrets }: Wish): readonly SettingProblem[] {
  if (by !== 'token') return [];
  const keys = [
    ...GUARDED.filter((key) => !sameJson(next[key], current[key])),
    ...GUARDED_SECRETS.filter((key) => secrets.has(key)),
  ];
  return keys.map((key) => ({
    key,
    why: message('settings.tokenCannotChange'),
  }));
}
