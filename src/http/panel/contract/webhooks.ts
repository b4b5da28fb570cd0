import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, Id, optionalWhole, plainText, requiredWhole, whole } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

const params = z.object({ id: Id });
/** The longest overlap of two secrets, in hours. */
const MAX_OVERLAP_H = 720;

const shape = {
  name: plainText,
  /** An http or https URL with a public address. */
  url: plainText,
  /** Event types, and groups of them as in the audit; empty = all. */
  types: z.array(z.string()).default([]),
};

const Problem = { problem: z.string(), problemCode: TextCode };

const Webhook = z.object({
  id: z.int(),
  name: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  /** Empty = it delivers; `admin` = an admin paused it; `gone` = the receiver answered 410. */
  paused: z.enum(['', 'admin', 'gone']),
  /** Until when deliveries are also signed with the previous secret; ms, 0 = they are not. */
  previousSecretUntil: z.int(),
  deadLetters: z.int(),
  ...{ createdAt: z.int(), updatedAt: z.int() },
  status: z.object({
    /** The last event that it is done with, and how many events of the log follow. */
    ...{ position: z.int(), lag: z.int() },
    /** Failed attempts for the current event. */
    attempts: z.int(),
    /** Milliseconds since 1970; 0 = it does not fail, or never. */
    ...{ failingSince: z.int(), nextAttemptAt: z.int(), lastDeliveredAt: z.int() },
    /** Since the panel started. */
    ...{ delivered: z.int(), failed: z.int() },
    /** Why the last attempt failed; empty = it did not. */
    ...Problem,
  }),
});

const Sent = z.object({
  accepted: z.boolean(),
  /** HTTP status of the answer; 0 = there was none. */
  status: z.int(),
  /** Duration. */
  ms: z.int(),
  ...Problem,
});

/** Events for other programs, sent to them. */
export const webhookRoutes = routes('/panel/api/webhooks', {
  list: get('/list', {
    leader: true,
    permission: { resource: 'webhooks', action: 'read' },
    summary: 'List the webhooks with the state of their deliveries',
    reply: z.array(Webhook),
  }),
  add: post('/add', {
    permission: { resource: 'webhooks', action: 'create' },
    summary: 'Add a webhook. The answer contains its secret, which is not shown again',
    body: body({
      ...shape,
      /** Deliver the events after this position; 0 = from the beginning; absent = from now on. */
      after: optionalWhole({ min: 0 }),
    }),
    reply: z.object({ id: z.int(), secret: z.string() }),
  }),
  update: post('/update/:id', {
    permission: { resource: 'webhooks', action: 'update' },
    summary: 'Change the name, the URL or the event types of a webhook; its position stays',
    params,
    body: body(shape),
  }),
  rotateSecret: post('/rotateSecret/:id', {
    permission: { resource: 'webhooks', action: 'update' },
    summary: 'Replace the secret. During the overlap deliveries are signed with both secrets',
    params,
    body: body({ overlapHours: whole({ min: 0, max: MAX_OVERLAP_H }) }),
    reply: z.object({ secret: z.string(), previousUntil: z.int() }),
  }),
  pause: post('/pause/:id', {
    permission: { resource: 'webhooks', action: 'update' },
    summary: 'Pause the deliveries; they continue later from the same position',
    params,
  }),
  resume: post('/resume/:id', {
    permission: { resource: 'webhooks', action: 'update' },
    summary: 'Resume the deliveries of a paused webhook',
    params,
  }),
  replay: post('/replay/:id', {
    permission: { resource: 'webhooks', action: 'run' },
    summary: 'Continue after another position: an earlier one delivers events again, a later one skips some',
    params,
    body: body({ after: requiredWhole({ min: 0 }) }),
  }),
  test: post('/test/:id', {
    permission: { resource: 'webhooks', action: 'run' },
    summary: 'Send a test to the receiver and get its answer',
    params,
    reply: Sent,
  }),
  deadLetters: get('/deadLetters/:id', {
    leader: true,
    permission: { resource: 'webhooks', action: 'read' },
    summary: 'List the newest events that the receiver rejected, at most 100, newest first',
    params,
    reply: z.array(
      z.object({
        ...{ position: z.int(), type: z.string(), attempts: z.int(), at: z.int() },
        ...Problem,
      }),
    ),
  }),
  redeliver: post('/redeliver/:id', {
    permission: { resource: 'webhooks', action: 'run' },
    summary: 'Send a dead letter again; it leaves the list when the receiver accepts it',
    params,
    body: body({ position: requiredWhole({ min: 1 }) }),
    reply: Sent,
  }),
  discard: post('/discard/:id', {
    permission: { resource: 'webhooks', action: 'update' },
    summary: 'Remove a dead letter, or all of them, without sending it again',
    params,
    body: body({
      /** 0 = all. */
      position: requiredWhole({ min: 0 }),
    }),
  }),
  del: post('/del/:id', {
    permission: { resource: 'webhooks', action: 'delete' },
    summary: 'Delete a webhook',
    params,
  }),
});
