import { openClusterStore } from '../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../adapters/nats/connection.js';
import type { Journal } from '../store/journal.js';
import { align, type Relation } from './alignment.js';

/** The cluster as one machine sees it. */
export interface ClusterStatus {
  /** The member that has the lease, or null. */
  readonly leader: string | null;
  /** Sequence of the last message of the stream. */
  readonly last: number;
  /** The last position that the log of this machine and the stream have in common. */
  readonly position: number;
  readonly relation: Relation;
}

/** Compares the log of a machine with the stream, and asks who leads. Rejects with `ClusterAway` without an answer. */
export async function clusterStatus(options: NatsOptions, { log }: Pick<Journal, 'log'>): Promise<ClusterStatus> {
  const connection = await connectNats(options);
  try {
    const { stream, lease } = await openClusterStore(connection, options.name);
    const { relation, position } = await align(stream, log);
    const { last } = await stream.ends();
    return { leader: await lease.holder(), last, position, relation };
  } finally {
    await closeNats(connection);
  }
}
