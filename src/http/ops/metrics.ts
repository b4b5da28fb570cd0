import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ClusterView } from '../../commands/ports/cluster.js';
import { placesIn } from '../../commands/reactors/proof/head-publisher.js';
import { mayConnect } from '../../events/client/client-document.js';
import type { EventLog } from '../../events/log/log.js';
import type { ReadModels } from '../../projections/read-models.js';
import { addClusterFigures } from './cluster-metrics.js';

interface Measured {
  readonly read: ReadModels;
  readonly log: Pick<EventLog, 'head'>;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether changes can be saved. */
  readonly writable: () => boolean;
  /** The processes that answer subscriptions beside the panel. */
  readonly followers: () => readonly FollowerFigures[];
  readonly webhooks: () => readonly WebhookFigures[];
  /** Null = this panel is in no cluster. */
  readonly cluster: (() => ClusterView) | null;
}

export interface WebhookFigures {
  readonly id: number;
  readonly name: string;
  readonly up: boolean;
  /** Events of the log that it is not done with. */
  readonly lag: number;
  /** Attempts since the panel started. */
  readonly delivered: number;
  readonly failed: number;
  readonly deadLetters: number;
}

interface FollowerFigures {
  readonly state: string;
  /** Events that it had not read when it last answered. */
  readonly lag: number;
  readonly restarts: number;
}

/** Default gauges whose names, by convention, are reserved for counters. */
const MISNAMED = ['active_resources', 'active_handles', 'active_requests'];

/** The response to a scrape. */
export interface Metrics {
  readonly type: string;
  text(): Promise<string>;
}

/**
 * The figures of the panel in the text format of Prometheus, read at each scrape. No series has a label with a client: there
 * would be one per client, and the names are personal. See `clientFigures` for those.
 */
export function createMetrics(measured: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'portolan_' });
  for (const name of MISNAMED) registry.removeSingleMetric(`portolan_nodejs_${name}_total`);
  const figures = figuresIn(registry);
  addPanelFigures(figures, measured);
  addCoreFigures(figures, measured);
  addTrafficFigures(figures, measured);
  addNodeFigures(figures, measured);
  addProofFigures(figures, measured);
  addFollowerFigures(figures, measured);
  addWebhookFigures(figures, measured);
  if (measured.cluster) addClusterFigures(figures, measured.cluster);
  return { type: registry.contentType, text: () => registry.metrics() };
}

type Figures = ReturnType<typeof figuresIn>;

/** Adds figures to a registry, each measured when it is read. */
function figuresIn(registry: Registry) {
  const figure = (name: string, help: string, labelNames: string[], measure: () => void) => ({
    ...{ name: `portolan_${name}`, help, labelNames, registers: [registry] },
    collect(this: Gauge | Counter) {
      this.reset();
      measure();
    },
  });
  const gauge = (name: string, help: string, measure: (set: Gauge['set']) => void, labelNames: string[] = []): void => {
    const made: Gauge = new Gauge(figure(name, help, labelNames, () => measure(made.set.bind(made) as Gauge['set'])));
  };
  const counter = (name: string, help: string, labelNames: string[], measure: (inc: Counter['inc']) => void): void => {
    const made: Counter = new Counter(
      figure(name, help, labelNames, () => measure(made.inc.bind(made) as Counter['inc'])),
    );
  };
  return { gauge, counter };
}

function addPanelFigures({ gauge }: Figures, { read, log, version, writable }: Measured): void {
  gauge('build_info', 'The version of the panel.', (set) => set({ version }, 1), ['version']);
  gauge('log_position', 'Position of the last event in the log.', (set) => set(log.head().position));
  gauge('log_writable', 'Whether changes can be saved.', (set) => set(writable() ? 1 : 0));
  gauge(
    'backup_last_good_timestamp_seconds',
    'When the last verified timed backup was made; 0 = there is none.',
    (set) => set((read.records.backups().lastGood?.at ?? 0) / 1000),
  );
}

function addCoreFigures({ gauge }: Figures, { read }: Measured): void {
  gauge('core_up', 'Whether the core runs.', (set) => set(read.records.core().process.state === 'running' ? 1 : 0));
  gauge('core_wanted', 'Whether the core shall run.', (set) => set(read.records.core().process.wanted ? 1 : 0));
  gauge('core_start_time_seconds', 'When the run of the core began, since 1970; 0 = it does not run.', (set) =>
    set(read.records.core().process.since / 1000),
  );
}

