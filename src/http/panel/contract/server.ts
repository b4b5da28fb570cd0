import { z } from 'zod';
import { get, routes } from './route.js';
import { Status } from './schemas/status.js';

/** The machine of the panel. */
export const serverRoutes = routes('/panel/api/server', {
  status: get('/status', {
    permission: { resource: 'server', action: 'read' },
    summary: 'Get the load of the machine and the state of the core, updated every 2 seconds',
    reply: Status,
    hot: true,
  }),
  getWebCertFiles: get('/getWebCertFiles', {
    permission: { resource: 'server', action: 'read' },
    summary: 'Get the paths of the panel’s certificate and key, for a centre whose inbounds on this node use them',
    reply: z.object({ webCertFile: z.string(), webKeyFile: z.string() }),
  }),
});
