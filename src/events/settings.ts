import { z } from 'zod';
import { defineEvent, type EventOf } from './event.js';

const port = z.int().min(1).max(65535);
/** One line of Latin-1 text: it ends up in a response header. */
const headerText = z.string().regex(/^[\x20-\x7e\xa0-\xff]*$/, 'must be one line of Latin-1 text');
const path = z
  .string()
  .regex(/^[\w\-./~]*$/, 'may hold letters, digits and - . _ ~ / only')
  .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), 'may not climb with . or ..')
  .transform((value) => `/${value}/`.replace(/\/{2,}/g, '/'));
const url = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]);
const cidr = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);
const address = z.union([z.literal(''), z.ipv4(), z.ipv6()]);

/** Every setting of the panel: its schema and its default. A key that is not here cannot be set. */
export const settingsTable = {
  webListen: address.default(''),
  webPort: port.default(2053),
  webBasePath: path.default('/'),
  webDomain: z.string().default(''),
  /** Minutes; 0 = until the browser closes (the server ends it after a day). */
  sessionMaxAge: z.int().min(0).max(525_600).default(360),
  trustedProxyCIDRs: z
    .union([
      z.array(cidr),
      z
        .string()
        .transform((text) =>
          text
            .split(',')
            .map((item) => item.trim())
            .filter(Boolean),
        )
        .pipe(z.array(cidr)),
    ])
    .default(['127.0.0.0/8', '::1/128']),
  subEnable: z.boolean().default(true),
  subListen: address.default(''),
  subPort: port.default(10882),
  subPath: path.default('/sub/'),
  subDomain: z
    .string()
    .regex(/^[\w.\-:]*$/)
    .default(''),
  subTitle: z.string().max(200).default(''),
  subSupportUrl: headerText.default(''),
  subProfileUrl: headerText.default(''),
  subAnnounce: z.string().max(1000).default(''),
  /** Hours between two fetches that a client app should wait. */
  subUpdates: z.int().min(1).max(8760).default(12),
  subEncrypt: z.boolean().default(true),
  subShowInfo: z.boolean().default(true),
  subEnableRouting: z.boolean().default(true),
  subRoutingRules: headerText.default(''),
  subURI: url.default(''),
  remarkModel: z.string().max(4).default('-ieo'),
  /** Which shape is answered where the specification and 3x-ui clash. */
  apiDialect: z.enum(['spec', '3x-ui']).default('spec'),
  /** Splicing hides live bytes from the counters, so that caps act late. */
  coreSplice: z.boolean().default(false),
  /** Seconds between two readings of the core's counters. */
  pollSeconds: z.int().min(1).max(60).default(5),
  /** Hours after which measured payloads are rolled up. */
  measuredRetentionHours: z.int().min(1).max(8760).default(48),
  /** Days after which the data of a deleted client is destroyed for good. */
  eraseDeletedAfterDays: z.int().min(0).max(3650).default(30),
} as const satisfies Record<string, z.ZodType>;

export type SettingKey = keyof typeof settingsTable;
export type Settings = { readonly [K in SettingKey]: z.output<(typeof settingsTable)[K]> };

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

/** The settings as they are when nothing was ever changed. */
export const defaultSettings: Settings = Object.fromEntries(
  settingKeys.map((key) => [key, settingsTable[key].parse(undefined)]),
) as unknown as Settings;

export const SettingsChanged = defineEvent('SettingsChanged', {
  summary:
    'Settings of the panel changed; only what changed is named. Keys and values are those of the settings table.',
  data: z.strictObject({ changes: z.record(z.string(), z.json()) }),
  stream: () => 'settings',
});

export const settingsEvents = [SettingsChanged] as const;
export type SettingsEvent = EventOf<(typeof settingsEvents)[number]>;
