import { WebhookCursorFile } from '../adapters/sqlite/webhook-cursors.js';
import type { Web } from '../commands/ports/web.js';
import { dispatchAs } from '../commands/reactors/dispatch-as.js';
import { WebhookDeliveries } from '../commands/reactors/webhooks/webhook-deliveries.js';
import type { EventFeed } from '../http/live/event-feed.js';
import type { WebhookFigures } from '../http/ops/metrics.js';
import type { Disposal } from '../lib/disposal.js';
import type { Panel } from './panel.js';

interface Parts {
  readonly web: Web;
  readonly feed: Pick<EventFeed, 'textOf'>;
  /** Whether the cluster has confirmed what was appended; without a cluster, at once. */
  readonly confirmed: () => Promise<boolean>;
  readonly warn: (message: string, fields?: object) => void;
}

type WebhookPanel = Pick<Panel, 'read' | 'log' | 'dispatch' | 'now' | 'directory'>;

/** The deliveries of webhooks. Their file is opened now; nothing is sent before `begin`. */
export function createWebhooks(
  { read, log, dispatch, now, directory }: WebhookPanel,
  { web, feed, confirmed, warn }: Parts,
) {
  const cursors = new WebhookCursorFile(directory.webhooks, warn);
  const deliveries = new WebhookDeliveries({
    ...{ web, log, cursors, confirmed, now, warn },
    webhooks: () => read.records.webhooks(),
    changed$: read.changed$,
    // The same event as in the event feed, in the envelope of Standard Webhooks.
    deliveryOf: (event) => {
      const head = JSON.stringify({
        type: event.type,
        timestamp: new Date(event.meta.at).toISOString(),
        generation: log.generation,
      });
      return { id: event.id, body: `${head.slice(0, -1)},"data":${feed.textOf(event)}}` };
    },
    dispatch: dispatchAs('webhooks', dispatch, warn),
  });
  return {
    deliveries,
    figures: (): readonly WebhookFigures[] =>
      [...read.records.webhooks().byId.values()].map(({ id, name, paused, deadLetters }) => {
        const { position = 0, delivered = 0, failed = 0, problem = null } = deliveries.status(id) ?? {};
        const lag = Math.max(0, log.head().position - position);
        const up = paused === null && problem === null;
        return { id, name, up, lag, delivered, failed, deadLetters: deadLetters.length };
      }),
    start(disposal: Disposal): void {
      // The last to be added is the first to be called.
      disposal.add(() => cursors.close());
      deliveries.begin();
      disposal.add(() => deliveries.stop());
    },
  };
}
