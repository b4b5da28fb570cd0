import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, type KnownAuth, post, routes } from '../route.js';
import { body, isRecord, plainText, requiredText } from '../schemas/fields.js';
import { Session } from '../schemas/session.js';
import { TextCode } from '../schemas/text-code.js';

/** Maximum members of a change. There are fewer settings, counting all of their names. */
const MAX_CHANGES = 500;

const Settings = z.record(z.string(), z.unknown());
/** Any members. An unknown setting is rejected by name. */
const changes = z.preprocess(
  // Reads no more members than are needed to see that there are too many.
  (value) => (isRecord(value) ? Object.fromEntries(Object.entries(value).slice(0, MAX_CHANGES + 1)) : {}),
  z
    .record(z.string(), z.unknown())
    .refine(
      (value) => Object.keys(value).length <= MAX_CHANGES,
      issue('input.tooManySettings', { limit: MAX_CHANGES }),
    ),
);

const Environment = z.record(z.string(), z.object({ variable: z.string(), value: z.union([z.string(), z.number()]) }));

/** What remains to be done after a change, or what is wrong with it; null = nothing. */
const Notes = z
  .object({
    /** Only in a refusal because of settings: which of them are wrong, and why. */
    errors: z.array(z.object({ key: z.string(), why: z.string(), code: TextCode })).optional(),
    /** Settings that take effect after a restart of the panel. */
    restart: z.array(z.string()).optional(),
    /** Settings that a flag or a variable overrides, so the change has no effect. */
    environment: Environment.optional(),
    /** Set when a setup of two-factor login starts: the token, to be confirmed by a code, and the same as a URL for an app. */
    twoFactorToken: z.string().optional(),
    otpauthUrl: z.string().optional(),
    /** An SVG document. */
    qr: z.string().optional(),
  })
  .nullable();

/** The settings that are shown beside the inbounds. */
export const PageSettings = z.object({
  expireDiff: z.number(),
  trafficDiff: z.number(),
  pageSize: z.number(),
  defaultCert: z.string(),
  defaultKey: z.string(),
  chatBotEnable: z.boolean(),
  tgBotEnable: z.boolean(),
  subEnable: z.boolean(),
  subJsonEnable: z.boolean(),
  subClashEnable: z.boolean(),
  subTitle: z.string(),
  subURI: z.string(),
  subJsonURI: z.string(),
  subClashURI: z.string(),
  remarkModel: z.string(),
  datepicker: z.string(),
  ipLimitEnable: z.boolean(),
});
export type PageSettings = z.output<typeof PageSettings>;

const shared = (auth: KnownAuth) => ({
  all: post('/all', {
    permission: { resource: 'settings', action: 'read' },
    summary: 'Get all settings; for secrets, only whether they are set',
    auth,
    reply: Settings,
  }),
  update: post('/update', {
    permission: { resource: 'settings', action: 'update' },
    summary: 'Change settings; all are checked before any is saved. An empty secret is unchanged',
    auth,
    body: changes,
    reply: Notes,
  }),
  defaultSettings: post('/defaultSettings', {
    permission: { resource: 'settings', action: 'read' },
    summary: 'Get the settings that the pages of 3x-ui need, with addresses derived from the request',
    auth,
    reply: PageSettings,
  }),
  getDefaultJsonConfig: get('/getDefaultJsonConfig', {
    permission: { resource: 'settings', action: 'read' },
    summary: 'Get the built-in core template',
    auth,
    reply: Settings,
  }),
});

/** Settings, for browser sessions. */
export const settingRoutes = routes('/panel/setting', {
  ...shared('session'),
  secret: post('/secret', {
    permission: { resource: 'secrets', action: 'update' },
    summary: 'Set one secret setting by its key; an empty value removes it',
    auth: 'session',
    body: body({ key: plainText, value: requiredText, twoFactorCode: plainText }),
  }),
  getApiToken: get('/getApiToken', {
    permission: { resource: 'tokens', action: 'read' },
    summary: 'Get the Bearer token; it is created on the first read',
    auth: 'session',
    reply: z.string(),
  }),
  regenerateApiToken: post('/regenerateApiToken', {
    permission: { resource: 'tokens', action: 'update' },
    summary: 'Replace the Bearer token; the old one stops working',
    auth: 'session',
    reply: z.string(),
  }),
});

/** The same at the paths of later panels, also with the Bearer token. */
export const settingApiRoutes = routes('/panel/api/setting', shared('panel'));

/** The account of the logged-in user. */
export const accountRoutes = routes('/panel/setting', {
  updateUser: post('/updateUser', {
    permission: { resource: 'account', action: 'update' },
    summary: 'Change user name and password; other sessions end',
    auth: 'session',
    aliases: ['/panel/api/setting/updateUser'],
    body: body({ oldUsername: plainText, oldPassword: plainText, newUsername: plainText, newPassword: plainText }),
  }),
  account: get('/account', {
    permission: { resource: 'account', action: 'read' },
    summary: 'Get the name of the logged-in user, and whether two-factor login is enabled',
    auth: 'session',
    reply: z.object({ username: z.string(), twoFactorEnable: z.boolean() }),
  }),
  sessions: get('/sessions', {
    permission: { resource: 'account', action: 'read' },
    summary: 'Get the sessions of the logged-in user, the newest first',
    auth: 'session',
    reply: z.array(Session),
  }),
  endSession: post('/sessions/end', {
    permission: null,
    summary: 'End one session of the logged-in user',
    auth: 'session',
    body: body({ id: plainText }),
  }),
  endOtherSessions: post('/sessions/endOthers', {
    permission: null,
    summary: 'End all other sessions of the logged-in user',
    auth: 'session',
  }),
});
