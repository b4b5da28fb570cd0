import { z } from 'zod';
import { issue } from '../../../messages/issue.js';
import { get, routes } from './route.js';
import { text, whole } from './schemas/fields.js';

const Bytes = z.object({ up: z.int(), down: z.int() });

/** The accounts of a client. */
export const clientStatementRoutes = routes('/panel/api/clients', {
  statement: get('/:email/statement', {
    summary:
      'What a client used between two days, by day and machine, and all that set its counter, from the opening to the closing balance; as CSV with ?format=csv or Accept: text/csv',
    params: z.object({ email: z.string() }),
    query: z.object({
      /** A day as 2026-03-31, or ms since 1970 in it; empty = the first of the month. */
      from: text,
      /** The same, included; empty = today. */
      to: text,
      format: z.enum(['', 'json', 'csv'], issue('input.notOneOf', { known: ['json', 'csv'] })).default(''),
      /** The number of one client of this email, also of a deleted one; 0 = of all who have it, or who was deleted last. */
      client: whole({ min: 0 }),
    }),
    reply: z.object({
      email: z.string(),
      /** Whose midnights part the days. */
      zone: z.string(),
      from: z.string(),
      to: z.string(),
      clients: z.array(z.object({ client: z.int(), inbound: z.string(), since: z.int(), until: z.int().nullable() })),
      opening: Bytes,
      used: Bytes,
      /** By resets, adjustments, imports and what was taken over; negative where bytes were taken away. */
      changed: Bytes,
      /** opening + used + changed */
      closing: Bytes,
      /** What the counter says now; null where the days end before today, or something stands in days to come. */
      counter: Bytes.nullable(),
      days: z.array(
        z.object({
          date: z.string(),
          sources: z.array(
            z.object({ source: z.string(), client: z.int(), inbound: z.string(), up: z.int(), down: z.int() }),
          ),
          entries: z.array(
            z.object({
              at: z.int(),
              position: z.int(),
              client: z.int(),
              kind: z.string(),
              rule: z.string(),
              what: z.string(),
              by: z.string(),
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
