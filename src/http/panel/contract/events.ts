import { z } from 'zod';
import { get, routes } from './route.js';
import { place, text, whole } from './schemas/fields.js';

/** Maximum number of events in one answer. */
const MAX_EVENTS = 5000;
/** Maximum time that a request may wait for an event, in seconds. */
const MAX_WAIT_S = 60;

/** A query for events: the position, the types, the limit, and how long to wait. */
export const FeedQuery = z.object({
  /** The cursor of the last answer, or the position of the last event that the caller has; 0 = from the beginning. */
  after: place,
  /** 0 = 500. */
  limit: whole({ min: 0, max: MAX_EVENTS }),
  /** Names of event types, separated by commas; empty = all. */
  types: text,
  /** Seconds; 0 = answer at once. */
  wait: whole({ min: 0, max: MAX_WAIT_S }),
  /** The generation of the log that a position belongs to; empty = any. A cursor contains its own. */
  generation: text,
});
export type FeedQuery = z.output<typeof FeedQuery>;

const FeedEvent = z.object({
  position: z.int(),
  id: z.string(),
  type: z.string(),
  stream: z.string(),
  version: z.int(),
  at: z.int(),
  actor: z.object({
    ...{ kind: z.string(), id: z.string(), name: z.string() },
    /** The role of the admin or the token at that time. Absent for others, and in events of earlier releases. */
    role: z.string().optional(),
    /** Number of the admin to whom the token belongs. */
    admin: z.string().optional(),
  }),
  correlationId: z.string(),
  causationId: z.string().nullable(),
  /** As described in docs/events.md, without sealed fields. */
  data: z.record(z.string(), z.unknown()),
  /** The current emails of the clients in `data`, by client number. */
  emails: z.record(z.string(), z.string()).optional(),
});

/** The event feed, for billing and monitoring programs. */
export const eventRoutes = routes('/panel/api', {
  events: get('/events', {
    permission: { resource: 'audit', action: 'read' },
    filtered: true,
    summary: 'Get the events after a position, without secrets; with Accept: text/event-stream, as a live stream',
    query: FeedQuery,
    reply: z.object({
      events: z.array(FeedEvent),
      /** All events up to this position were examined. */
      next: z.int(),
      /**
       * The cursor for the next request: `next` and the history it belongs to, so that a position of another history is
       * rejected.
       */
      cursor: z.string(),
      /** The position of the newest event. */
      head: z.int(),
      /** Changes when a backup or another panel was restored: earlier positions are then invalid. */
      generation: z.string(),
    }),
  }),
});
export type FeedPage = z.input<typeof eventRoutes.events.reply>;
