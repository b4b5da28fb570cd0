import type { PanelEvent } from '../../events/catalog.js';
import {
  defaultSettings,
  type SecretKey,
  SecretSettingChanged,
  type SettingKey,
  type Settings,
  SettingsChanged,
  secretsTable,
  settingsTable,
} from '../../events/settings/settings.js';
import { ApiTokenIssued } from '../../events/user.js';
import { sameJson } from '../../lib/json.js';
import { issueOf } from '../../messages/issue.js';
import { message, type Text } from '../../messages/message.js';
import { withValue } from '../../messages/with-value.js';
import type { XuiPanel } from '../ports/xui-panel.js';
import { settingProblems } from '../settings/setting-rules.js';
import { usabilityProblems } from '../settings/setting-usability.js';
import type { PanelState } from '../state.js';
import { type Notes, shown } from './report.js';

/** Defaults of 3x-ui that differ from those of this panel. */
const XUI_DEFAULTS = { subPort: '2096' } as const;
/** Releases in which these settings could not be disabled. */
const ALWAYS_ON = { subJsonEnable: 'true' } as const;
/** Settings without a counterpart: they are read elsewhere, or only 3x-ui uses them. */
const NOT_IMPORTED: ReadonlySet<string> = new Set(['xrayTemplateConfig', 'xrayOutboundTestUrl', 'apiToken', 'secret']);
/** Values that replace invalid settings. Any other invalid setting gets the default. */
const REPLACEMENTS: Readonly<Record<string, Partial<Settings>>> = {
  subJsonPath: { subJsonPath: '/json-2/' },
  subClashPath: { subClashPath: '/clash-2/' },
  chatBotToken: { chatBotEnable: false },
  ldapHost: { ldapEnable: false },
};
const MAX_ROUNDS = 10;
const API_TOKEN = /^[\x21-\x7e]{8,256}$/;

/** A setting that does not work on this machine, and why. */
export interface HostProblem {
  readonly key: string;
  readonly reason: Text;
}

interface Given {
  readonly state: PanelState;
  /** Problems on this machine: unreadable files, missing addresses. */
  readonly hostProblems: readonly HostProblem[];
  readonly now: number;
  readonly notes: Notes;
}

/** The settings with the names of this panel, including the secrets, and the API token. */
export function importSettings(panel: Pick<XuiPanel, 'settings' | 'version'>, given: Given): PanelEvent[] {
  const { state, hostProblems, now, notes } = given;
  notes.rows('settings', panel.settings.length);
  const { plain, secrets, apiToken } = readSettings(panel, notes);
  let next: Settings = { ...defaultSettings, ...plain };
  const off = (key: string, reason: Text): void => {
    next = { ...next, ...fallback(key) };
    if (!Object.hasOwn(REPLACEMENTS, key)) secrets.delete(key as SecretKey);
    notes.dropped('settings', message('import.setting', { key }), reason);
  };
  for (const { key, reason } of hostProblems) if (Object.hasOwn(plain, key)) off(key, reason);
  if (next.twoFactorEnable && !secrets.has('twoFactorToken'))
    off('twoFactorEnable', message('import.twoFactorNoToken'));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const problems = [
      ...settingProblems(next, state, { named: new Set(), trustEveryProxy: false, newProxy: undefined }),
      ...usabilityProblems(next, state, { secrets, now }),
    ];
    if (problems.length === 0) break;
    for (const { key, why } of problems) off(key, message('import.settingRefused', { why }));
  }
  const changes = Object.entries(next).filter(([key, value]) => !sameJson(value, defaultSettings[key as SettingKey]));
  return [
    ...(changes.length === 0
      ? []
      : [
          SettingsChanged({ changes: Object.fromEntries(changes) as Parameters<typeof SettingsChanged>[0]['changes'] }),
        ]),
    ...[...secrets].map(([key, value]) => SecretSettingChanged({ key, keyVersion: 1, secret: { value } })),
    ...(apiToken === '' ? [] : [ApiTokenIssued({ keyVersion: 1, secret: { token: apiToken } })]),
  ];
}

function fallback(key: string): Partial<Settings> {
  return REPLACEMENTS[key] ?? { [key]: defaultSettings[key as SettingKey] };
}

interface Read {
  readonly plain: Partial<Settings>;
  readonly secrets: Map<SecretKey, string>;
  readonly apiToken: string;
}

function readSettings({ settings, version }: Pick<XuiPanel, 'settings' | 'version'>, notes: Notes): Read {
  const values = new Map<string, string>();
  for (const { key, value } of settings) {
    const name = { key: shown(key) };
    if (values.has(key))
      notes.dropped('settings', message('import.settingAgain', name), message('import.settingTwice'));
    else if (!isSetting(key) && !isSecret(key) && !NOT_IMPORTED.has(key))
      notes.dropped('settings', message('import.setting', name), message('import.settingUnknown'));
    else values.set(key, value);
  }
  const usual = { ...XUI_DEFAULTS, ...(version === '2.x' ? ALWAYS_ON : {}) };
  for (const [key, value] of Object.entries(usual)) if (!values.has(key)) values.set(key, value);
  const plain: [SettingKey, unknown][] = [];
  const secrets = new Map<SecretKey, string>();
  for (const [key, value] of values) {
    if (isSetting(key)) {
      const parsed = settingsTable[key].safeParse(typed(value, defaultSettings[key]));
      if (parsed.success) plain.push([key, parsed.data]);
      else refused(notes, key, message('import.settingRefused', { why: withValue(issueOf(parsed.error), value) }));
    } else if (isSecret(key) && value.trim() !== '') {
      const parsed = secretsTable[key].safeParse(value.trim());
      if (parsed.success) secrets.set(key, parsed.data);
      else refused(notes, key, message('import.settingRefused', { why: issueOf(parsed.error) }));
    }
  }
  const apiToken = values.get('apiToken')?.trim() ?? '';
  const usable = apiToken === '' || API_TOKEN.test(apiToken);
  if (!usable) refused(notes, 'apiToken', message('import.apiTokenInvalid'));
  return { plain: Object.fromEntries(plain), secrets, apiToken: usable ? apiToken : '' };
}

function refused(notes: Notes, key: string, reason: Text): void {
  notes.dropped('settings', message('import.setting', { key }), reason);
}

function isSetting(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

function isSecret(key: string): key is SecretKey {
  return Object.hasOwn(secretsTable, key);
}

/** Converts a text to the type of the setting. The schema rejects other values. */
function typed(value: string, like: unknown): unknown {
  const text = value.trim();
  if (typeof like === 'boolean') return text === 'true' || (text === 'false' || text === '' ? false : text);
  if (typeof like === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  return value;
}
