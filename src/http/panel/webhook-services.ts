import type { WebhookDeliveries } from '../../commands/reactors/webhooks/webhook-deliveries.js';

/** Deliveries to other programs. */
export interface WebhookServices {
  readonly deliveries: Pick<WebhookDeliveries, 'status' | 'test' | 'redeliver'>;
}
