import { eventType } from '../../events/catalog.js';
import { eventGroups } from '../../events/group-names.js';
import { WebhookId } from '../../events/ids.js';
import {
  WebhookAdded,
  WebhookDeleted,
  WebhookEventDiscarded,
  WebhookEventRedelivered,
  WebhookEventRejected,
  WebhookFailed,
  WebhookPaused,
  WebhookRecovered,
  WebhookReplayRequested,
  WebhookResumed,
  WebhookSecretRotated,
  WebhookUpdated,
} from '../../events/webhook/webhook.js';
import type { Webhook, Webhooks } from '../../events/webhook/webhook-document.js';
import { sameJson } from '../../lib/json.js';
import { message, type Text } from '../../messages/message.js';
import type { Command, Decider, Decision } from '../command.js';
import { type Rejection, reject } from '../rejection.js';

/** What an admin sets. `types` empty = all events. */
interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly types: readonly string[];
}
interface OfWebhook {
  readonly webhook: number;
}

export type WebhookCommand =
  /** `after` null = only events from now on. */
  | Command<'AddWebhook', WebhookDraft & { readonly secret: string; readonly after: number | null }>
  | Command<'UpdateWebhook', WebhookDraft & OfWebhook>
  /** `overlapMs`: how long deliveries are signed with the previous secret too. */
  | Command<'RotateWebhookSecret', OfWebhook & { readonly secret: string; readonly overlapMs: number }>
  | Command<'PauseWebhook', OfWebhook>
  | Command<'PauseGoneWebhook', OfWebhook>
  | Command<'ResumeWebhook', OfWebhook>
  | Command<'ReplayWebhook', OfWebhook & { readonly after: number }>
  | Command<'DeleteWebhook', OfWebhook>
  /** `rejected`: position of the event; 0 = all dead letters. */
  | Command<'DiscardDeadLetters', OfWebhook & { readonly rejected: number }>
  | Command<'RecordWebhookFailed', Parameters<typeof WebhookFailed>[0]>
  | Command<'RecordWebhookRecovered', Parameters<typeof WebhookRecovered>[0]>
  | Command<'RecordWebhookEventRejected', Parameters<typeof WebhookEventRejected>[0]>
  | Command<'RecordWebhookEventRedelivered', Parameters<typeof WebhookEventRedelivered>[0]>;

/** Each webhook reads the log on its own. */
const MAX_WEBHOOKS = 50;
const MAX_NAME = 100;
const MAX_URL = 2000;

export const webhook: Decider<WebhookCommand> = {
  AddWebhook({ secret, after, ...draft }, { webhooks }) {
    if (webhooks.byId.size >= MAX_WEBHOOKS) return reject('WEBHOOKS_FULL', { most: MAX_WEBHOOKS });
    const problem = draftProblem(draft, webhooks, null);
    if (problem) return problem;
    const { name, types, url } = normal(draft);
    const id = WebhookId.parse(webhooks.lastId + 1);
    return [
      WebhookAdded({ webhook: id, name, types, after, keyVersion: 1, target: { url }, secret: { value: secret } }),
    ];
  },

  UpdateWebhook({ webhook: id, ...draft }, { webhooks }) {
    return withWebhook(webhooks, id, (current) => {
      const problem = draftProblem(draft, webhooks, current);
      if (problem) return problem;
      const { name, types, url } = normal(draft);
      if (sameJson([name, types, url], [current.name, current.types, current.url])) return [];
      return [WebhookUpdated({ webhook: current.id, name, types, keyVersion: current.keyVersion, target: { url } })];
    });
  },

  RotateWebhookSecret({ webhook: id, secret, overlapMs }, { webhooks }, { now }) {
    return withWebhook(webhooks, id, (current) => [
      WebhookSecretRotated({
        ...{ webhook: current.id, keyVersion: current.keyVersion + 1, previousUntil: now + overlapMs },
        ...{ target: { url: current.url }, secret: { value: secret } },
      }),
    ]);
  },

  PauseWebhook: ({ webhook: id }, { webhooks }) =>
    withWebhook(webhooks, id, (current) =>
      current.paused === 'admin' ? [] : [WebhookPaused({ webhook: current.id, reason: 'admin' })],
    ),
  PauseGoneWebhook: ({ webhook: id }, { webhooks }) =>
    withWebhook(webhooks, id, (current) =>
      current.paused ? [] : [WebhookPaused({ webhook: current.id, reason: 'gone' })],
    ),
  ResumeWebhook: ({ webhook: id }, { webhooks }) =>
    withWebhook(webhooks, id, (current) => (current.paused ? [WebhookResumed({ webhook: current.id })] : [])),
  ReplayWebhook: ({ webhook: id, after }, { webhooks }) =>
    withWebhook(webhooks, id, (current) => [WebhookReplayRequested({ webhook: current.id, after })]),
  DeleteWebhook: ({ webhook: id }, { webhooks }) =>
    withWebhook(webhooks, id, (current) => [WebhookDeleted({ webhook: current.id })]),
  DiscardDeadLetters: ({ webhook: id, rejected }, { webhooks }) =>
    withWebhook(webhooks, id, ({ id: webhook, deadLetters }) => {
      const found = deadLetters.filter(({ event }) => rejected === 0 || event === rejected);
      if (found.length === 0 && rejected > 0) return reject('DEAD_LETTER_NOT_FOUND', { position: rejected });
      return found.map(({ event }) => WebhookEventDiscarded({ webhook, rejected: event }));
    }),

  // Outcomes of a webhook that was deleted meanwhile are not recorded.
  RecordWebhookFailed: (data, { webhooks }) => (webhooks.byId.has(data.webhook) ? [WebhookFailed(data)] : []),
  RecordWebhookRecovered: (data, { webhooks }) => (webhooks.byId.has(data.webhook) ? [WebhookRecovered(data)] : []),
  RecordWebhookEventRejected: (data, { webhooks }) =>
    webhooks.byId.has(data.webhook) ? [WebhookEventRejected(data)] : [],
  RecordWebhookEventRedelivered: (data, { webhooks }) =>
    webhooks.byId.has(data.webhook) ? [WebhookEventRedelivered(data)] : [],
};

function withWebhook({ byId }: Webhooks, id: number, decide: (current: Webhook) => Decision): Decision {
  const current = byId.get(id as WebhookId);
  return current ? decide(current) : reject('WEBHOOK_NOT_FOUND', { webhook: id });
}

const normal = ({ name, url, types }: WebhookDraft) => ({
  ...{ name: name.trim(), url: url.trim(), types: [...new Set(types)].sort() },
});

function draftProblem(draft: WebhookDraft, { byId }: Webhooks, current: Webhook | null): Rejection | null {
  const { name, url, types } = normal(draft);
  const invalid = (why: Text): Rejection => reject('WEBHOOK_INVALID', { why });
  if (name === '') return invalid(message('webhook.nameMissing'));
  if (name.length > MAX_NAME) return invalid(message('webhook.nameTooLong', { most: MAX_NAME }));
  if ([...byId.values()].some((other) => other.id !== current?.id && other.name === name))
    return invalid(message('webhook.nameTaken', { name }));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || url.length > MAX_URL)
    return invalid(message('webhook.urlInvalid'));
  const unknown = types.find((type) => !eventType(type) && !eventGroups.some((group) => group === type));
  return unknown === undefined ? null : reject('EVENT_TYPE_UNKNOWN', { type: unknown.slice(0, 100) });
}
