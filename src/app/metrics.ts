import type { ClusterView } from '../commands/ports/cluster.js';
import type { FollowerStatus } from '../followers/pool.js';
import { createMetrics, type Metrics, type WebhookFigures } from '../http/ops/metrics.js';
import type { Text } from '../messages/message.js';
import { refusedByDisk } from '../store/storage-watch.js';
import { version } from '../version.js';
import type { Panel } from './panel.js';

/** Why changes cannot be saved, or null. */
export const storageProblem = (panel: Panel): Text | null => panel.store.startup.complaint ?? refusedByDisk(panel);

/** The figures for monitoring. They are constructed at the first scrape, because most panels are not monitored. */
export class PanelMetrics {
  readonly #panel: Panel;
  #metrics: Metrics | null = null;
  /** The processes that answer subscriptions beside the panel. */
  followers: () => readonly FollowerStatus[] = () => [];
  /** The cluster, as this member sees it; null = there is none. */
  cluster: (() => ClusterView) | null = null;

  readonly #webhooks: () => readonly WebhookFigures[];

  constructor(panel: Panel, webhooks: () => readonly WebhookFigures[]) {
    this.#panel = panel;
    this.#webhooks = webhooks;
  }

  get(): Metrics {
    const { read, log, now } = this.#panel;
    const writable = (): boolean => storageProblem(this.#panel) === null;
    this.#metrics ??= createMetrics({
      ...{ read, log, version, now, writable },
      ...{ followers: () => this.followers(), webhooks: this.#webhooks, cluster: this.cluster },
    });
    return this.#metrics;
  }
}
