import type { SecretKey, SettingKey, Settings } from '../../events/settings/settings.js';
import { message } from '../../messages/message.js';
import { isSchedule } from '../reactors/schedule.js';
import type { SettingProblem } from '../rejection.js';
import type { PanelState } from '../state.js';
import { isLdapFilter } from './ldap-filter.js';

/** Minimum length of a passphrase. An attacker who has the file can try without limit. */
const MIN_PASSPHRASE_CHARS = 12;

/** Values that are valid, but with which their feature cannot work. Only changed settings are checked. */
export function usabilityProblems(
  next: Settings,
  { settings: current, secrets }: PanelState,
  given: { readonly secrets: ReadonlyMap<SecretKey, string>; readonly now: number },
): readonly SettingProblem[] {
  const changes = (key: SettingKey): boolean => next[key] !== current[key];
  const begins = (key: 'chatBotEnable' | 'ldapEnable'): boolean => next[key] && !current[key];
  const problems: SettingProblem[] = [];
  for (const key of ['chatBotRunTime', 'ldapSyncCron', 'backupSchedule', 'geoUpdateSchedule'] as const) {
    if (changes(key) && next[key] !== '' && !isSchedule(next[key], given.now))
      problems.push({ key, why: message('settings.scheduleNeverFires') });
  }
  if (changes('ldapUserFilter') && next.ldapUserFilter.trim() !== '' && !isLdapFilter(next.ldapUserFilter))
    problems.push({ key: 'ldapUserFilter', why: message('settings.notLdapFilter') });
  if (next.ldapEnable && next.ldapHost === '' && (begins('ldapEnable') || changes('ldapHost')))
    problems.push({ key: 'ldapHost', why: message('settings.ldapHostMissing') });
  const secret = (key: SecretKey): string => given.secrets.get(key) ?? secrets.get(key)?.value ?? '';
  if (begins('chatBotEnable') && secret('chatBotToken') === '')
    problems.push({ key: 'chatBotToken', why: message('settings.botTokenMissing') });
  if (changes('proofPanel') && next.proofPanel !== '' && secret('proofPanelToken') === '')
    problems.push({ key: 'proofPanelToken', why: message('settings.proofTokenMissing') });
  const passphrase = secret('backupPassphrase');
  const isNew = passphrase !== (secrets.get('backupPassphrase')?.value ?? '');
  if (isNew && passphrase !== '' && [...passphrase].length < MIN_PASSPHRASE_CHARS)
    problems.push({
      key: 'backupPassphrase',
      why: message('settings.passphraseTooShort', { min: MIN_PASSPHRASE_CHARS }),
    });
  return problems;
}
