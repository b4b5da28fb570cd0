import { randomBytes } from 'node:crypto';
import { secretText } from '../../../commands/reactors/webhooks/signature.js';
import type { Tested } from '../../../commands/reactors/webhooks/webhook-deliveries.js';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { WebhookId } from '../../../events/ids.js';
import type { Webhook } from '../../../events/webhook/webhook-document.js';
import { codeOf, message, type Text } from '../../../messages/message.js';
import { messageOf } from '../answers.js';
import type { HttpRequest, Needs } from '../context.js';
import type { webhookRoutes } from '../contract/webhooks.js';
import type { Handlers } from '../mount.js';

type Services = Needs<'read' | 'now' | 'deliveries' | 'web' | 'feed'>;
type Say = HttpRequest['say'];

const SECRET_BYTES = 32;
const HOUR_MS = 3_600_000;
const newSecret = (): string => secretText(randomBytes(SECRET_BYTES));

export const webhookHandlers: Handlers<typeof webhookRoutes, Services> = {
  list: (_, services, { say }) =>
    [...services.read.records.webhooks().byId.values()].map((webhook) => rowOf(webhook, services, say)),

  async add({ body: { after, ...draft } }, { web, feed }, { dispatch, refusalOf }) {
    const head = feed.log.head().position;
    if (after !== undefined && after > head) return reject('POSITION_UNKNOWN', { after, head });
    const secret = newSecret();
    const command = { type: 'AddWebhook', data: { ...draft, after: after ?? null, secret } } as const;
    const refused = refusalOf(command) ?? (await urlProblem(web, draft.url));
    if (refused) return refused;
    const done = dispatch(command);
    if (done instanceof Rejection) return done;
    const [added] = done.events.flatMap((event) => (event.type === 'WebhookAdded' ? [event.data] : []));
    // The event has the secret of the first request when this one repeats it.
    return { id: added?.webhook ?? 0, secret: added?.secret.value ?? '' };
  },

  async update({ params: { id }, body }, { web }, { dispatch, refusalOf }) {
    const command = { type: 'UpdateWebhook', data: { webhook: id, ...body } } as const;
    const refused = refusalOf(command) ?? (await urlProblem(web, body.url));
    return refused ?? messageOf(dispatch(command), message('webhook.saved'));
  },

  rotateSecret({ params: { id }, body: { overlapHours } }, _, { dispatch }) {
    const data = { webhook: id, secret: newSecret(), overlapMs: overlapHours * HOUR_MS };
    const done = dispatch({ type: 'RotateWebhookSecret', data });
    if (done instanceof Rejection) return done;
    const [rotated] = done.events.flatMap((event) => (event.type === 'WebhookSecretRotated' ? [event.data] : []));
    return { secret: rotated?.secret.value ?? '', previousUntil: rotated?.previousUntil ?? 0 };
  },

  pause: ({ params: { id } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'PauseWebhook', data: { webhook: id } }), message('webhook.paused')),

  resume: ({ params: { id } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'ResumeWebhook', data: { webhook: id } }), message('webhook.resumed')),

  replay({ params: { id }, body: { after } }, { feed }, { dispatch }) {
    const head = feed.log.head().position;
    if (after > head) return reject('POSITION_UNKNOWN', { after, head });
    return messageOf(dispatch({ type: 'ReplayWebhook', data: { webhook: id, after } }), message('webhook.replayed'));
  },

  async test({ params: { id } }, { read, deliveries }, { say }) {
    const webhook = webhookOf(read, id);
    return webhook instanceof Rejection ? webhook : sentOf(await deliveries.test(webhook), say);
  },

  deadLetters({ params: { id } }, { read }, { say }) {
    const webhook = webhookOf(read, id);
    if (webhook instanceof Rejection) return webhook;
    return webhook.deadLetters
      .toReversed()
      .map(({ event, reason, ...letter }) => ({ position: event, ...letter, ...problemOf(reason, say) }));
  },

  async redeliver({ params: { id }, body: { position } }, { read, deliveries }, { say, dispatch }) {
    const webhook = webhookOf(read, id);
    if (webhook instanceof Rejection) return webhook;
    const isKnown = webhook.deadLetters.some(({ event }) => event === position);
    const sent = isKnown ? await deliveries.redeliver(webhook, position) : null;
    if (sent === null) return reject('DEAD_LETTER_NOT_FOUND', { position });
    if (sent.result === 'accepted') {
      const data = { webhook: webhook.id, rejected: position };
      const done = dispatch({ type: 'RecordWebhookEventRedelivered', data });
      if (done instanceof Rejection) return done;
    }
    return sentOf(sent, say);
  },

  discard: ({ params: { id }, body: { position } }, _, { dispatch }) =>
    messageOf(
      dispatch({ type: 'DiscardDeadLetters', data: { webhook: id, rejected: position } }),
      message('webhook.discarded'),
    ),

  del: ({ params: { id } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'DeleteWebhook', data: { webhook: id } }), message('webhook.removed')),
};

function webhookOf(read: Services['read'], id: number): Webhook | Rejection {
  return read.records.webhooks().byId.get(id as WebhookId) ?? reject('WEBHOOK_NOT_FOUND', { webhook: id });
}

/** Why the panel does not send requests to a URL. It is checked again for each delivery. */
async function urlProblem(web: Services['web'], url: string): Promise<Rejection | null> {
  const why = await web.problem(url.trim());
  return why === null ? null : reject('WEBHOOK_INVALID', { why });
}

const problemOf = (problem: Text | null, say: Say) => ({
  problem: problem === null ? '' : say(problem),
  problemCode: codeOf(problem),
});

function rowOf(webhook: Webhook, { deliveries, feed, now }: Services, say: Say) {
  const { id, name, url, types, paused, previous, deadLetters, createdAt, updatedAt } = webhook;
  const status = deliveries.status(id);
  const { position = webhook.after, problem = null } = status ?? {};
  const { attempts = 0, failingSince = 0, nextAttemptAt = 0, lastDeliveredAt = 0 } = status ?? {};
  return {
    ...{ id, name, url, types: [...types], paused: paused ?? ('' as const), deadLetters: deadLetters.length },
    ...{ previousSecretUntil: previous && previous.until > now() ? previous.until : 0, createdAt, updatedAt },
    status: {
      ...{ position, lag: Math.max(0, feed.log.head().position - position) },
      ...{ attempts, failingSince, nextAttemptAt, lastDeliveredAt },
      ...{ delivered: status?.delivered ?? 0, failed: status?.failed ?? 0, ...problemOf(problem, say) },
    },
  };
}

function sentOf(sent: Tested, say: Say) {
  const reason = sent.result === 'accepted' ? null : sent.reason;
  return { accepted: reason === null, status: sent.status ?? 0, ms: sent.ms, ...problemOf(reason, say) };
}
