import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { mayConnect } from '../events/client-document.js';
import type { EventLog } from '../events/log.js';
import type { ReadModels } from '../projections/read-models.js';

interface Measured {
  readonly read: ReadModels;
  readonly log: Pick<EventLog, 'head'>;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a scraper is given. */
export interface Metrics {
  readonly type: string;
  text(): Promise<string>;
}

/**
 * The figures of the panel in the text format of Prometheus. They are read when they are asked for. No series names a
 * client: their number would be that of the clients, and the names are personal.
 */
export function createMetrics({ read, log, version, now }: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'portolan_' });
  const gauge = (name: string, help: string, measure: (set: Gauge['set']) => void, labelNames: string[] = []): void => {
    const made: Gauge = new Gauge({
      name: `portolan_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        made.reset();
        measure(made.set.bind(made) as Gauge['set']);
      },
    });
  };
  gauge('info', 'The version of the panel.', (set) => set({ version }, 1), ['version']);
  gauge('log_position', 'Position of the last event in the log.', (set) => set(log.head().position));
  gauge('core_up', 'Whether the core runs.', (set) => set(read.core().process.state === 'running' ? 1 : 0));
  gauge('core_started_seconds', 'When the run of the core began, in seconds since 1970; 0 = it does not run.', (set) =>
    set(read.core().process.since / 1000),
  );
  gauge('inbounds', 'Inbounds.', (set) => set(read.inbounds().length));
  gauge('inbounds_refused', 'Inbounds that the core does not take.', (set) => set(read.core().refused.size));
  gauge(
    'clients',
    'Clients by what they may do: connect, or not because an admin or a limit says no.',
    (set) => {
      const counts = { allowed: 0, disabled: 0, depleted: 0 };
      for (const client of read.clients()) {
        counts[mayConnect(client) ? 'allowed' : client.terms.enabled ? 'depleted' : 'disabled'] += 1;
      }
      for (const [state, count] of Object.entries(counts)) set({ state }, count);
    },
    ['state'],
  );
  gauge('clients_online', 'Clients with a live connection, or with bytes in the last seconds.', (set) =>
    set(read.onlineEmails(now()).length),
  );
  const bytes: Counter = new Counter({
    name: 'portolan_inbound_bytes_total',
    help: 'Bytes of an inbound since it was added, both ways; no reset takes them away.',
    labelNames: ['tag'],
    registers: [registry],
    collect() {
      bytes.reset();
      for (const inbound of read.inbounds()) bytes.inc({ tag: inbound.tag }, read.inboundAllTime(inbound));
    },
  });
  gauge(
    'outbound_bytes',
    'Bytes of an outbound since its counters were last reset.',
    (set) => {
      for (const [tag, { up, down }] of read.outboundCounters()) {
        set({ tag, direction: 'up' }, up);
        set({ tag, direction: 'down' }, down);
      }
    },
    ['tag', 'direction'],
  );
  return { type: registry.contentType, text: () => registry.metrics() };
}
