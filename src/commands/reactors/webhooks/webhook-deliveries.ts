import { randomUUID } from 'node:crypto';
import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { WebhookId } from '../../../events/ids.js';
import { deliveryEvents } from '../../../events/webhook/webhook.js';
import type { Webhook, Webhooks } from '../../../events/webhook/webhook-document.js';
import { attempt, type Delivery, type Outcome } from './attempt.js';
import { type DeliveryParts, type DeliveryStatus, WebhookDelivery } from './webhook-delivery.js';

interface Parts extends Omit<DeliveryParts, 'webhook' | 'historyBegin'> {
  readonly webhooks: () => Webhooks;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly warn: (message: string, fields?: object) => void;
}

/** The event type of test deliveries. No such event exists. */
const TEST_TYPE = 'WebhookTest';
/** After an error of the panel itself, deliveries of a webhook start again after this time, in ms. */
const RESTART_MS = 60_000;
const BOOKKEEPING: ReadonlySet<string> = new Set(deliveryEvents.map(({ type }) => type));

/** An outcome with the time that it took, in ms. */
export type Tested = Outcome & { readonly ms: number };

/** Delivers events to all webhooks, each on its own. */
export class WebhookDeliveries {
  readonly #parts: Parts;
  readonly #running = new Map<WebhookId, { readonly delivery: WebhookDelivery; readonly done: Promise<void> }>();
  readonly #stopping = new AbortController();
  #following: Subscription | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#following = this.#parts.changed$.subscribe((events) => this.#onEvents(events));
    for (const id of this.#parts.webhooks().byId.keys()) this.#start(id);
  }

  async stop(): Promise<void> {
    this.#following?.unsubscribe();
    this.#stopping.abort();
    for (const { delivery } of this.#running.values()) delivery.end();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Undefined for an unknown webhook. */
  status(webhook: number): DeliveryStatus | undefined {
    return this.#running.get(webhook as WebhookId)?.delivery.status;
  }

  /** Sends a test to the receiver. It has no part in the order of the deliveries. */
  test(webhook: Webhook): Promise<Tested> {
    const timestamp = new Date(this.#parts.now()).toISOString();
    const body = JSON.stringify({ type: TEST_TYPE, timestamp, data: { webhook: webhook.id, name: webhook.name } });
    return this.#send(webhook, { id: `test_${randomUUID()}`, body });
  }

  /** Sends one event again, out of order. Null when it is no longer in the log. */
  async redeliver(webhook: Webhook, position: number): Promise<Tested | null> {
    const [event] = this.#parts.log.read(position - 1, 1);
    return event?.position === position ? this.#send(webhook, this.#parts.deliveryOf(event)) : null;
  }

  async #send(webhook: Webhook, delivery: Delivery): Promise<Tested> {
    const { web, now } = this.#parts;
    const begin = performance.now();
    const outcome = await attempt(web, webhook, delivery, now(), this.#stopping.signal);
    return { ...outcome, ms: Math.round(performance.now() - begin) };
  }

  #onEvents(events: readonly RecordedEvent[]): void {
    for (const { type, data } of events) {
      if (!('webhook' in data) || BOOKKEEPING.has(type)) continue;
      const known = this.#running.get(data.webhook);
      if (known) known.delivery.reconfigure();
      else this.#start(data.webhook);
    }
    for (const { delivery } of this.#running.values()) delivery.wake();
  }

  #start(id: WebhookId): void {
    const { webhooks, warn } = this.#parts;
    const delivery = new WebhookDelivery(id, {
      ...this.#parts,
      webhook: (known) => webhooks().byId.get(known),
      historyBegin: () => webhooks().historyBegin,
    });
    const done = delivery
      .run()
      .catch((error: unknown) => {
        warn('the deliveries of a webhook have stopped for a minute', { webhook: id, error: String(error) });
        setTimeout(() => this.#stopping.signal.aborted || this.#start(id), RESTART_MS).unref();
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { delivery, done });
  }
}
