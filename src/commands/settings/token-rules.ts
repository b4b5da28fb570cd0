import type { Actor } from '../../events/log/event.js';
import type { SecretKey, SettingKey, Settings } from '../../events/settings/settings.js';
import { sameJson } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import type { SettingProblem } from '../rejection.js';

/** Settings that determine who can log in, and which address a login is counted for. */
const GUARDED: readonly SettingKey[] = [
  ...(['ldapEnable', 'ldapHost', 'ldapPort', 'ldapUseTLS'] as const),
  ...(['ldapBaseDN', 'ldapBindDN', 'ldapUserFilter', 'ldapUserAttr'] as const),
  ...(['twoFactorEnable', 'trustedProxyCIDRs', 'apiTokenEnable'] as const),
];
const GUARDED_SECRETS: readonly SecretKey[] = ['ldapPassword', 'twoFactorToken'];

/** The current and the requested settings, and the changed secrets. */
interface Change {
  readonly current: Settings;
  readonly next: Settings;
  readonly secrets: ReadonlyMap<SecretKey, string>;
}

/**
 * The API token is stored in scripts and on other machines. It may manage the panel, but neither create an admin nor lock the
 * admins out. Unchanged values are allowed, because programs send all settings back.
 */
export function tokenProblems(by: Actor['kind'], { current, next, secrets }: Change): readonly SettingProblem[] {
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
