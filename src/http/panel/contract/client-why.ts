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

const Also = z.object({
  standing: z.string(),
  rule: z.string(),
  since: Event.nullable(),
  remedies: z.array(z.string()),
});

/** Questions about one client that only a log can answer. */
export const clientWhyRoutes = routes('/panel/api/clients', {
  why: get('/:email/why', {
    summary:
      'In which state a client is, also a deleted one, by which rules and since when, who caused it, and what would change it',
    params: z.object({ email: z.string() }),
    reply: z.object({
      email: z.string(),
      inbound: Place,
      standing: z.string(),
      mayConnect: z.boolean(),
      rule: z.string(),
      since: Event.nullable(),
      remedies: z.array(z.string()),
      /** What holds as well, in the order in which it counts: each of these has to be changed too. */
      also: z.array(Also),
      /** The same of its other inbounds, when one email is in several. */
      siblings: z.array(z.object({ inbound: Place, standing: z.string(), mayConnect: z.boolean(), rule: z.string() })),
      /** Clients of this email that were deleted before, the last of them first. */
      earlier: z.array(z.object({ client: z.int(), since: Event })),
      /** The newest last. */
      story: z.array(Chapter),
    }),
  }),
});
