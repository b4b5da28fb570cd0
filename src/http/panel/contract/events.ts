import { z } from 'zod';
import { get, routes } from './route.js';
import { place, text, whole } from './schemas/fields.js';

/** Events in one answer at most. */
const MOST_EVENTS = 5000;
/** How long an answer may wait for an event, in seconds. */
const LONGEST_WAIT = 60;

/** What a follower asks for: where it stands, which types, how many, and how long it waits. */
export const FeedQuery = z.object({
  /** The cursor of the last answer, or the position of the last event that the caller has; 0 = all. */
  after: place,
  /** 0 = 500. */
  limit: whole({ min: 0, max: MOST_EVENTS }),
  /** Names of event types with commas between them; empty = all. */
  types: text,
  /** Seconds; 0 = answers at once. */
  wait: whole({ min: 0, max: LONGEST_WAIT }),
  /** The generation of the log that a position belongs to; empty = any. A cursor knows its own. */
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
  actor: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
  correlationId: z.string(),
  causationId: z.string().nullable(),
  /** As docs/events.md has it, less what is sealed. */
  data: z.record(z.string(), z.unknown()),
  /** The emails that the clients of `data` have now, by their numbers. */
  emails: z.record(z.string(), z.string()).optional(),
});

/** What happened, for programs that follow: billing and monitoring. */
export const eventRoutes = routes('/panel/api', {
  events: get('/events', {
    summary: 'The events after a position, without secrets; with Accept: text/event-stream as they come',
    query: FeedQuery,
    reply: z.object({
      events: z.array(FeedEvent),
      /** Everything up to here was looked at. */
      next: z.int(),
      /** What to ask after next time: `next`, and in which history, so that a position of another one is refused. */
      cursor: z.string(),
      /** The position of the last event that there is. */
      head: z.int(),
      /** Another one after a backup or another panel was restored: positions of the one before mean nothing any more. */
      generation: z.string(),
    }),
  }),
});
export type FeedPage = z.input<typeof eventRoutes.events.reply>;
