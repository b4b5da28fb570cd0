import { message } from '../../messages/message.js';
import type { DataOf, Sentences } from './sentence-types.js';

/** Events of webhooks and of personal data. */
export const outsideSentences = {
  LegalHoldPlaced: ({ hold, clients }: DataOf<'LegalHoldPlaced'>) =>
    clients.length > 0
      ? message('audit.holdOnClients', { hold, clients: clients.length })
      : message('audit.holdOnPeriod', { hold }),
  LegalHoldReleased: ({ hold }: DataOf<'LegalHoldReleased'>) => message('audit.holdReleased', { hold }),
  PersonalDataExported: ({ clients }: DataOf<'PersonalDataExported'>) =>
    message('audit.dataExported', { clients: numbersOf(clients) }),
  PersonalDataErased: ({ clients, keys }: DataOf<'PersonalDataErased'>) =>
    message('audit.dataErased', { clients: numbersOf(clients), keys: keys.length }),

  WebhookAdded: ({ webhook, name }: DataOf<'WebhookAdded'>) => message('audit.webhookAdded', { webhook, name }),
  WebhookUpdated: ({ webhook, name }: DataOf<'WebhookUpdated'>) => message('audit.webhookUpdated', { webhook, name }),
  WebhookSecretRotated: ({ webhook, previousUntil }: DataOf<'WebhookSecretRotated'>) =>
    message('audit.webhookRotated', { webhook, until: previousUntil }),
  WebhookPaused: ({ webhook, reason }: DataOf<'WebhookPaused'>) =>
    message(reason === 'gone' ? 'audit.webhookGone' : 'audit.webhookPaused', { webhook }),
  WebhookResumed: ({ webhook }: DataOf<'WebhookResumed'>) => message('audit.webhookResumed', { webhook }),
  WebhookReplayRequested: ({ webhook, after }: DataOf<'WebhookReplayRequested'>) =>
    message('audit.webhookReplay', { webhook, after }),
  WebhookDeleted: ({ webhook }: DataOf<'WebhookDeleted'>) => message('audit.webhookDeleted', { webhook }),
  WebhookFailed: ({ webhook, reason }: DataOf<'WebhookFailed'>) => message('audit.webhookFailed', { webhook, reason }),
  WebhookRecovered: ({ webhook }: DataOf<'WebhookRecovered'>) => message('audit.webhookRecovered', { webhook }),
  WebhookEventRejected: ({ webhook, rejected, reason }: DataOf<'WebhookEventRejected'>) =>
    message('audit.webhookRejected', { webhook, position: rejected, reason }),
  WebhookEventRedelivered: ({ webhook, rejected }: DataOf<'WebhookEventRedelivered'>) =>
    message('audit.webhookRedelivered', { webhook, position: rejected }),
  WebhookEventDiscarded: ({ webhook, rejected }: DataOf<'WebhookEventDiscarded'>) =>
    message('audit.webhookDiscarded', { webhook, position: rejected }),
} satisfies Partial<Sentences>;

const numbersOf = (clients: readonly number[]): readonly string[] => clients.map((client) => `#${client}`);
