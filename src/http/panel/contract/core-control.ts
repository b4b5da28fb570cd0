import { z } from 'zod';
import { get, post, routes } from './route.js';

const prefix = '/panel/api/server';

/** The core process. */
export const coreControlRoutes = routes(prefix, {
  getConfigJson: get('/getConfigJson', {
    summary: 'The whole configuration of the core',
    reply: z.record(z.string(), z.unknown()),
  }),
  stopCoreService: post('/stopCoreService', {
    summary: 'Stop the core; every proxy goes offline',
    aliases: [`${prefix}/stopXrayService`],
  }),
  restartCoreService: post('/restartCoreService', {
    summary: 'Restart the core; it keeps running unchanged when the configuration is invalid',
    aliases: [`${prefix}/restartXrayService`],
  }),
});
