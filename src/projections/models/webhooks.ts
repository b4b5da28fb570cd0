import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { evolveWebhooks, noWebhooks, type Webhooks } from '../../events/webhook/webhook-document.js';

/** The webhooks, in the order in which they were added. */
export const webhooks: Fold<Webhooks> = {
  name: 'webhooks',
  version: 1,
  ignores: TRAFFIC,
  initial: noWebhooks,
  apply: evolveWebhooks,
};
