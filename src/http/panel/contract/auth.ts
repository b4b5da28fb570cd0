import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, plainText } from './schemas/fields.js';

/** Login and logout. */
export const authRoutes = routes('', {
  login: post('/login', {
    summary: 'Log in; sets the session cookie',
    auth: 'none',
    body: body({ username: plainText, password: plainText, twoFactorCode: plainText }),
  }),
  logout: post('/logout', { summary: 'End the session', auth: 'session' }),
  csrfToken: get('/csrf-token', {
    summary: 'The token that unsafe requests of this session carry',
    auth: 'none',
    reply: z.string(),
  }),
  getTwoFactorEnable: post('/getTwoFactorEnable', {
    summary: 'Whether a login needs a second factor',
    auth: 'none',
    reply: z.boolean(),
  }),
});
