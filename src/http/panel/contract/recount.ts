import { z } from 'zod';
import { issue } from '../../../messages/issue.js';
import { post, routes } from './route.js';
import { body, optionalFlag, plainText, whole } from './schemas/fields.js';
import { Preview } from './schemas/preview.js';

const MAX_RULES = 100;
const MAX_LIMIT = 1000;

const day = z.string(issue('input.notString')).optional();

/** Which growth of counters is counted differently. The first rule that matches applies. */
const Rule = z
  .strictObject({
    /** Days of the panel's time zone such as 2026-03-31, both inclusive; absent = open. */
    from: day,
    to: day,
    /** Name of the node that measured it; `local` = the core of this panel; absent = any. */
    node: z.string(issue('input.notString')).optional(),
    /** Only growth of a client in one measurement above this many bytes, up plus down; absent = any. */
    moreThan: z.int().nonnegative().optional(),
    /** The matching growth is multiplied by this; 0 = it is not counted. */
    count: z.number().min(0).max(100),
  })
  .meta({ id: 'WrittenRecountRule' });

const asked = {
  rules: z.array(Rule).min(1, issue('recount.noRule')).max(MAX_RULES),
  /** Exactly one of these: the email of a client, the number of an inbound, or all clients. */
  client: plainText,
  inbound: whole({ min: 0 }),
  all: optionalFlag,
};

const Bytes = z.object({ up: z.int(), down: z.int() });

const Done = z
  .object({
    /** Position of the event of the recount; 0 = nothing had to change. It can be undone. */
    event: z.int(),
    /** Number of emails with other counters. */
    adjusted: z.int(),
    /** Number of clients that reached their caps, and of those that may connect again. */
    depleted: z.int(),
    reactivated: z.int(),
  })
  .meta({ id: 'RecountDone' });

/** Counting measured traffic again under other rules. */
export const recountRoutes = routes('/panel/api/audit/recount', {
  preview: post('/preview', {
    permission: { resource: 'audit', action: 'recount' },
    summary: 'Count the measured traffic of clients again under other rules, and show whose counters would change',
    body: body({
      ...asked,
      /** Events up to this position are counted; 0 = all. Give that of the first answer to get more of the same changes. */
      position: whole({ min: 0 }),
      skip: whole({ min: 0 }),
      /** 0 = 100 */
      limit: whole({ min: 0, max: MAX_LIMIT }),
    }),
    reply: z
      .object({
        position: z.int(),
        /** Number of emails whose counters would change, and their bytes together. */
        clients: z.int(),
        counted: Bytes,
        recounted: Bytes,
        /** Sums of older measurements to which a rule with `moreThan` could not be applied. They are counted whole. */
        unchecked: z.int(),
        /** The largest difference first. */
        changes: z.array(
          z.object({
            /** One of the clients with the email. */
            client: z.int(),
            email: z.string(),
            counted: Bytes,
            recounted: Bytes,
          }),
        ),
      })
      .meta({ id: 'RecountPreview' }),
  }),
  apply: post('/apply', {
    permission: { resource: 'audit', action: 'recount' },
    summary:
      'Set the counters of clients to what a recount gives, as one command; traffic that was measured since the preview is added. With `dryRun`, only show what would happen',
    body: body({
      ...asked,
      /** The position of the preview: the request is refused if counters were reset or set since. 0 = count now. */
      position: whole({ min: 0 }),
      dryRun: optionalFlag,
    }),
    reply: z.union([Done, Preview]),
  }),
});
