import { z } from 'zod';
import { TextCode } from './text-code.js';

const Clients = z.object({
  count: z.int(),
  /** The first ones. */
  clients: z.array(z.object({ number: z.int(), email: z.string() })),
});

/** An event that would be appended. */
const PreviewedEvent = z.object({
  type: z.string(),
  group: z.string(),
  subject: z.object({ kind: z.string(), number: z.int(), name: z.string(), exists: z.boolean() }).nullable(),
  /** What would happen to the subject, in the language of the caller. */
  what: z.string(),
  whatCode: TextCode,
  /** As in the details of an event. */
  changes: z.array(
    z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional(), secret: z.boolean() }),
  ),
  /** As in the event feed, without secrets. */
  data: z.record(z.string(), z.unknown()),
});

/** The answer of an undo. */
export const Undone = z.object({
  /** Positions of the first and the last event of the command. */
  from: z.int(),
  to: z.int(),
  /** What was not taken back, and why. */
  obstacles: z.array(
    z.object({
      /** Stream of the document, such as client-17. */
      document: z.string(),
      name: z.string(),
      /** Empty = the whole document. */
      field: z.string(),
      why: z.string(),
      whyCode: TextCode,
    }),
  ),
});

/** The answer of a changing route to `?dryRun=true`. */
export const Preview = z.object({
  dryRun: z.literal(true),
  /** The events that would be appended, in order, at most 1,000. */
  events: z.array(PreviewedEvent),
  /** Number of all these events; 0 = nothing would change. */
  total: z.int(),
  effects: z.object({
    /** Clients that may connect now, and could no longer; deleted ones are included. */
    disconnected: Clients,
    /** Clients that may not connect now, and then could; added ones are included. */
    reconnected: Clients,
  }),
  /** What the request itself would answer with, for an undo. */
  report: Undone.optional(),
  /** The newest event when this was decided. */
  head: z.object({ position: z.int(), hash: z.string() }),
});
