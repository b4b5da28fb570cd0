import { z } from 'zod';
import { HEAD_SINKS } from './proof.js';
import { get, routes } from './route.js';
import { TextCode } from './schemas/text-code.js';

const Problem = { problem: z.string(), problemCode: TextCode };

/** What an admin should look at, beside the state of the core, the disk, the nodes and the backups. */
export const attentionRoutes = routes('/panel/api/server', {
  attention: get('/attention', {
    leader: true,
    permission: { resource: 'server', action: 'read' },
    summary:
      'Get the certificates of the two servers and of the inbounds, the inbounds that the core of this panel rejects, and the webhooks and signed heads that need attention',
    reply: z.object({
      certificates: z.array(
        z.object({
          server: z.enum(['panel', 'subscription']),
          /** When the certificate in use expires; ms, 0 = none was loaded. */
          expiresAt: z.int(),
          /** Why its newest files were rejected; empty = they were not. */
          ...Problem,
        }),
      ),
      /** When the first certificate of each inbound with TLS expires, in ms; files of other machines are not read. */
      inboundCertificates: z.array(z.object({ id: z.int(), remark: z.string(), tag: z.string(), expiresAt: z.int() })),
      refusedInbounds: z.array(z.object({ id: z.int(), remark: z.string(), tag: z.string(), ...Problem })),
      /** Webhooks whose receivers fail or are gone, or that have dead letters. */
      webhooks: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          /** Since when deliveries fail; ms, 0 = they do not. */
          failingSince: z.int(),
          /** The receiver answered 410 Gone. */
          gone: z.boolean(),
          deadLetters: z.int(),
          ...Problem,
        }),
      ),
      /** Places that do not accept signed heads. */
      failingHeadSinks: z.array(z.object({ sink: z.enum(HEAD_SINKS), name: z.string(), ...Problem })),
      /** Panels whose published heads contradict each other. */
      headConflicts: z.array(z.object({ panel: z.string(), position: z.int() })),
    }),
  }),
});
