import type { NodeId } from '../../events/ids.js';
import type { Bucket, Sample } from './gauges.js';

/** `cpu` and `mem` in percent, `latency` of a probe in ms, `lag`: changes that wait for the node. */
export const nodeMetrics = ['cpu', 'mem', 'latency', 'lag'] as const;
export type NodeMetric = (typeof nodeMetrics)[number];

/** Measurements of nodes over the last six hours. They are not events: losing them is harmless. */
export interface NodeHistories {
  /** Only `lag` is known of a node that does not answer. */
  add(node: NodeId, values: Readonly<Partial<Record<NodeMetric, number>>>): void;
  /** Oldest first; steps without a reading are left out. */
  history(node: NodeId, metric: NodeMetric, bucket: Bucket): readonly Sample[];
  forget(node: NodeId): void;
}
