import type { SettingProblem } from '../../../commands/rejection.js';
import {
  defaultSettings,
  type SecretKey,
  type SettingKey,
  type Settings,
  secretsTable,
  settingsTable,
} from '../../../events/settings/settings.js';
import { sameJson } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { ourName } from './setting-names.js';

/** The settings that a body changes, under our names. */
export interface RequestedSettings {
  readonly changes: Readonly<Record<string, unknown>>;
  /** Problems of the body itself. */
  readonly problems: readonly SettingProblem[];
  /** The caller's name of a setting, where it differs from ours. */
  readonly callerName: (key: string) => string;
  readonly twoFactorCode: string;
  readonly trustEveryProxy: boolean;
}

/** Members that control the change, and members of `/all` that are read-only. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(['twoFactorCode', 'trustEveryProxy', 'environment']);
const FLAG = /^has[A-Z]\w*$/;

/**
 * The settings that a body names, with form texts parsed to the type of the setting. Sending back `/all` changes nothing: a
 * blank secret means "unchanged", and of two names for one setting the one with a different value counts. Unknown members
 * are kept, so that the decider reports them.
 */
export function requestedSettings(body: Readonly<Record<string, unknown>>, current: Settings): RequestedSettings {
  const given = new Map<string, { readonly name: string; readonly value: unknown }[]>();
  for (const [name, raw] of Object.entries(body)) {
    const key = ourName(name);
    if (NOT_SETTINGS.has(name) || FLAG.test(name)) continue;
    if ((isSecret(key) || key === 'apiToken') && typeof raw === 'string' && raw.trim() === '') continue;
    const list = given.get(key) ?? [];
    given.set(key, [...list, { name, value: isSetting(key) ? typed(raw, defaultSettings[key]) : raw }]);
  }
  const problems: SettingProblem[] = [];
  const chosen: [key: string, name: string, value: unknown][] = [];
  for (const [key, values] of given) {
    const different = isSetting(key) ? values.filter(({ value }) => !isSame(key, value, current)) : values;
    const [first = values[0], other] = different;
    if (key === 'apiToken') problems.push({ key, why: message('settings.apiTokenElsewhere') });
    else if (other && !sameJson(first?.value, other.value)) problems.push({ key, why: message('settings.givenTwice') });
    else if (first)
      chosen.push([key, first.name, isSetting(key) && different.length === 0 ? current[key] : first.value]);
  }
  const names = new Map(chosen.map(([key, name]) => [key, name]));
  return {
    changes: Object.fromEntries(chosen.map(([key, , value]) => [key, value])),
    problems,
    callerName: (key) => names.get(key) ?? key,
    twoFactorCode: typeof body['twoFactorCode'] === 'string' ? body['twoFactorCode'] : '',
    trustEveryProxy: typed(body['trustEveryProxy'], false) === true,
  };
}

export function isSecret(key: string): key is SecretKey {
  return Object.hasOwn(secretsTable, key);
}

function isSetting(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

/** A stored value that would be rejected today still counts as unchanged, in the form of either API dialect. */
function isSame(key: SettingKey, value: unknown, current: Settings): boolean {
  const now = current[key];
  if (sameJson(value, now) || (Array.isArray(now) && value === now.join(','))) return true;
  const parsed = settingsTable[key].safeParse(value);
  return parsed.success && sameJson(parsed.data, now);
}

function typed(value: unknown, like: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (typeof like === 'number' && /^-?(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (typeof like === 'boolean' && /^(true|1|on)$/i.test(text)) return true;
  if (typeof like === 'boolean' && /^(false|0|off|)$/i.test(text)) return false;
  return value;
}
