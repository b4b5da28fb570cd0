import { type KnownAuth, post, routes } from './route.js';

const shared = (auth: KnownAuth) => ({
  restartPanel: post('/restartPanel', {
    permission: { resource: 'server', action: 'run' },
    summary: 'Restart both servers with the current settings after 3 seconds; core, sessions and connections continue',
    auth,
  }),
});

/** The panel itself. */
export const panelRoutes = routes('/panel/setting', shared('session'));

/** The same at the paths of later panels, also with the Bearer token. */
export const panelApiRoutes = routes('/panel/api/setting', shared('panel'));
