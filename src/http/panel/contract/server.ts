import { z } from 'zod';
import { get, routes } from './route.js';
import { Status } from './schemas/status.js';

/** The machine of the panel. */
export const serverRoutes = routes('/panel/api/server', {
  status: get('/status', {
    summary: 'Load of the machine and state of the core, read every 2 seconds',
    reply: Status,
    hot: true,
  }),
  getWebCertFiles: get('/getWebCertFiles', {
    summary: 'Where the certificate of the panel and its key are, for another panel whose inbounds use them here',
    reply: z.object({ webCertFile: z.string(), webKeyFile: z.string() }),
  }),
});
