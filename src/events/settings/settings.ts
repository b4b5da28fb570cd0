import { z } from 'zod';
import { issue } from '../../messages/issue.js';
import { KeyVersion } from '../fields.js';
import { keeps, MIN_GRACE_S } from '../ip-limit.js';
import { defineEvent } from '../log/event.js';
import {
  address,
  appText,
  cidrs,
  file,
  host,
  httpsUrl,
  jsonText,
  line,
  link,
  optionalSchedule,
  path,
  port,
  prose,
  schedule,
  timeZone,
  url,
  urls,
  whole,
} from './setting-fields.js';

/** Languages of the bot, as 3x-ui names them. English is used for a language without a translation. */
const botLanguages = [
  ...(['en-US', 'fa-IR', 'ru-RU', 'zh-CN', 'zh-TW', 'ar-EG', 'es-ES'] as const),
  ...(['id-ID', 'ja-JP', 'pt-BR', 'tr-TR', 'uk-UA', 'vi-VN'] as const),
] as const;

/** Numbers of chats, each with its admin if it belongs to one: `71, 72=maria`. Only a person can be an admin, not a group. */
const CHATS = /^((-?\d+ *|\d+ *= *[^, ][^,]*)(, *(-?\d+ *|\d+ *= *[^, ][^,]*))*)?$/;

/** All settings that may be read, with schema and default. Keys that are neither here nor below cannot be set. */
export const settingsTable = {
  webListen: address.default(''),
  webPort: port.default(2053),
  webBasePath: path.default('/'),
  webDomain: host.default(''),
  webCertFile: file.default(''),
  webKeyFile: file.default(''),
  /** Minutes; 0 = until the browser closes (the server ends it after a day). */
  sessionMaxAge: whole(0, 525_600, 360),
  trustedProxyCIDRs: cidrs.default(['127.0.0.0/8', '::1/128']),
  twoFactorEnable: z.boolean().default(false),
  /** Whether the API token is valid. Access tokens do not depend on it. */
  apiTokenEnable: z.boolean().default(true),
  timeLocation: timeZone.default('Local'),
  datepicker: z
    .enum(['gregorian', 'jalalian'], issue('input.notOneOf', { known: ['gregorian', 'jalalian'] }))
    .default('gregorian'),
  /** Rows of a page of a table; 0 = all. */
  pageSize: whole(0, 10_000, 25),
  /** Days before its expiry at which a client is shown as about to expire; 0 = never. */
  expireDiff: whole(0, 3650, 0),
  /** GB (1024³ bytes) below its cap at which a client is shown as about to be depleted; 0 = never. */
  trafficDiff: whole(0, 1_000_000, 0),
  remarkModel: z
    .string()
    .max(4, issue('input.tooLong', { limit: 4 }))
    .default('-ieo'),
  externalTrafficInformEnable: z.boolean().default(false),
  externalTrafficInformURI: url.default(''),
  /** Restart the core if connections of a client that may no longer connect cannot be closed otherwise. */
  restartCoreOnClientDisable: z.boolean().default(true),

  chatBotEnable: z.boolean().default(false),
  chatBotAPIServer: url.default(''),
  chatBotChatId: z
    .string()
    .max(1000, issue('input.tooLong', { limit: 1000 }))
    .regex(CHATS, issue('settings.notChatList'))
    .default(''),
  chatBotRunTime: schedule.default('@daily'),
  chatBotBackup: z.boolean().default(false),
  chatBotLoginNotify: z.boolean().default(true),
  /** CPU usage in percent above which the bot warns; 0 = never. */
  chatBotCpu: whole(0, 100, 80),
  chatBotLang: z.enum(botLanguages, issue('input.notOneOf', { known: botLanguages })).default('en-US'),

  subEnable: z.boolean().default(true),
  subListen: address.default(''),
  subPort: port.default(10_882),
  subPath: path.default('/sub/'),
  subDomain: host.default(''),
  subCertFile: file.default(''),
  subKeyFile: file.default(''),
  subTitle: line(200).default(''),
  subSupportUrl: link.default(''),
  subProfileUrl: link.default(''),
  subAnnounce: prose(1000).default(''),
  /** Hours between two updates of a client app. */
  subUpdates: whole(1, 8760, 12),
  subEncrypt: z.boolean().default(true),
  subShowInfo: z.boolean().default(true),
  subEnableRouting: z.boolean().default(true),
  /** Sent in one header of at most 4 KB. */
  subRoutingRules: appText(4096).default(''),
  /** The first one is shown; the others are for users who cannot reach it. */
  subURI: urls.default(''),
  subJsonEnable: z.boolean().default(false),
  subJsonPath: path.default('/json/'),
  subJsonURI: url.default(''),
  subJsonFragment: jsonText('object').default(''),
  subJsonNoises: jsonText('list').default(''),
  subJsonMux: jsonText('object').default(''),
  subJsonRules: jsonText('list').default(''),
  subClashEnable: z.boolean().default(true),
  subClashPath: path.default('/clash/'),
  subClashURI: url.default(''),

  ldapEnable: z.boolean().default(false),
  ldapHost: host.default(''),
  ldapPort: port.default(389),
  ldapUseTLS: z.boolean().default(false),
  ldapBindDN: line(500).default(''),
  ldapBaseDN: line(500).default(''),
  ldapUserFilter: line(1000).default('(objectClass=person)'),
  ldapUserAttr: line(100).default('mail'),
  ldapVlessField: line(100).default('vless_enabled'),
  ldapFlagField: line(100).default(''),
  ldapTruthyValues: line(500).default('true,1,yes,on'),
  ldapInvertFlag: z.boolean().default(false),
  ldapSyncCron: schedule.default('@every 1m'),
  /** Tags, separated by commas. */
  ldapInboundTags: line(2000).default(''),
  ldapAutoCreate: z.boolean().default(false),
  ldapAutoDelete: z.boolean().default(false),
  /** GB (1024³ bytes); 0 = no cap. */
  ldapDefaultTotalGB: whole(0, 1_000_000, 0),
  ldapDefaultExpiryDays: whole(0, 36_500, 0),
  ldapDefaultLimitIP: whole(0, 10_000, 0),

  backupSchedule: schedule.default('@daily'),
  /** Number of scheduled backups to keep; 0 = no backups are made. */
  backupKeep: whole(0, 1000, 7),

  /** Where signed heads of the log are published; empty = not there. A failing place does not affect the log. */
  proofWebhook: httpsUrl.default(''),
  proofChat: z.boolean().default(false),
  /** Outside of the data directory; heads are appended. */
  proofFile: file.default(''),
  /** The work tree of a git repository; each head is a commit. */
  proofGit: file.default(''),
  /** The address of another Portolan with its base path. */
  proofPanel: url.default(''),

  /** The shape of API answers where the specification and 3x-ui differ. */
  apiDialect: z.enum(['spec', '3x-ui'], issue('input.notOneOf', { known: ['spec', '3x-ui'] })).default('spec'),
  /** With splicing, counters are updated when a connection ends, so caps take effect late. */
  coreSplice: z.boolean().default(false),
  /** Seconds between two polls of the core's counters. */
  pollSeconds: whole(1, 60, 5),
  /** Seconds for which a client may have too many addresses, because a phone may change its network. */
  ipLimitGraceSeconds: whole(MIN_GRACE_S, 3600, 30),
  /** Which addresses stay allowed when a client has too many. */
  ipLimitKeep: z.enum(keeps, issue('settings.notKeep')).default('newest'),
  /** Hours after which measured payloads are rolled up. */
  measuredRetentionHours: whole(1, 8760, 48),
  /** Days after which the data of deleted clients, inbounds and nodes, and of former core templates, is erased. */
  eraseDeletedAfterDays: whole(0, 3650, 30),
  /** When geo sources are updated; empty = only by an admin. */
  geoUpdateSchedule: optionalSchedule.default(''),
} as const satisfies Record<string, z.ZodType>;

