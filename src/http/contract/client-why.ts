import { z } from 'zod';
import { get, routes } from './route.js';

const Event = z.object({ at: z.int(), position: z.int(), by: z.string() });
const Place = z.object({ id: z.int(), tag: z.string(), remark: z.string() });
const Chapter = z.object({
  position: z.int(),
  at: z.int(),
  type: z.string(),
  what: z.string(),
  by: z.string(),
  because: z.object({ position: z.int(), type: z.string() }).nullable(),
});

/** Questions about one client that only a log can answer. */
export const clientWhyRoutes = routes('/panel/api/clients', {
  why: get('/:email/why', {
    summary: 'In which state a client is, by which rule and since when, who caused it, and what would change it',
    params: z.object({ email: z.string() }),
    reply: z.object({
      email: z.string(),
      inbound: Place,
      standing: z.string(),
      mayConnect: z.boolean(),
      rule: z.string(),
      since: Event.nullable(),
      remedies: z.array(z.string()),
      /** The same of its other inbounds, when one email is in several. */
      siblings: z.array(z.object({ inbound: Place, standing: z.string(), mayConnect: z.boolean(), rule: z.string() })),
      /** The newest last. */
      story: z.array(Chapter),
    }),
  }),
});
