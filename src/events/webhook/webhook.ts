import { z } from 'zod';
import { Count, KeyVersion, oneOf, Position, Time } from '../fields.js';
import { WebhookId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

const stream = ({ webhook }: { webhook: number }) => `webhook-${webhook}`;

/** The data key of the URL and the secret. */
export const webhookKey = (webhook: number, keyVersion: number): string => `webhook:${webhook}/${keyVersion}`;
const key = ({ webhook, keyVersion }: { webhook: number; keyVersion: number }) => webhookKey(webhook, keyVersion);

/** URLs of receivers often contain a token, so they are sealed like the secret. */
const target = z.strictObject({ url: z.string().describe('URL of the receiver.') }).describe('The receiver.');
const ofTarget = { key, erased: () => ({ url: '' }) };
const secret = z
  .strictObject({ value: z.string().describe('`whsec_` and the key of the signatures in Base64.') })
  .describe('The secret that deliveries are signed with.');
const ofSecret = { key, erased: () => ({ value: '' }) };

const name = z.string().describe('Name that the admin gave it.');
const types = z.array(z.string()).describe('Event types and groups of event types that are delivered; empty = all.');

export const WebhookAdded = defineEvent('WebhookAdded', {
  summary: 'A webhook was added. Events are delivered to its receiver in the order of the log.',
  recordedBy: { AddWebhook: 'an admin adds a webhook' },
  data: z.strictObject({
    webhook: WebhookId,
    name,
    types,
    after: Position.nullable().describe(
      'Deliveries begin after this event; null = after the event that added the webhook.',
    ),
    keyVersion: KeyVersion,
    target,
    secret,
  }),
  stream,
  seal: { target: ofTarget, secret: ofSecret },
});

export const WebhookUpdated = defineEvent('WebhookUpdated', {
  summary: 'The name, the event types or the URL of a webhook changed. The position of its deliveries stays.',
  recordedBy: { UpdateWebhook: 'an admin saves a webhook with other values' },
  data: z.strictObject({ webhook: WebhookId, name, types, keyVersion: KeyVersion, target }),
  stream,
  seal: { target: ofTarget },
});

export const WebhookSecretRotated = defineEvent('WebhookSecretRotated', {
  summary: 'A webhook got another secret. Until the end of the overlap, deliveries are signed with both.',
  recordedBy: { RotateWebhookSecret: 'an admin replaces the secret' },
  data: z.strictObject({
    webhook: WebhookId,
    keyVersion: KeyVersion,
    previousUntil: Time.describe('Until when deliveries are also signed with the previous secret.'),
    target,
    secret,
  }),
  stream,
  seal: { target: ofTarget, secret: ofSecret },
});

export const WebhookPaused = defineEvent('WebhookPaused', {
  summary: 'Deliveries of a webhook are paused. It continues later from the same position.',
  recordedBy: {
    PauseWebhook: 'an admin pauses the webhook',
    PauseGoneWebhook: 'the receiver answered a delivery with 410 Gone',
  },
  data: z.strictObject({
    webhook: WebhookId,
    reason: oneOf({ admin: 'an admin paused it', gone: 'the receiver answered 410 Gone' }).describe('Why.'),
  }),
  stream,
});

export const WebhookResumed = defineEvent('WebhookResumed', {
  summary: 'A paused webhook delivers again.',
  recordedBy: { ResumeWebhook: 'an admin resumes the webhook' },
  data: z.strictObject({ webhook: WebhookId }),
  stream,
});

export const WebhookReplayRequested = defineEvent('WebhookReplayRequested', {
  summary: 'A webhook continues from another position: earlier events are delivered again, or events are skipped.',
  recordedBy: { ReplayWebhook: 'an admin sets the position of a webhook' },
  data: z.strictObject({
    webhook: WebhookId,
    after: Position.describe('Deliveries continue with the first event after this position.'),
  }),
  stream,
});

export const WebhookDeleted = defineEvent('WebhookDeleted', {
  summary: 'A webhook was deleted.',
  recordedBy: { DeleteWebhook: 'an admin deletes the webhook' },
  data: z.strictObject({ webhook: WebhookId }),
  stream,
});

export const WebhookFailed = defineEvent('WebhookFailed', {
  summary: 'The receiver of a webhook has not accepted deliveries for a while. They are retried.',
  recordedBy: { RecordWebhookFailed: 'deliveries have failed for a minute; once until the receiver recovers' },
  class: 'measured',
  data: z.strictObject({
    webhook: WebhookId,
    waiting: Position.describe('The event that could not be delivered.'),
    firstFailedAt: Time.describe('When the first attempt failed.'),
    reason: textSchema.describe('Why the last attempt failed.'),
  }),
  stream,
});

export const WebhookRecovered = defineEvent('WebhookRecovered', {
  summary: 'The receiver of a webhook accepts deliveries again.',
  recordedBy: { RecordWebhookRecovered: 'a delivery is accepted after `WebhookFailed`' },
  class: 'measured',
  data: z.strictObject({ webhook: WebhookId, firstFailedAt: Time.describe('When the first attempt failed.') }),
  stream,
});

export const WebhookEventRejected = defineEvent('WebhookEventRejected', {
  summary:
    'A receiver rejected an event several times. It is a dead letter: the webhook continues with the next event.',
  recordedBy: {
    RecordWebhookEventRejected: 'the receiver answered all attempts with a status that a retry cannot change',
  },
  data: z.strictObject({
    webhook: WebhookId,
    rejected: Position.describe('The event that was not delivered.'),
    eventType: z.string().describe('Its type.'),
    attempts: Count.describe('Number of attempts.'),
    reason: textSchema.describe('Why the last attempt failed.'),
  }),
  stream,
});

export const WebhookEventRedelivered = defineEvent('WebhookEventRedelivered', {
  summary: 'The receiver of a webhook accepted a dead letter that an admin had sent again.',
  recordedBy: { RecordWebhookEventRedelivered: 'an admin sends a dead letter again and the receiver accepts it' },
  data: z.strictObject({ webhook: WebhookId, rejected: Position.describe('The event.') }),
  stream,
});

export const WebhookEventDiscarded = defineEvent('WebhookEventDiscarded', {
  summary: 'An admin removed a dead letter of a webhook. The receiver does not get the event.',
  recordedBy: { DiscardDeadLetters: 'an admin discards a dead letter, or all of them: one event each' },
  data: z.strictObject({ webhook: WebhookId, rejected: Position.describe('The event.') }),
  stream,
});

/** About deliveries. They are not delivered: a receiver that rejects everything would get them without end. */
export const deliveryEvents = [
  WebhookFailed,
  WebhookRecovered,
  WebhookEventRejected,
  WebhookEventRedelivered,
  WebhookEventDiscarded,
] as const;

export const webhookEvents = [
  WebhookAdded,
  WebhookUpdated,
  WebhookSecretRotated,
  WebhookPaused,
  WebhookResumed,
  WebhookReplayRequested,
  WebhookDeleted,
  ...deliveryEvents,
] as const;
