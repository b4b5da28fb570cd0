import { type Auth, post, routes } from './route.js';

const shared = (auth: Auth) => ({
  restartPanel: post('/restartPanel', {
    summary: 'Make both servers anew from the settings, after 3 seconds; core, sessions and connections go on',
    auth,
  }),
});

/** The panel itself. */
export const panelRoutes = routes('/panel/setting', shared('session'));

/** The same at the paths of later panels, also with the Bearer token. */
export const panelApiRoutes = routes('/panel/api/setting', shared('panel'));
