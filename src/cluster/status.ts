import { openClusterStore, storedIdentity } from '../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../adapters/nats/connection.js';
import { type ClusterMember, type LogServer, membersOf, type StreamFault } from '../commands/ports/cluster.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import type { Journal } from '../store/journal.js';
import { align, type Relation } from './alignment.js';
import { faultIn } from './damage/stream-fault.js';
import { type Election, type ElectionLog, lastElection } from './election.js';
import { withoutLogin } from './shown-url.js';

/** The cluster as one machine sees it. */
export interface ClusterStatus {
  /** The member that has the lease, or null. */
  readonly leader: string | null;
  /** Sequence of the last message of the stream. */
  readonly last: number;
  /** The last position that the log of this machine and the stream have in common. */
  readonly position: number;
  readonly relation: Relation;
  /** What is wrong with the stream; null = nothing. */
  readonly fault: StreamFault | null;
  /** The NATS servers with a copy of the log. */
  readonly servers: readonly LogServer[];
  /** The last change of the leader in the log of this machine. */
  readonly failover: Election | null;
}

type Store = Awaited<ReturnType<typeof openClusterStore>>;

/** `log`: that the stream must have; null = the stream is not needed. */
async function withStore<T>(
  options: NatsOptions,
  log: Pick<ElectionLog, 'lastOf'> | null,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const connection = await connectNats(options);
  try {
    if (log !== null && (await storedIdentity(connection)) === null) {
      const url = withoutLogin(options.url);
      if (lastElection(log) === null) throw new MessageError(message('start.clusterNotInitialized', { url }));
      throw new MessageError(message('cluster.streamDeleted', { url }));
    }
    return await use(await openClusterStore(connection, options.name));
  } finally {
    await closeNats(connection);
  }
}

/**
 * Compares the log of a machine with the stream, and asks who leads. Rejects with `ClusterAway` without an answer, and with
 * `MessageError` without a stream.
 */
export function clusterStatus(options: NatsOptions, { log }: Pick<Journal, 'log'>): Promise<ClusterStatus> {
  return withStore(options, log, async ({ stream, lease }) => {
    const { relation, position } = await align(stream, log);
    const ends = await stream.ends();
    const [leader, servers] = [await lease.holder(), await stream.servers()];
    const [{ last }, fault] = [ends, faultIn(ends, 0)];
    return { leader, last, position, relation, fault, servers, failover: lastElection(log) };
  });
}

/** The last reports of the members. Rejects with `ClusterAway` without an answer. */
export function clusterMembers(options: NatsOptions): Promise<readonly ClusterMember[]> {
  return withStore(options, null, async ({ members }) => membersOf(await members.all()));
}
