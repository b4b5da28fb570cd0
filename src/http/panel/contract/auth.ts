import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, plainText } from './schemas/fields.js';

/** Login and logout. */
export const authRoutes = routes('', {
  login: post('/login', {
    permission: null,
    summary: 'Log in; sets the session cookie',
    auth: 'none',
    body: body({ username: plainText, password: plainText, twoFactorCode: plainText }),
  }),
  logout: post('/logout', {
    permission: null,
    summary: 'End the session',
    auth: 'session',
  }),
  csrfToken: get('/csrf-token', {
    permission: null,
    summary: 'Get the CSRF token of this session',
    auth: 'none',
    reply: z.string(),
  }),
  getTwoFactorEnable: post('/getTwoFactorEnable', {
    permission: null,
    summary: 'Get whether two-factor login is enabled',
    auth: 'none',
    reply: z.boolean(),
  }),
});
