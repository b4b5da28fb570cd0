import type { NodeId } from '../../events/ids.js';
import type { NodeSpec } from '../../events/node/node.js';
import type { Bucket, Sample } from './gauges.js';

/** Where a remote panel is, and what it lets us in by. */
export interface NodeAddress extends Pick<NodeSpec, 'scheme' | 'host' | 'port' | 'basePath' | 'allowPrivateAddress'> {
  /** Bearer; empty = none is sent. */
  readonly token: string;
}

/** Where a path of a node's API is. */
export function nodeUrl({ scheme, host, port, basePath }: Omit<NodeAddress, 'token'>, path = ''): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}${path}`;
}

/** What a panel says of itself when it is probed. */
export interface NodeReading {
  readonly kind: 'portolan' | '3x-ui';
  /** The lasting name of a panel of ours; empty for 3x-ui. */
  readonly panelId: string;
  /** Percent, 0 to 100. */
  readonly cpu: number;
  readonly mem: number;
  readonly coreVersion: string;
  /** Of its machine, in whole seconds. */
  readonly uptimeSecs: number;
  /** From the question to the last byte of the answer. */
  readonly latencyMs: number;
}

export const nodeMetrics = ['cpu', 'mem'] as const;
export type NodeMetric = (typeof nodeMetrics)[number];

/** What nodes were like over the last six hours. No events: a lost one harms nobody. */
export interface NodeHistories {
  add(node: NodeId, values: Readonly<Record<NodeMetric, number>>): void;
  /** Oldest first; steps without a reading are left out. */
  history(node: NodeId, metric: NodeMetric, bucket: Bucket): readonly Sample[];
  forget(node: NodeId): void;
}

export interface Nodes {
  /** Asks a panel for its status, once, within 4 s. Rejects with `NodeError`. */
  probe(node: NodeAddress): Promise<NodeReading>;
}

/**
 * Why a remote panel did not do what it was asked. `message` is for people: it never holds the token, a header, or more
 * than a line of what the panel said.
 *
 * - `refused`: the address is private, and the node may not be; no packet was sent
 * - `unreachable`, `timeout`, `certificate`: no whole answer came
 * - `status`: an HTTP status other than 200; a redirect is one, and is not followed
 * - `too-large`: more bytes than were asked for, after decompression
 * - `not-an-envelope`: 200, and not the answer of a panel
 * - `said-no`: the panel understood and declined
 */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly kind:
    | 'refused'
    | 'unreachable'
    | 'timeout'
    | 'certificate'
    | 'status'
    | 'too-large'
    | 'not-an-envelope'
    | 'said-no';
  /** Of kind 'status': what the server answered; 0 otherwise. */
  readonly status: number;

  constructor(kind: NodeError['kind'], message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.kind = kind;
    this.status = options.status ?? 0;
  }
}
