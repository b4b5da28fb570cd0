import type { SettingSource, SettingSources } from '../../api/contract.generated';

export type SettingKey = keyof SettingSources['settings'];
export type SecretKey = keyof SettingSources['secrets'];
export type FieldKey = SettingKey | SecretKey;

/** The groups of the screen, in their order. */
export const GROUPS = [
  ...(['server', 'security', 'display', 'subscription', 'formats'] as const),
  ...(['limits', 'data', 'proof', 'bot', 'directory', 'api'] as const),
] as const;
export type Group = (typeof GROUPS)[number];

/** How a value is entered where its type does not say it. `account`: on the screen of the account. */
type Input = 'text' | 'code' | 'long' | 'zone' | 'schedule' | 'account';
export interface FieldDefinition {
  readonly group: Group;
  readonly input: Input;
}

const of = <K extends FieldKey>(group: Group, input: Input, ...keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, { group, input }])) as Record<K, FieldDefinition>;

/** Every setting and every secret. The compiler reports one that is missing here, and one without texts. */
export const fields: Readonly<Record<FieldKey, FieldDefinition>> = {
  ...of('server', 'code', 'webListen', 'webPort', 'webBasePath', 'webDomain', 'webCertFile', 'webKeyFile'),
  ...of('security', 'text', 'sessionMaxAge'),
  ...of('security', 'code', 'trustedProxyCIDRs'),
  ...of('security', 'account', 'twoFactorEnable', 'twoFactorToken'),
  ...of('display', 'zone', 'timeLocation'),
  ...of('display', 'text', 'datepicker', 'pageSize'),
  ...of('display', 'code', 'remarkModel'),
  ...of('subscription', 'text', 'subEnable'),
  ...of('subscription', 'code', 'subListen', 'subPort', 'subPath', 'subDomain', 'subURI', 'subCertFile', 'subKeyFile'),
  ...of('subscription', 'text', 'subTitle'),
  ...of('subscription', 'long', 'subAnnounce'),
  ...of('subscription', 'code', 'subSupportUrl', 'subProfileUrl'),
  ...of('subscription', 'text', 'subUpdates', 'subEncrypt', 'subShowInfo'),
  ...of('formats', 'text', 'subJsonEnable'),
  ...of('formats', 'code', 'subJsonPath', 'subJsonURI'),
  ...of('formats', 'long', 'subJsonFragment', 'subJsonNoises', 'subJsonMux', 'subJsonRules'),
  ...of('formats', 'text', 'subClashEnable'),
  ...of('formats', 'code', 'subClashPath', 'subClashURI'),
  ...of('formats', 'text', 'subEnableRouting'),
  ...of('formats', 'long', 'subRoutingRules'),
  ...of('limits', 'text', 'pollSeconds', 'coreSplice', 'restartCoreOnClientDisable'),
  ...of('limits', 'text', 'ipLimitGraceSeconds', 'ipLimitKeep', 'externalTrafficInformEnable'),
  ...of('limits', 'code', 'externalTrafficInformURI'),
  ...of('data', 'schedule', 'backupSchedule'),
  ...of('data', 'text', 'backupKeep', 'backupPassphrase', 'eraseDeletedAfterDays', 'measuredRetentionHours'),
  ...of('data', 'schedule', 'geoUpdateSchedule'),
  ...of('proof', 'code', 'proofWebhook', 'proofFile', 'proofGit', 'proofPanel', 'proofPanelToken'),
  ...of('proof', 'text', 'proofChat'),
  ...of('bot', 'text', 'chatBotEnable', 'chatBotToken'),
  ...of('bot', 'code', 'chatBotChatId'),
  ...of('bot', 'text', 'chatBotLang'),
  ...of('bot', 'schedule', 'chatBotRunTime'),
  ...of('bot', 'text', 'chatBotBackup', 'chatBotLoginNotify', 'chatBotCpu', 'expireDiff', 'trafficDiff'),
  ...of('bot', 'code', 'chatBotProxy', 'chatBotAPIServer'),
  ...of('directory', 'text', 'ldapEnable'),
  ...of('directory', 'code', 'ldapHost', 'ldapPort'),
  ...of('directory', 'text', 'ldapUseTLS'),
  ...of('directory', 'code', 'ldapBindDN', 'ldapPassword', 'ldapBaseDN', 'ldapUserFilter', 'ldapUserAttr'),
  ...of('directory', 'code', 'ldapVlessField', 'ldapFlagField', 'ldapTruthyValues'),
  ...of('directory', 'text', 'ldapInvertFlag'),
  ...of('directory', 'schedule', 'ldapSyncCron'),
  ...of('directory', 'code', 'ldapInboundTags'),
  ...of('directory', 'text', 'ldapAutoCreate', 'ldapAutoDelete'),
  ...of('directory', 'text', 'ldapDefaultTotalGB', 'ldapDefaultExpiryDays', 'ldapDefaultLimitIP'),
  ...of('api', 'text', 'apiTokenEnable', 'apiDialect'),
  ...of('api', 'code', 'wgprov', 'vpnprov'),
};

export const fieldKeys = Object.keys(fields) as readonly FieldKey[];

export type Value = string | number | boolean | readonly string[];

/** A setting as the panel describes it, or a secret, of which only its presence is known. */
export type Field =
  | { readonly key: SettingKey; readonly secret: false; readonly source: SettingSource; readonly value: Value }
  | { readonly key: SecretKey; readonly secret: true; readonly isSet: boolean };

export function fieldOf(key: FieldKey, { settings, secrets }: SettingSources): Field {
  if (key in secrets) return { key: key as SecretKey, secret: true, isSet: secrets[key as SecretKey] };
  const source = settings[key as SettingKey];
  return { key: key as SettingKey, secret: false, source, value: source.value as Value };
}

export const sameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
