import { defaultSettings, type SettingKey, type Settings, settingKeys } from '../../events/settings.js';
import type { ReadModels } from '../../projections/read-models.js';

/** The settings as they are read, with a flag in the place of each secret. */
export function settingsView(read: ReadModels): Record<string, unknown> {
  const settings = read.settings();
  // 3x-ui writes the list as one text.
  const cidrs = settings.apiDialect === '3x-ui' ? settings.trustedProxyCIDRs.join(',') : settings.trustedProxyCIDRs;
  return { ...settings, trustedProxyCIDRs: cidrs, hasApiToken: read.users().apiToken !== null };
}

/** The settings that a body names, with the texts of a form read as what the setting is. Other members are passed over. */
export function settingChanges(body: Readonly<Record<string, unknown>>): Partial<Record<SettingKey, unknown>> {
  const named = settingKeys.filter((key) => Object.hasOwn(body, key) && body[key] !== null && body[key] !== undefined);
  return Object.fromEntries(named.map((key) => [key, typed(body[key], defaultSettings[key])]));
}

function typed(value: unknown, like: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (typeof like === 'number' && /^-?(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (typeof like === 'boolean' && /^(true|1|on)$/i.test(text)) return true;
  if (typeof like === 'boolean' && /^(false|0|off|)$/i.test(text)) return false;
  return value;
}

/**
 * What the pages of 3x-ui ask for under the name of defaults: the settings that they show beside the inbounds, and the
 * address of the subscription server as the caller would reach it.
 */
export function pageSettings(settings: Settings, requestHost: string, subPort: number): Record<string, unknown> {
  const { subEnable, subTitle, subURI, remarkModel, subPath, subDomain } = settings;
  const host = subDomain || requestHost;
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const address = `http://${bracketed}${subPort === 80 ? '' : `:${subPort}`}${subPath}`;
  return {
    expireDiff: 0,
    trafficDiff: 0,
    pageSize: 25,
    defaultCert: '',
    defaultKey: '',
    subEnable,
    subTitle,
    subURI: subEnable ? subURI || address : subURI,
    remarkModel,
    datepicker: 'gregorian',
  };
}
