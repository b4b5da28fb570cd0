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

/** Questions about one client that only an event log can answer. */
export const clientWhyRoutes = routes('/panel/api/clients', {
  why: get('/:email/why', {
    summary:
      'Get the state of a client, including deleted ones: the rules behind it, since when, by whom, and what would change it',
    params: z.object({ email: z.string() }),
    reply: z.object({
      email: z.string(),
      inbound: Place,
      standing: z.string(),
      mayConnect: z.boolean(),
      rule: z.string(),
      since: Event.nullable(),
      remedies: z.array(z.string()),
      /** Other rules that apply too, by precedence: each of them must be resolved as well. */
      also: z.array(Also),
      /** The same for its other inbounds, when one email is in several. */
      siblings: z.array(z.object({ inbound: Place, standing: z.string(), mayConnect: z.boolean(), rule: z.string() })),
      /** Deleted clients with this email, the last deleted first. */
      earlier: z.array(z.object({ client: z.int(), since: Event })),
      /** Oldest first. */
      story: z.array(Chapter),
    }),
  }),
});
