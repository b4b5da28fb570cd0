import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, routes } from '../route.js';
import { text, whole } from '../schemas/fields.js';
import { TextCode } from '../schemas/text-code.js';

const Bytes = z.object({ up: z.int(), down: z.int() });

/** The accounts of a client. */
export const clientStatementRoutes = routes('/panel/api/clients', {
  statement: get('/:email/statement', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary:
      'Get the traffic of a client between two days: usage by day and machine, every other change of its counter, and the opening and closing balance; as CSV with ?format=csv or Accept: text/csv',
    params: z.object({ email: z.string() }),
    query: z.object({
      /** A day as 2026-03-31, or ms since 1970 within it; empty = the first day of the month. */
      from: text,
      /** The last day, inclusive, in the same form; empty = today. */
      to: text,
      format: z.enum(['', 'json', 'csv'], issue('input.notOneOf', { known: ['json', 'csv'] })).default(''),
      /**
       * The number of one client with this email, which may be deleted; 0 = all current clients with the email, or the last
       * deleted one.
       */
      client: whole({ min: 0 }),
    }),
    reply: z.object({
      email: z.string(),
      /** The time zone of the days. */
      zone: z.string(),
      from: z.string(),
      to: z.string(),
      clients: z.array(
        z.object({
          client: z.int(),
          inbound: z.string(),
          inboundCode: TextCode,
          since: z.int(),
          until: z.int().nullable(),
        }),
      ),
      opening: Bytes,
      used: Bytes,
      /** Changes by resets, adjustments, imports and transfers; negative if bytes were removed. */
      changed: Bytes,
      /** opening + used + changed */
      closing: Bytes,
      /** The current counter; null when the range ends before today, or when there are entries after it. */
      counter: Bytes.nullable(),
      days: z.array(
        z.object({
          date: z.string(),
          sources: z.array(
            z.object({
              source: z.string(),
              sourceCode: TextCode,
              client: z.int(),
              inbound: z.string(),
              inboundCode: TextCode,
              up: z.int(),
              down: z.int(),
            }),
          ),
          entries: z.array(
            z.object({
              at: z.int(),
              position: z.int(),
              client: z.int(),
              kind: z.string(),
              rule: z.string(),
              what: z.string(),
              whatCode: TextCode,
              by: z.string(),
              byCode: TextCode,
              up: z.int(),
              down: z.int(),
            }),
          ),
          balance: Bytes,
        }),
      ),
    }),
  }),
});
