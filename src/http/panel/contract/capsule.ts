import { z } from 'zod';
import { get, routes } from './route.js';
import { plainText, whole } from './schemas/fields.js';

/** Parts of the log for bug reports. */
export const capsuleRoutes = routes('/panel/api/audit', {
  capsule: get('/capsule', {
    permission: { resource: 'audit', action: 'export' },
    summary:
      'Download a bug report: the events around a position or of a client, without names, addresses and secrets, for replay-capsule',
    query: z.object({
      /** Exactly one of these: a position, or the present or former email of a client, or its number as #12. */
      around: whole({ min: 0 }),
      client: plainText,
    }),
    reply: z.string(),
    media: 'application/octet-stream',
  }),
});
