import type { Text } from '../../messages/message.js';
/** Measurements of the machine that have a history. Percent, bytes a second, clients, load. */
export const hostMetrics = ['cpu', 'mem', 'netUp', 'netDown', 'online', 'load1', 'load5', 'load15'] as const;
/** Measurements of the core's memory. Bytes, objects, collections since the start, ns. */
export const coreMetrics = ['coreAlloc', 'coreSys', 'coreHeapObjects', 'coreNumGC', 'corePauseNs'] as const;

export type HostMetric = (typeof hostMetrics)[number];
export type CoreMetric = (typeof coreMetrics)[number];

/** Widths of the steps of a history, in seconds. */
export const buckets = [2, 30, 60, 120, 180, 300] as const;
export type Bucket = (typeof buckets)[number];

/** The mean over one step of a history. */
export interface Sample {
  /** Unix seconds at which the step begins: a multiple of its width. */
  readonly t: number;
  readonly v: number;
}

/** What the observatory of the core last found about an outbound. Times are unix seconds; 0 = never. */
export interface ObservedOutbound {
  readonly tag: string;
  readonly alive: boolean;
  /** Milliseconds; 99999999 is the core's word for a probe that failed. */
  readonly delay: number;
  readonly lastSeenTime: number;
  readonly lastTryTime: number;
}

/** Memory of the running core process: bytes, objects, collections and their pauses in all, in ns. */
export interface CoreRuntime {
  readonly alloc: number;
  readonly sys: number;
  readonly heapObjects: number;
  readonly numGC: number;
  readonly pauseTotalNs: number;
}

/** Metrics of a running core. Both methods reject with `CoreError`. */
export interface CoreMetrics {
  /** Loopback `host:port` of the metrics page of the core that runs; null when none does. */
  readonly listen: string | null;
  runtime(): Promise<CoreRuntime>;
  /** Empty where the template has no observatory. */
  observatory(): Promise<readonly ObservedOutbound[]>;
}

/** The core's measurements as they were read last. */
export interface CoreGauges {
  /** Empty when nothing is read. */
  readonly listen: string;
  /** Why there are no values; null when there are. */
  readonly reason: Text | null;
  /** Null before the first reading of a run. */
  readonly values: Readonly<Record<CoreMetric, number>> | null;
  /** By tag. */
  readonly observatory: readonly ObservedOutbound[];
  /** Unix seconds of the reading. */
  readonly updatedAt: number;
}

/**
 * Measurements and what they were over the last six hours. Steps without a measurement are left out; the oldest comes
 * first. They are not events: losing them is harmless.
 */
export interface Gauges {
  readonly core: CoreGauges;
  history(metric: HostMetric | CoreMetric, bucket: Bucket): readonly Sample[];
  /** Delays of an outbound in ms while it was alive; null for a tag of which nothing is known. */
  delays(tag: string, bucket: Bucket): readonly Sample[] | null;
}
