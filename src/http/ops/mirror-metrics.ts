import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Metrics } from './metrics.js';

interface Measured {
  readonly version: string;
  /** The position of the last event in its log. */
  readonly head: () => number;
  /** Since when the cluster does not answer; null = it answers. */
  readonly awayAt: () => number | null;
}

/** The figures of a subscription mirror in the text format of Prometheus, under the names that panels use. */
export function createMirrorMetrics({ version, head, awayAt }: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'portolan_' });
  const gauge = (name: string, help: string, measure: () => number): void => {
    const made: Gauge = new Gauge({
      ...{ name: `portolan_${name}`, help, registers: [registry] },
      collect: () => made.set(measure()),
    });
  };
  new Gauge({
    ...{ name: 'portolan_build_info', help: 'The version of the panel.', labelNames: ['version'] },
    registers: [registry],
  }).set({ version }, 1);
  gauge('log_position', 'Position of the last event in the log.', head);
  gauge('cluster_up', 'Whether the cluster answers this member.', () => (awayAt() === null ? 1 : 0));
  return { type: registry.contentType, text: () => registry.metrics() };
}
