import type { NodeId } from '../../events/ids.js';
import type { Bucket, Sample } from './gauges.js';

export const nodeMetrics = ['cpu', 'mem'] as const;
export type NodeMetric = (typeof nodeMetrics)[number];

/** The load of nodes over the last six hours. They are not events: losing them is harmless. */
export interface NodeHistories {
  add(node: NodeId, values: Readonly<Record<NodeMetric, number>>): void;
  /** Oldest first; steps without a reading are left out. */
  history(node: NodeId, metric: NodeMetric, bucket: Bucket): readonly Sample[];
  forget(node: NodeId): void;
}
