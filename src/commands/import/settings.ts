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
import { textOfIssue } from '../../messages/issue.js';
import { message, type Text } from '../../messages/message.js';
import type { XuiPanel } from '../ports/xui-panel.js';
import { settingProblems } from '../settings/setting-rules.js';
import { usabilityProblems } from '../settings/setting-usability.js';
import type { PanelState } from '../state.js';
import { type Notes, shown } from './report.js';

/** What 3x-ui does where nothing was ever set, and this panel would do otherwise. */
const THEIR_DEFAULTS = { subPort: '2096' } as const;
/** Releases that could not switch these off. */
const ALWAYS_ON = { subJsonEnable: 'true' } as const;
/** Settings that are no settings here: read elsewhere, or of no use to anybody but the old panel. */
const ELSEWHERE: ReadonlySet<string> = new Set(['xrayTemplateConfig', 'xrayOutboundTestUrl', 'apiToken', 'secret']);
/** What gives way when it makes sense no longer; any other setting falls back to what is usual here. */
const YIELDS: Readonly<Record<string, Partial<Settings>>> = {
  subJsonPath: { subJsonPath: '/json-2/' },
  subClashPath: { subClashPath: '/clash-2/' },
  chatBotToken: { chatBotEnable: false },
  ldapHost: { ldapEnable: false },
};
const ROUNDS = 10;
const API_TOKEN = /^[\x21-\x7e]{8,256}$/;

/** A setting that this machine cannot follow, and why. */
export interface HostProblem {
  readonly key: string;
  readonly reason: Text;
}

interface Given {
  readonly state: PanelState;
  /** What only the machine knows: files that cannot be read, addresses that it does not have. */
  readonly hostProblems: readonly HostProblem[];
  readonly now: number;
  readonly notes: Notes;
}

/** The settings under our names, the secrets among them, and the API token. */
export function importSettings(panel: Pick<XuiPanel, 'settings' | 'version'>, given: Given): PanelEvent[] {
  const { state, hostProblems, now, notes } = given;
  notes.rows('settings', panel.settings.length);
  const { plain, secrets, apiToken } = readSettings(panel, notes);
  let next: Settings = { ...defaultSettings, ...plain };
  const off = (key: string, reason: Text): void => {
    next = { ...next, ...fallback(key) };
    if (!Object.hasOwn(YIELDS, key)) secrets.delete(key as SecretKey);
    notes.dropped('settings', message('import.setting', { key }), reason);
  };
  for (const { key, reason } of hostProblems) if (Object.hasOwn(plain, key)) off(key, reason);
  if (next.twoFactorEnable && !secrets.has('twoFactorToken'))
    off('twoFactorEnable', message('import.twoFactorNoToken'));
  for (let round = 0; round < ROUNDS; round += 1) {
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
  return YIELDS[key] ?? { [key]: defaultSettings[key as SettingKey] };
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
    else if (!isSetting(key) && !isSecret(key) && !ELSEWHERE.has(key))
      notes.dropped('settings', message('import.setting', name), message('import.settingUnknown'));
    else values.set(key, value);
  }
  const usual = { ...THEIR_DEFAULTS, ...(version === '2.x' ? ALWAYS_ON : {}) };
  for (const [key, value] of Object.entries(usual)) if (!values.has(key)) values.set(key, value);
  const plain: [SettingKey, unknown][] = [];
  const secrets = new Map<SecretKey, string>();
  for (const [key, value] of values) {
    if (isSetting(key)) {
      const parsed = settingsTable[key].safeParse(typed(value, defaultSettings[key]));
      if (parsed.success) plain.push([key, parsed.data]);
      else refused(notes, key, problemOf(parsed.error));
    } else if (isSecret(key) && value.trim() !== '') {
      const parsed = secretsTable[key].safeParse(value.trim());
      if (parsed.success) secrets.set(key, parsed.data);
      else refused(notes, key, problemOf(parsed.error));
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

/** What the first issue says. The messages of zod itself are for programs. */
function problemOf({ issues: [first] }: { readonly issues: readonly { readonly message: string }[] }): Text {
  const why = textOfIssue(first?.message ?? '');
  return 'verbatim' in why ? message('import.settingValue') : message('import.settingRefused', { why });
}

function isSetting(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

function isSecret(key: string): key is SecretKey {
  return Object.hasOwn(secretsTable, key);
}

/** Values are texts there; what is none of its kind is left for the schema to refuse. */
function typed(value: string, like: unknown): unknown {
  const text = value.trim();
  if (typeof like === 'boolean') return text === 'true' || (text === 'false' || text === '' ? false : text);
  if (typeof like === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  return value;
}
