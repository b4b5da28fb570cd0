import {
  defaultSettings,
  type SecretKey,
  type SettingKey,
  secretKeys,
  settingKeys,
  settingsTable,
} from '../../../events/settings/settings.js';
import type { Say } from './words.js';

/** Two-factor login is set up with the account. */
const ELSEWHERE: ReadonlySet<string> = new Set<SettingKey | SecretKey>(['twoFactorEnable', 'twoFactorToken']);
/** Texts of more than a line. */
const LONG: ReadonlySet<string> = new Set<SettingKey | SecretKey>([
  ...(['subAnnounce', 'subRoutingRules', 'subJsonFragment', 'subJsonNoises', 'subJsonMux', 'subJsonRules'] as const),
]);
const CHOICES: Partial<Record<string, readonly string[]>> = {
  datepicker: settingsTable.datepicker.unwrap().options,
  apiDialect: settingsTable.apiDialect.unwrap().options,
};

/** The empty form of all settings; the script fills in the current values. The names are those of the API. */
export function settingFields(t: Say): string {
  const groups: readonly (readonly [string, RegExp])[] = [
    [t('page.panel'), /^(web|session|trusted|time|datepicker|pageSize|expireDiff|trafficDiff|remarkModel)/],
    [t('page.subscription'), /^sub/],
    [t('page.chatBot'), /^chatBot/],
    [t('page.directory'), /^ldap/],
    [t('page.other'), /^/],
  ];
  const remaining = new Set<string>([...settingKeys, ...secretKeys].filter((key) => !ELSEWHERE.has(key)));
  const sets = groups.map(([title, names]) => {
    const keys = [...remaining].filter((key) => names.test(key));
    for (const key of keys) remaining.delete(key);
    return `<fieldset><legend>${title}</legend>${keys.map(field).join('\n')}</fieldset>`;
  });
  return sets.join('\n');
}

function field(key: string): string {
  return `<div class="field"><label for="s-${key}"><code>${key}</code></label>${control(key)}<small id="h-${key}"></small><small id="e-${key}" class="bad" role="alert"></small></div>`;
}

function control(key: string): string {
  const names = `id="s-${key}" name="${key}" aria-describedby="h-${key} e-${key}"`;
  const options = CHOICES[key];
  if ((secretKeys as readonly string[]).includes(key))
    return `<input type="password" data-secret autocomplete="new-password" ${names}>`;
  if (options)
    return `<select ${names}>${options.map((option) => `<option value="${option}">${option}</option>`).join('')}</select>`;
  if (LONG.has(key)) return `<textarea dir="auto" spellcheck="false" ${names}></textarea>`;
  const type = typeof defaultSettings[key as SettingKey];
  if (type === 'boolean') return `<input type="checkbox" ${names}>`;
  return `<input type="${type === 'number' ? 'number' : 'text'}" dir="auto" autocomplete="off" ${names}>`;
}
