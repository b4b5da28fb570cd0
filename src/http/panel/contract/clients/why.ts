import { z } from 'zod';
import { get, routes } from '../route.js';
import { TextCode } from '../schemas/text-code.js';

const Event = z.object({ at: z.int(), position: z.int(), by: z.string(), byCode: TextCode });
const Place = z.object({ id: z.int(), tag: z.string(), remark: z.string() });
const HistoryEntry = z.object({
  position: z.int(),
  at: z.int(),
  type: z.string(),
  what: z.string(),
  whatCode: TextCode,
  by: z.string(),
  byCode: TextCode,
  because: z.object({ position: z.int(), type: z.string() }).nullable(),
});

const Also = z.object({
  status: z.string(),
  rule: z.string(),
  ruleCode: TextCode,
  since: Event.nullable(),
  remedies: z.array(z.string()),
  remedyCodes: z.array(TextCode),
});

/** Questions about one client that only an event log can answer. */
export const clientWhyRoutes = routes('/panel/api/clients', {
  why: get('/:email/why', {
    leader: true,
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary:
      'Get the state of a client, including deleted ones: the rules behind it, since when, by whom, and how to fix it',
    params: z.object({ email: z.string() }),
    reply: z.object({
      email: z.string(),
      inbound: Place,
      status: z.string(),
      mayConnect: z.boolean(),
      rule: z.string(),
      ruleCode: TextCode,
      since: Event.nullable(),
      remedies: z.array(z.string()),
      remedyCodes: z.array(TextCode),
      /** Other rules that apply too, by precedence: each of them must be resolved as well. */
      also: z.array(Also),
      /** The same for its other inbounds, when one email is in several. */
      siblings: z.array(
        z.object({
          inbound: Place,
          status: z.string(),
          mayConnect: z.boolean(),
          rule: z.string(),
          ruleCode: TextCode,
        }),
      ),
      /** Deleted clients with this email, the last deleted first. */
      earlier: z.array(z.object({ client: z.int(), since: Event })),
      /** Oldest first. */
      story: z.array(HistoryEntry),
    }),
  }),
});