function addTrafficFigures({ gauge, counter }: Figures, { read, now }: Measured): void {
  gauge('inbounds', 'Inbounds.', (set) => set(read.inbounds.all().length));
  gauge('inbounds_refused', 'Inbounds that the core does not take.', (set) => set(read.records.core().refused.size));
  gauge(
    'clients',
    'Clients by what they may do: connect, or not because an admin or a limit says no.',
    (set) => {
      const counts = { allowed: 0, disabled: 0, depleted: 0 };
      for (const client of read.clients.all()) {
        counts[mayConnect(client) ? 'allowed' : client.spec.enabled ? 'depleted' : 'disabled'] += 1;
      }
      for (const [state, count] of Object.entries(counts)) set({ state }, count);
    },
    ['state'],
  );
  gauge('clients_online', 'Clients with a live connection, or with bytes in the last seconds.', (set) =>
    set(read.usage.onlineEmails(now()).length),
  );
  counter(
    'inbound_bytes_total',
    'Bytes of an inbound since it was added, both ways; no reset takes them away.',
    ['tag'],
    (inc) => {
      for (const inbound of read.inbounds.all()) inc({ tag: inbound.tag }, read.usage.inboundAllTime(inbound));
    },
  );
  counter('outbound_bytes_total', 'Bytes of an outbound; a reset sets them to zero.', ['tag', 'direction'], (inc) => {
    for (const [tag, { up, down }] of read.usage.outbounds()) {
      inc({ tag, direction: 'up' }, up);
      inc({ tag, direction: 'down' }, down);
    }
  });
}

function addNodeFigures({ gauge }: Figures, { read }: Measured): void {
  gauge(
    'node_up',
    'Whether a node answers, where that is known.',
    (set) => {
      for (const { id, name } of read.nodes.all()) {
        const connectivity = read.nodes.connectivity(id);
        if (connectivity) set({ node: String(id), name }, connectivity.online ? 1 : 0);
      }
    },
    ['node', 'name'],
  );
  gauge(
    'node_lag_changes',
    'Changes that a node has not taken yet.',
    (set) => {
      for (const { id, name } of read.nodes.all()) {
        const lag = read.nodes.outbox(id).reduce((sum, { waiting }) => sum + waiting.length, 0);
        set({ node: String(id), name }, lag);
      }
    },
    ['node', 'name'],
  );
}

function addProofFigures({ gauge, counter }: Figures, { read }: Measured): void {
  counter('heads_signed_total', 'Heads of the log that the panel has signed.', [], (inc) =>
    inc(read.records.proofs().heads.length),
  );
  gauge('head_last_signed_timestamp_seconds', 'When the last head was signed; 0 = none was.', (set) =>
    set((read.records.proofs().last?.at ?? 0) / 1000),
  );
  gauge(
    'head_sink_up',
    'Whether a place in the settings accepts signed heads.',
    (set) => {
      for (const { sink } of placesIn(read.settings.current(), ''))
        set({ sink }, read.records.proofs().sinks.get(sink)?.failing ? 0 : 1);
    },
    ['sink'],
  );
}

function addFollowerFigures({ gauge, counter }: Figures, { followers }: Measured): void {
  gauge(
    'subscription_follower_up',
    'Whether a process that answers subscriptions beside the panel is ready.',
    (set) => {
      for (const [at, { state }] of followers().entries()) set({ follower: String(at) }, state === 'ready' ? 1 : 0);
    },
    ['follower'],
  );
  gauge(
    'subscription_follower_lag_events',
    'Events of the log that the process had not read when it last reported.',
    (set) => {
      for (const [at, { lag }] of followers().entries()) set({ follower: String(at) }, lag);
    },
    ['follower'],
  );
  counter('subscription_follower_restarts_total', 'Times that the process has ended.', ['follower'], (inc) => {
    for (const [at, { restarts }] of followers().entries()) inc({ follower: String(at) }, restarts);
  });
}

function addWebhookFigures({ gauge, counter }: Figures, { webhooks }: Measured): void {
  const labels = ['webhook', 'name'];
  const labelled = ({ id, name }: WebhookFigures) => ({ webhook: String(id), name });
  const each = (name: string, help: string, value: (one: WebhookFigures) => number): void =>
    gauge(name, help, (set) => webhooks().forEach((one) => set(labelled(one), value(one))), labels);
  each('webhook_up', 'Whether the receiver of a webhook accepts deliveries; 0 also when it is paused.', ({ up }) =>
    up ? 1 : 0,
  );
  each('webhook_lag_events', 'Events of the log that a webhook is not done with.', ({ lag }) => lag);
  each('webhook_dead_letters', 'Events that the receiver has rejected, at most 100.', ({ deadLetters }) => deadLetters);
  counter(
    'webhook_attempts_total',
    'Attempts to deliver an event, since the panel started.',
    [...labels, 'result'],
    (inc) => {
      for (const one of webhooks()) {
        inc({ ...labelled(one), result: 'accepted' }, one.delivered);
        inc({ ...labelled(one), result: 'failed' }, one.failed);
      }
    },
  );
}
