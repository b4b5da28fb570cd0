import { z } from 'zod';
import { get, post, routes } from '../route.js';
import { body, plainText } from '../schemas/fields.js';
import { TextCode } from '../schemas/text-code.js';

/** Where the value of a setting comes from, and what it may be. */
export const SettingSource = z
  .object({
    source: z.enum(['flag', 'environment', 'log', 'default']),
    /** The flag or the variable that overrides the setting; null = none does. */
    variable: z.string().nullable(),
    /** The saved value, or the one that overrides it. */
    value: z.unknown(),
    default: z.unknown(),
    /** A change takes effect when the servers restart. */
    atRestart: z.boolean(),
    /** It was changed since the servers started. */
    pending: z.boolean(),
    /** Limits of numbers, the maximum length of texts, and the choices of a list; null = none. */
    min: z.number().nullable(),
    max: z.number().nullable(),
    maxLength: z.number().nullable(),
    choices: z.array(z.string()).nullable(),
    /** What a change needs: settings that decide who may log in need `secrets:update`. */
    permission: z.enum(['settings:update', 'secrets:update']),
  })
  .meta({ id: 'SettingSource' });

/** Where the web server of the panel is reached. */
const PanelAddress = z
  .object({ port: z.number(), tls: z.boolean(), basePath: z.string(), domain: z.string() })
  .meta({ id: 'PanelAddress' });

export const settingPlaces = {
  /** Now, and after a restart of the servers. */
  current: PanelAddress,
  next: PanelAddress,
};

export const settingDetailRoutes = routes('/panel/api/setting', {
  sources: get('/sources', {
    permission: { resource: 'settings', action: 'read' },
    summary:
      'Get the source, the default and the limits of each setting, and where the panel is reached after a restart',
    reply: z.object({
      settings: z.record(z.string(), SettingSource),
      /** Whether each secret is set. */
      secrets: z.record(z.string(), z.boolean()),
      ...settingPlaces,
    }),
  }),
  setup: get('/setup', {
    permission: { resource: 'settings', action: 'read' },
    summary: 'Get which steps of the first set-up are done',
    reply: z.object({
      /** The password was changed since the first start. */
      password: z.boolean(),
      /** The panel is not at the root. */
      basePath: z.boolean(),
      certificate: z.boolean(),
      inbound: z.boolean(),
    }),
  }),
  checkCertificate: post('/checkCertificate', {
    permission: { resource: 'settings', action: 'read' },
    summary: 'Check certificate files on the server before they are saved; changes nothing',
    body: body({ certFile: plainText, keyFile: plainText }),
    reply: z.object({
      /** Why the server cannot use the files; null when it can. */
      problem: z.string().nullable(),
      problemCode: TextCode,
      /** Names of the certificate, and its times in ms since 1970; null if the files are not a pair. */
      certificate: z
        .object({
          names: z.array(z.string()),
          notBefore: z.number(),
          notAfter: z.number(),
          /** SHA-256 in hex. */
          fingerprint: z.string(),
        })
        .nullable(),
    }),
  }),
  previewSubscriptionPage: get('/previewSubscriptionPage', {
    permission: { resource: 'settings', action: 'read' },
    summary:
      'Get the subscription page of a made-up client, with texts that are not saved yet; for a frame of the panel',
    query: z.object({ title: plainText, announce: plainText, supportUrl: plainText, lang: plainText }),
    media: 'text/html',
    reply: z.string(),
  }),
});
