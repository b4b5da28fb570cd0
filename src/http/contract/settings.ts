import { z } from 'zod';
import { type Auth, get, post, routes } from './route.js';
import { body, isRecord, plainText } from './schemas/fields.js';

const Settings = z.record(z.string(), z.unknown());
/** Any members; those that name no setting are passed over. */
const changes = z.preprocess((value) => (isRecord(value) ? value : {}), z.record(z.string(), z.unknown()));

const shared = (auth: Auth) => ({
  all: post('/all', { summary: 'All settings; of a secret only whether it is set', auth, reply: Settings }),
  update: post('/update', {
    summary: 'Change settings; all of them are checked before any is written',
    auth,
    body: changes,
  }),
  defaultSettings: post('/defaultSettings', {
    summary: 'What the pages need of the settings, with addresses made from the request',
    auth,
    reply: Settings,
  }),
  getDefaultJsonConfig: get('/getDefaultJsonConfig', { summary: 'The built-in core template', auth, reply: Settings }),
});

/** Settings for a browser. */
export const settingRoutes = routes('/panel/setting', {
  ...shared('session'),
  getApiToken: get('/getApiToken', {
    summary: 'The Bearer token; made on the first read',
    auth: 'session',
    reply: z.string(),
  }),
  regenerateApiToken: post('/regenerateApiToken', {
    summary: 'Replace the Bearer token; the old one stops working',
    auth: 'session',
    reply: z.string(),
  }),
});

/** The same where clients of later panels look for it, also with the Bearer token. */
export const settingApiRoutes = routes('/panel/api/setting', shared('panel'));

/** The account of the logged-in user. */
export const accountRoutes = routes('/panel/setting', {
  updateUser: post('/updateUser', {
    summary: 'Change user name and password; other sessions end',
    auth: 'session',
    aliases: ['/panel/api/setting/updateUser'],
    body: body({ oldUsername: plainText, oldPassword: plainText, newUsername: plainText, newPassword: plainText }),
  }),
});
