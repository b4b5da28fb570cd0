import { type SecretKey, type Settings, secretKeys } from '../../../events/settings/settings.js';
import { addressesIn, safeLink } from '../../../lib/net/links.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { Overrides } from '../context.js';
import type { PageSettings } from '../contract/settings/settings.js';
import { flagNames, flagOf, plainNames } from './setting-names.js';

/** Secrets that 3x-ui shows as an empty text under its own name. */
const BLANK = ['tgBotToken', 'tgBotProxy'] as const;

/**
 * The settings as the API returns them, under our names and those of 3x-ui. Each secret is an empty text, with a flag that
 * says whether it is set. `environment` has the settings that a flag or a variable overrides.
 */
export function settingsView(read: ReadModels, environment: Overrides): Record<string, unknown> {
  const settings = read.settings.current();
  const secrets = read.settings.secrets();
  // 3x-ui writes the list as one string.
  const cidrs = settings.apiDialect === '3x-ui' ? settings.trustedProxyCIDRs.join(',') : settings.trustedProxyCIDRs;
  const blanks = [...secretKeys, 'apiToken', ...BLANK].map((key) => [key, '']);
  const isSet = (key: SecretKey): boolean => secrets[key] !== '';
  const flags = secretKeys.map((key) => [flagOf(key), isSet(key)]);
  const otherFlags = Object.entries(flagNames).map(([name, key]) => [name, isSet(key)]);
  const others = Object.entries(plainNames).map(([name, key]) => [name, settings[key]]);
  return {
    ...settings,
    trustedProxyCIDRs: cidrs,
    ...Object.fromEntries([...others, ...blanks, ...flags, ...otherFlags]),
    hasApiToken: read.admins.users().apiToken !== null,
    environment,
  };
}

/** The servers as the caller reaches them, and the features of the core. */
interface PageFacts {
  readonly requestHost: string;
  readonly subPort: number;
}

/**
 * The reply to the `defaultSettings` request of 3x-ui: the settings shown beside the inbounds, and the URLs of the
 * subscription server as the caller reaches it.
 */
export function pageSettings(settings: Settings, facts: PageFacts): PageSettings {
  const { subEnable, subJsonEnable, subClashEnable } = settings;
  const base = subscriptionBase(settings, facts);
  const address = (on: boolean, given: string, path: string): string => {
    const known = safeLink(addressesIn(given)[0] ?? '');
    return on ? known || base + path : known;
  };
  return {
    expireDiff: settings.expireDiff,
    trafficDiff: settings.trafficDiff,
    pageSize: settings.pageSize,
    defaultCert: settings.webCertFile,
    defaultKey: settings.webKeyFile,
    chatBotEnable: settings.chatBotEnable,
    tgBotEnable: settings.chatBotEnable,
    subEnable,
    subJsonEnable,
    subClashEnable,
    subTitle: settings.subTitle,
    subURI: address(subEnable, settings.subURI, settings.subPath),
    subJsonURI: address(subEnable && subJsonEnable, settings.subJsonURI, settings.subJsonPath),
    subClashURI: address(subEnable && subClashEnable, settings.subClashURI, settings.subClashPath),
    remarkModel: settings.remarkModel,
    datepicker: settings.datepicker,
    // Whether pages show the limit. Here it always works and needs no log.
    ipLimitEnable: true,
  };
}

function subscriptionBase({ subDomain, subCertFile, subKeyFile }: Settings, facts: PageFacts): string {
  const { requestHost, subPort } = facts;
  const secure = subCertFile !== '' && subKeyFile !== '';
  const host = subDomain || requestHost;
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const port = subPort === (secure ? 443 : 80) ? '' : `:${subPort}`;
  return `${secure ? 'https' : 'http'}://${bracketed}${port}`;
}
