import type { Text } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import type { WebhookId } from '../ids.js';
import { evolve } from '../log/fold.js';

/** An event that a receiver rejected. */
interface DeadLetter {
  /** Position of the event. */
  readonly event: number;
  readonly type: string;
  readonly attempts: number;
  readonly reason: Text;
  readonly at: number;
}

/** A webhook. Times in ms since 1970. */
export interface Webhook {
  readonly id: WebhookId;
  readonly name: string;
  readonly url: string;
  /** Event types and groups; empty = all. */
  readonly types: readonly string[];
  readonly secret: string;
  readonly keyVersion: number;
  /** The secret before the last rotation, and until when deliveries are signed with it too. */
  readonly previous: { readonly secret: string; readonly until: number } | null;
  /** Why it is paused; null = it is not. */
  readonly paused: 'admin' | 'gone' | null;
  /** Deliveries begin after this position. */
  readonly after: number;
  /** Position of the event that set `after`. A cursor for another one is out of date. */
  readonly epoch: number;
  /** The newest dead letters, oldest first. */
  readonly deadLetters: readonly DeadLetter[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Webhooks {
  readonly byId: Map<WebhookId, Webhook>;
  lastId: number;
  /**
   * The last event before the present history of this log: a restored backup or accepted loss assigns later positions again.
   * A cursor of the other history continues here.
   */
  historyBegin: number;
}

export const noWebhooks = (): Webhooks => ({ byId: new Map(), lastId: 0, historyBegin: 0 });

const MAX_DEAD_LETTERS = 100;

/** Applies one event. Events of other nouns are ignored. */
export function evolveWebhooks(state: Webhooks, event: RecordedEvent): void {
  switch (event.type) {
    case 'WebhookAdded': {
      const { webhook: id, name, types, after, keyVersion, target, secret } = event.data;
      const { at } = event.meta;
      state.lastId = Math.max(state.lastId, id);
      state.byId.set(id, {
        ...{ id, name, types, keyVersion, url: target.url, secret: secret.value, previous: null, paused: null },
        ...{ after: after ?? event.position, epoch: event.position, deadLetters: [], createdAt: at, updatedAt: at },
      });
      break;
    }
    case 'WebhookDeleted':
      state.byId.delete(event.data.webhook);
      break;
    case 'StateImported':
    case 'LogLossAccepted':
      state.historyBegin = event.position - 1;
      break;
    default:
      evolveWebhook(state, event);
  }
}

function evolveWebhook({ byId }: Webhooks, { type, data, meta, position }: RecordedEvent): void {
  switch (type) {
    case 'WebhookUpdated': {
      const { name, types, keyVersion, target } = data;
      evolve(byId, data.webhook, (draft) => {
        Object.assign(draft, { name, types, keyVersion, url: target.url, updatedAt: meta.at });
      });
      break;
    }
    case 'WebhookSecretRotated':
      evolve(byId, data.webhook, (draft) => {
        draft.previous = { secret: draft.secret, until: data.previousUntil };
        const { keyVersion, target, secret } = data;
        Object.assign(draft, { keyVersion, url: target.url, secret: secret.value, updatedAt: meta.at });
      });
      break;
    case 'WebhookPaused':
      evolve(byId, data.webhook, (draft) => void (draft.paused = data.reason));
      break;
    case 'WebhookResumed':
      evolve(byId, data.webhook, (draft) => void (draft.paused = null));
      break;
    case 'WebhookReplayRequested':
      evolve(byId, data.webhook, (draft) => void Object.assign(draft, { after: data.after, epoch: position }));
      break;
    case 'WebhookEventRejected': {
      const { rejected, eventType, attempts, reason } = data;
      const letter = { event: rejected, type: eventType, attempts, reason, at: meta.at };
      evolve(byId, data.webhook, (draft) => {
        const others = draft.deadLetters.filter((one) => one.event !== rejected);
        draft.deadLetters = [...others, letter].slice(-MAX_DEAD_LETTERS);
      });
      break;
    }
    case 'WebhookEventRedelivered':
    case 'WebhookEventDiscarded':
      evolve(byId, data.webhook, (draft) => {
        draft.deadLetters = draft.deadLetters.filter(({ event }) => event !== data.rejected);
      });
      break;
    default:
  }
}

/** The secrets that a delivery is signed with at a time (ms since 1970), the newest first. */
export const secretsAt = ({ secret, previous }: Webhook, now: number): readonly string[] =>
  previous && previous.until > now && previous.secret !== '' ? [secret, previous.secret] : [secret];