export type SettingKey = keyof typeof settingsTable;
export type Settings = { readonly [K in SettingKey]: z.output<(typeof settingsTable)[K]> };

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

/** The default of each setting. */
export const defaultSettings: Settings = z.object(settingsTable).parse({});

/** Settings that can be written but not read. Each has its own data key; empty = not set. */
export const secretsTable = {
  twoFactorToken: z
    .string()
    .transform((text) => text.replace(/[\s=]/g, '').toUpperCase())
    .pipe(z.string().regex(/^([A-Z2-7]{16,128})?$/, issue('settings.notBase32'))),
  chatBotToken: line(200),
  /** May contain a user name and a password. */
  chatBotProxy: z
    .string()
    .max(2048, issue('input.tooLong', { limit: 2048 }))
    .regex(/^(socks5:\/\/\S+)?$/, issue('settings.notSocksProxy')),
  ldapPassword: z.string().max(1000, issue('input.tooLong', { limit: 1000 })),
  backupPassphrase: z.string().max(1000, issue('input.tooLong', { limit: 1000 })),
  /** A token of the panel in `proofPanel`, with the permission `proof:create`. */
  proofPanelToken: line(200),
  /** The registration at the tunnel provider, as JSON. */
  wgprov: jsonText('object'),
  /** The registration at the VPN provider, as JSON. */
  vpnprov: jsonText('object'),
} as const satisfies Record<string, z.ZodType<string>>;

export type SecretKey = keyof typeof secretsTable;
export type Secrets = Readonly<Record<SecretKey, string>>;
export const secretKeys = Object.keys(secretsTable) as readonly SecretKey[];
export const noSecrets: Secrets = Object.fromEntries(secretKeys.map((key) => [key, ''])) as Record<SecretKey, string>;

export const SettingsChanged = defineEvent('SettingsChanged', {
  summary: 'Settings of the panel changed. Only changed settings are listed.',
  recordedBy: {
    ChangeSettings: 'an admin or an operator changes settings',
    SwitchOffTwoFactor: 'an operator disables two-factor login',
    AdoptState: 'settings keep the value that they had on this machine before a restore',
    ImportPanel: 'the imported database has settings',
  },
  data: z.strictObject({
    changes: z.record(z.string(), z.json()).describe('The new values by [setting key](api.md#setting-keys).'),
  }),
  stream: () => 'settings',
});

export const SecretSettingChanged = defineEvent('SecretSettingChanged', {
  summary: 'A secret setting was set, replaced or removed. The previous value was destroyed.',
  recordedBy: {
    ChangeSettings: 'an admin sets or removes a secret setting',
    SwitchOffTwoFactor: 'an operator disables two-factor login, which removes `twoFactorToken`',
    ImportPanel: 'the imported database has the secret',
  },
  data: z.strictObject({
    key: z.enum(secretKeys as readonly [SecretKey, ...SecretKey[]]).describe('Key of the setting.'),
    keyVersion: KeyVersion,
    secret: z
      .strictObject({ value: z.string().describe('The new value; empty = it was removed.') })
      .describe('The value.'),
  }),
  stream: () => 'settings',
  seal: {
    secret: { key: (data) => secretSettingKey(data.key, data.keyVersion), erased: () => ({ value: '' }) },
  },
});

/** The name of the data key for a version of a secret setting. */
export function secretSettingKey(key: SecretKey, keyVersion: number): string {
  return `setting/${key}/${keyVersion}`;
}

export const settingsEvents = [SettingsChanged, SecretSettingChanged] as const;
