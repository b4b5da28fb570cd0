import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../../events/catalog.js';
import { withMany } from '../../../events/client/members.js';
import { groupOf } from '../../../events/groups.js';
import type { WebhookId } from '../../../events/ids.js';
import type { EventLog } from '../../../events/log/log.js';
import { deliveryEvents } from '../../../events/webhook/webhook.js';
import type { Webhook } from '../../../events/webhook/webhook-document.js';
import type { Text } from '../../../messages/message.js';
import type { Web } from '../../ports/web.js';
import type { WebhookCursors } from '../../ports/webhook-cursors.js';
import type { WebhookCommand } from '../../webhook/webhook.js';
import { Backoff } from '../backoff.js';
import { attempt, type Delivery, type Outcome } from './attempt.js';

/** Few, because each webhook keeps a page while it delivers, and an event of a poll can be large. */
const PAGE_EVENTS = 20;
/** Attempts before an event that the receiver rejects is a dead letter: about two minutes. */
const MAX_REJECTIONS = 8;
/** For how long deliveries fail before it is recorded, in ms. */
const RECORD_AFTER_MS = 60_000;
/** Pause after the cluster has not confirmed events, in ms. */
const UNCONFIRMED_MS = 1000;
/** How often the cursor is saved while no event is delivered, in ms. */
const SAVE_MS = 60_000;

const UNDELIVERED: ReadonlySet<string> = new Set(deliveryEvents.map(({ type }) => type));

export interface DeliveryParts {
  readonly web: Pick<Web, 'request'>;
  readonly log: Pick<EventLog, 'read' | 'head'> & { hashAt(position: number): string | null };
  readonly cursors: WebhookCursors;
  /** Undefined after the webhook was deleted. */
  readonly webhook: (id: WebhookId) => Webhook | undefined;
  /** The last event before the present history of the log. */
  readonly historyBegin: () => number;
  readonly deliveryOf: (event: RecordedEvent) => Delivery;
  /** Whether the cluster has confirmed what was appended; without a cluster, at once. */
  readonly confirmed: () => Promise<boolean>;
  readonly dispatch: (command: WebhookCommand) => void;
  readonly now: () => number;
}

/** What a webhook is doing. Times in ms since 1970, 0 = never or not. */
export interface DeliveryStatus {
  /** The last event that it is done with. */
  readonly position: number;
  /** Failed attempts for the current event. */
  readonly attempts: number;
  readonly failingSince: number;
  readonly nextAttemptAt: number;
  readonly lastDeliveredAt: number;
  /** Since the panel started. */
  readonly delivered: number;
  readonly failed: number;
  /** Why the last attempt failed; null = it did not. */
  readonly problem: Text | null;
}

const IDLE: DeliveryStatus = {
  ...{ position: 0, attempts: 0, failingSince: 0, nextAttemptAt: 0, lastDeliveredAt: 0, delivered: 0, failed: 0 },
  problem: null,
};

/**
 * Delivers the events of one webhook in the order of the log, each until the receiver accepts it. It follows the log by its
 * own cursor, so neither the log nor another webhook waits for it, and it keeps one page of events at most.
 */
export class WebhookDelivery {
  readonly #id: WebhookId;
  readonly #parts: DeliveryParts;
  readonly #backoff: Backoff;
  #status = IDLE;
  #epoch = -1;
  #savedAt = 0;
  #recorded = false;
  #rejections = 0;
  #ended = false;
  #woken = false;
  #wake: () => void = () => undefined;
  /** Aborted when the configuration changes or the panel stops. */
  #current = new AbortController();

  constructor(id: WebhookId, parts: DeliveryParts) {
    this.#id = id;
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
  }

  get status(): DeliveryStatus {
    return this.#status;
  }

  /** The log has new events. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /** The configuration has changed: the current attempt is abandoned, and the next one is made at once. */
  reconfigure(): void {
    this.#backoff.reset();
    this.#set({ nextAttemptAt: 0 });
    this.#current.abort();
    this.wake();
  }

  end(): void {
    this.#ended = true;
    this.reconfigure();
  }

  /** Resolves after `end`, or when the webhook was deleted. */
  async run(): Promise<void> {
    await nextTurn();
    while (!this.#ended) {
      const webhook = this.#parts.webhook(this.#id);
      if (!webhook) return this.#parts.cursors.remove(this.#id);
      this.#current = new AbortController();
      this.#follow(webhook);
      this.#woken = false;
      const pause = webhook.paused === null ? this.#backoff.remaining() : Number.POSITIVE_INFINITY;
      if (pause > 0) await this.#sleep(pause);
      else if (await this.#deliverPage(webhook)) await nextTurn();
      else await this.#sleep(Number.POSITIVE_INFINITY);
    }
    this.#save();
  }

  #set(change: Partial<DeliveryStatus>): void {
    this.#status = { ...this.#status, ...change };
  }

