import { openClusterStore, repairBuckets, storedIdentity } from '../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions, NatsRefused } from '../adapters/nats/connection.js';
import { isWithoutJetStream } from '../adapters/nats/errors.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { StreamMissing } from '../commands/ports/cluster.js';
import { MessageError } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import type { Identity } from './closed-log.js';
import { storeKeys } from './create.js';
import { withoutLogin } from './shown-url.js';

type Warn = (message: string, fields?: object) => void;

/** A connection to the cluster of a log. */
export interface Connected {
  readonly connection: Awaited<ReturnType<typeof connectNats>>;
  readonly store: Awaited<ReturnType<typeof openClusterStore>>;
}

/**
 * Connects to the cluster of a log. Throws `MessageError` when the servers refuse the connection or have another cluster or
 * none, `StreamMissing` when the stream of the log was deleted, and `ClusterAway`.
 */
export async function connectTo(options: NatsOptions & { readonly warn: Warn }, log: Identity): Promise<Connected> {
  const url = withoutLogin(options.url);
  const refused = (error: unknown): never => {
    if (!(error instanceof NatsRefused)) throw error;
    throw new MessageError(refusalText(error, options.url), { cause: error });
  };
  const connection = await connectNats(options).catch(refused);
  try {
    const found = await storedIdentity(connection).catch(refused);
    if (found === null && log.wasMember) throw new StreamMissing('the stream was deleted');
    if (found === null) throw new MessageError(message('start.clusterNotInitialized', { url }));
    if (found.log !== log.id)
      throw new MessageError(message('start.clusterOtherPanel', { url, found: found.log, expected: log.id }));
    await repair(connection, options.warn);
    return { connection, store: await openClusterStore(connection, options.name) };
  } catch (error) {
    await closeNats(connection);
    throw error;
  }
}

/** Why the servers do not accept this member, and what to change. */
export function refusalText(error: Error, address: string): Text {
  const url = withoutLogin(address);
  return isWithoutJetStream(error)
    ? message('start.clusterNoJetStream', { url })
    : message('start.clusterRefused', { url, why: error.message });
}

/** Creates buckets again that were deleted. */
async function repair(connection: Connected['connection'], warn: Warn): Promise<void> {
  const buckets = await repairBuckets(connection);
  if (buckets.length > 0) warn('buckets of the cluster were missing and were created again', { buckets });
}

/** Creates buckets again that were deleted. `log`: of the leader, which has every key; null on a follower. */
export async function repairStore(
  { connection, store }: Connected,
  log: SqliteEventLog | null,
  warn: Warn,
): Promise<void> {
  await repair(connection, warn);
  if (log === null || (await store.keys.isComplete())) return;
  warn('the keys were stored in the cluster again', { count: await storeKeys(store.keys, log) });
}
