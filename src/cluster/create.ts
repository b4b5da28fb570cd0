import { createClusterStore, openKeyBucket, storedIdentity } from '../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../adapters/nats/connection.js';
import type { NatsKeyBucket } from '../adapters/nats/key-bucket.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import type { Journal } from '../store/journal.js';
import { withoutLogin } from './shown-url.js';

/** Keys that are in memory at the same time. */
const TOGETHER = 5000;

/** What a new cluster begins with. */
export interface Created {
  /** Position of the last event before the stream. */
  readonly base: number;
  readonly keys: number;
  readonly replicas: number;
}

/**
 * Creates the stream and the buckets for the log of a panel, which becomes the first member. Throws `MessageError` when the
 * log is empty, or when there is a cluster already.
 */
export async function createCluster(
  options: NatsOptions,
  { log }: Pick<Journal, 'log'>,
  replicas: number,
): Promise<Created> {
  const identity = log.at(1)?.id;
  if (identity === undefined) throw new MessageError(message('cluster.logEmpty'));
  const connection = await connectNats(options);
  try {
    const url = withoutLogin(options.url);
    if ((await storedIdentity(connection)) !== null) throw new MessageError(message('cluster.exists', { url }));
    const base = log.head().position;
    // The keys first: once there is a stream, a member may need any of them.
    const create = async (): Promise<number> => {
      const keys = await storeKeys(await openKeyBucket(connection, replicas), log);
      await createClusterStore(connection, { log: identity, base }, replicas);
      return keys;
    };
    const keys = await create().catch((cause: unknown) => {
      throw new MessageError(
        message('cluster.createFailed', { url, why: cause instanceof Error ? cause.message : String(cause) }),
        { cause },
      );
    });
    return { base, keys, replicas };
  } finally {
    await closeNats(connection);
  }
}

/** Stores every key of a log in the bucket. Resolves to their count. */
export async function storeKeys(bucket: NatsKeyBucket, { stored }: Pick<SqliteEventLog, 'stored'>): Promise<number> {
  const ids = stored.keyIds();
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER).map((id) => [id, stored.keyring.wrapped(id)] as const);
    await bucket.put(new Map(some.flatMap(([id, wrapped]) => (wrapped ? [[id, wrapped]] : []))));
  }
  await bucket.markComplete();
  return ids.length;
}
