import { z } from 'zod';
import { get, post, routes } from '../route.js';

const prefix = '/panel/api/server';

/** The core process. */
export const coreControlRoutes = routes(prefix, {
  getConfigJson: get('/getConfigJson', {
    permission: { resource: 'core', action: 'read' },
    summary: 'Get the whole configuration of the core',
    reply: z.record(z.string(), z.unknown()),
  }),
  stopCoreService: post('/stopCoreService', {
    permission: { resource: 'core', action: 'run' },
    summary: 'Stop the core; all proxies go offline',
    aliases: [`${prefix}/stopXrayService`],
  }),
  restartCoreService: post('/restartCoreService', {
    permission: { resource: 'core', action: 'run' },
    summary: 'Restart the core; it keeps running unchanged if the configuration is invalid',
    aliases: [`${prefix}/restartXrayService`],
  }),
});