  /** Finds the position, unless it is known for this configuration. */
  #follow({ epoch, after }: Webhook): void {
    if (this.#epoch === epoch) return;
    const { cursors, log, historyBegin } = this.#parts;
    const known = cursors.get(this.#id);
    const isValid = known?.epoch === epoch && (known.position === 0 || log.hashAt(known.position) === known.hash);
    this.#epoch = epoch;
    // Without its cursor, a webhook of an earlier history continues where the present one begins.
    const start = epoch > historyBegin() ? after : Math.max(after, historyBegin());
    this.#settled();
    this.#set({ position: isValid && known ? known.position : Math.min(start, log.head().position) });
    this.#save();
  }

  /** False when there was nothing to deliver. */
  async #deliverPage(webhook: Webhook): Promise<boolean> {
    const { log, confirmed, now } = this.#parts;
    const page = log.read(this.#status.position, PAGE_EVENTS);
    // What is not confirmed may be set aside, and a receiver could not take it back.
    if (page.some((event) => isWanted(webhook, event)) && !(await confirmed())) {
      await this.#sleep(UNCONFIRMED_MS);
      return true;
    }
    for (const event of page) {
      if (isWanted(webhook, event)) {
        if (!(await this.#deliver(webhook, event))) return true;
        this.#set({ position: event.position });
        this.#save();
      } else this.#set({ position: event.position });
    }
    if (now() - this.#savedAt >= SAVE_MS) this.#save();
    return page.length > 0;
  }

  /** True when the webhook is done with the event. */
  async #deliver(webhook: Webhook, event: RecordedEvent): Promise<boolean> {
    const { web, deliveryOf, now } = this.#parts;
    const { signal } = this.#current;
    let outcome: Outcome;
    try {
      outcome = await attempt(web, webhook, deliveryOf(event), now(), signal);
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    if (outcome.result === 'accepted') return this.#accepted();
    // Counted even if the configuration has changed meanwhile; then the event is sent again.
    if (signal.aborted) return false;
    return this.#refused(event, outcome);
  }

  #accepted(): true {
    const { failingSince, delivered } = this.#status;
    const wasRecorded = this.#recorded;
    this.#settled();
    this.#set({ lastDeliveredAt: this.#parts.now(), delivered: delivered + 1 });
    if (wasRecorded)
      this.#parts.dispatch({
        type: 'RecordWebhookRecovered',
        data: { webhook: this.#id, firstFailedAt: failingSince },
      });
    return true;
  }

  #refused(event: RecordedEvent, outcome: Exclude<Outcome, { readonly result: 'accepted' }>): boolean {
    const { now, dispatch } = this.#parts;
    const { result, reason, retryAfterMs } = outcome;
    const attempts = this.#status.attempts + 1;
    this.#rejections = result === 'rejected' ? this.#rejections + 1 : 0;
    if (this.#rejections >= MAX_REJECTIONS) {
      this.#settled();
      const data = { webhook: this.#id, rejected: event.position, eventType: event.type, attempts, reason };
      dispatch({ type: 'RecordWebhookEventRejected', data });
      return true;
    }
    this.#backoff.failed(false, retryAfterMs);
    const failingSince = this.#status.failingSince || now();
    const nextAttemptAt = now() + this.#backoff.remaining();
    this.#set({ attempts, failingSince, nextAttemptAt, failed: this.#status.failed + 1, problem: reason });
    if (result === 'gone') dispatch({ type: 'PauseGoneWebhook', data: { webhook: this.#id } });
    else if (!this.#recorded && now() - failingSince >= RECORD_AFTER_MS) {
      this.#recorded = true;
      const data = { webhook: this.#id, waiting: event.position, firstFailedAt: failingSince, reason };
      dispatch({ type: 'RecordWebhookFailed', data });
    }
    return false;
  }

  /** The next event begins without failures. */
  #settled(): void {
    this.#backoff.reset();
    this.#rejections = 0;
    this.#recorded = false;
    this.#set({ attempts: 0, failingSince: 0, nextAttemptAt: 0, problem: null });
  }

  #save(): void {
    const { cursors, log, now } = this.#parts;
    const { position } = this.#status;
    cursors.put({ webhook: this.#id, epoch: this.#epoch, position, hash: log.hashAt(position) ?? '' });
    this.#savedAt = now();
  }

  /** Waits for this time, or until it is woken up. New events do not end a pause between attempts. */
  async #sleep(ms: number): Promise<void> {
    if (this.#current.signal.aborted || (this.#woken && ms === Number.POSITIVE_INFINITY)) return;
    await new Promise<void>((resolve) => {
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms).unref();
      this.#wake = () => {
        if (timer !== undefined && !this.#current.signal.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }
}

/** Whether a webhook delivers an event. */
function isWanted({ types }: Webhook, { type }: RecordedEvent): boolean {
  if (UNDELIVERED.has(type)) return false;
  return types.length === 0 || withMany(types).includes(type) || types.includes(groupOf(type));
}
