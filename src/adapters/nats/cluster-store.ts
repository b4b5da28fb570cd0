import { type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/nats-core';
import { StreamMissing } from '../../commands/ports/cluster.js';
import { NatsBatchStream, STREAM, SUBJECT } from './batch-stream.js';
import { NatsRefused, REQUEST_MS } from './connection.js';
import { isWithoutJetStream, natsRequest } from './errors.js';
import { KEY_BUCKET, NatsKeyBucket } from './key-bucket.js';
import { NatsLease } from './lease.js';
import { MEMBER_BUCKET, NatsMemberReports } from './member-reports.js';

/** How long a leader may be without a renewal, in ms. Three renewals fit into it. */
export const LEASE_MS = 4000;
const LEASE_BUCKET = 'PORTOLAN_LEASE';
/** How long the stream recognizes a repeated message, in ns. */
const DUPLICATE_NS = 120_000_000_000;

/** What the stream says about the log in it. */
interface Identity {
  /** The id of the first event, which tells one panel from another. */
  readonly log: string;
  /** The position of the log when the stream was created. */
  readonly base: number;
}

/** The bucket for the data keys, which is created if there is none. `replicas`: 1, or 3 when there are three servers. */
export async function openKeyBucket(connection: NatsConnection, replicas: number): Promise<NatsKeyBucket> {
  const options = { replicas, storage: 'file' as const, history: 1, timeout: REQUEST_MS, allow_direct: true };
  const bucket = await natsRequest(() => new Kvm(connection).create(KEY_BUCKET, options));
  const manager = await managerOf(connection);
  // The options of a bucket lack it.
  await natsRequest(() => manager.streams.update(`KV_${KEY_BUCKET}`, { allow_atomic: true }));
  return new NatsKeyBucket(bucket, manager);
}

/** Creates the lease, the bucket for members and the stream of a cluster, whose bucket for keys is complete. */
export async function createClusterStore(
  connection: NatsConnection,
  identity: Identity,
  replicas: number,
): Promise<void> {
  await createBuckets(connection, replicas);
  // The last one: a cluster exists once it has its stream.
  await createStream(connection, { ...identity }, replicas);
}

const managerOf = (connection: NatsConnection): Promise<JetStreamManager> =>
  natsRequest(() => jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false }));

/** Creates the bucket of the lease and that of the members. They hold nothing that is not written again within seconds. */
async function createBuckets(connection: NatsConnection, replicas: number): Promise<void> {
  const kvm = new Kvm(connection);
  await natsRequest(() => kvm.create(LEASE_BUCKET, { ttl: LEASE_MS, replicas, storage: 'file', history: 1 }));
  await natsRequest(() => kvm.create(MEMBER_BUCKET, { replicas, storage: 'file', history: 1 }));
}

/**
 * Creates the buckets again that do not exist: they were deleted, or the cluster is older than they are. Resolves to their names. A
 * new bucket for keys is empty; see `isComplete`.
 */
export async function repairBuckets(connection: NatsConnection): Promise<readonly string[]> {
  const manager = await managerOf(connection);
  const missing: string[] = [];
  for (const bucket of [LEASE_BUCKET, MEMBER_BUCKET, KEY_BUCKET])
    if (!(await hasStream(manager, `KV_${bucket}`))) missing.push(bucket);
  if (missing.length === 0) return [];
  const { config } = await natsRequest(() => manager.streams.info(STREAM));
  await createBuckets(connection, config.num_replicas);
  await openKeyBucket(connection, config.num_replicas);
  return missing;
}

async function hasStream(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await natsRequest(() => manager.streams.info(name));
    return true;
  } catch (error) {
    if (error instanceof StreamMissing) return false;
    throw error;
  }
}

/** Deletes the stream, and creates it again with the buckets that are missing. It is not complete until `finishStream`. */
export async function replaceStream(connection: NatsConnection, identity: Identity, replicas: number): Promise<void> {
  const manager = await managerOf(connection);
  if (await hasStream(manager, STREAM)) await natsRequest(() => manager.streams.delete(STREAM));
  await createStream(connection, { ...identity, building: 'true' }, replicas);
  await repairBuckets(connection);
}

/** A rebuilt stream is complete. `rebuilt`: what the next leader records; see `storedRebuild`. */
export async function finishStream(connection: NatsConnection, identity: Identity, rebuilt: string): Promise<void> {
  const manager = await managerOf(connection);
  const metadata = { ...identity, base: String(identity.base), rebuilt };
  await natsRequest(() => manager.streams.update(STREAM, { metadata }));
}

/** What the last rebuild of the stream has stored in it; null = none. */
export async function storedRebuild(connection: NatsConnection): Promise<string | null> {
  const manager = await managerOf(connection);
  const { config } = await natsRequest(() => manager.streams.info(STREAM));
  return config.metadata?.['rebuilt'] ?? null;
}

/** How many copies the stream or the bucket for keys has; null = neither exists. */
export async function storedReplicas(connection: NatsConnection): Promise<number | null> {
  const manager = await managerOf(connection);
  for (const name of [STREAM, `KV_${KEY_BUCKET}`])
    if (await hasStream(manager, name))
      return (await natsRequest(() => manager.streams.info(name))).config.num_replicas;
  return null;
}

/** Creates the stream for a log. `building`: it is not complete until `finishStream`. */
async function createStream(
  connection: NatsConnection,
  metadata: Identity & { readonly building?: string },
  replicas: number,
): Promise<void> {
  const manager = await managerOf(connection);
  const config: Partial<StreamConfig> & { name: string } = {
    name: STREAM,
    subjects: [SUBJECT],
    num_replicas: replicas,
    storage: 'file',
    duplicate_window: DUPLICATE_NS,
    allow_direct: false,
    deny_delete: true,
    metadata: { ...metadata, base: String(metadata.base) },
  };
  await natsRequest(() => manager.streams.add(config));
}

/** The identity of the log in the stream; null = there is no stream. Rejects with `NatsRefused` if JetStream is not allowed. */
export async function storedIdentity(connection: NatsConnection): Promise<Identity | null> {
  const manager = await managerOf(connection);
  try {
    const { config } = await natsRequest(() => manager.streams.info(STREAM));
    return { log: config.metadata?.['log'] ?? '', base: Number(config.metadata?.['base'] ?? 0) };
  } catch (error) {
    if (error instanceof StreamMissing) return null;
    if (error instanceof Error && isWithoutJetStream(error)) throw new NatsRefused(error.message, { cause: error });
    throw error;
  }
}

/** Opens the part that a subscription mirror reads, and the reports. */
export async function openMirrorStore(connection: NatsConnection) {
  const [stream, members] = await Promise.all([NatsBatchStream.open(connection), NatsMemberReports.open(connection)]);
  return { stream, members };
}

/** Opens what `createClusterStore` has created. */
export async function openClusterStore(connection: NatsConnection, name: string) {
  const kvm = new Kvm(connection);
  const options = { timeout: REQUEST_MS, bindOnly: true, allow_direct: false };
  const [stream, lease, keys, members, manager] = await Promise.all([
    NatsBatchStream.open(connection),
    natsRequest(() => kvm.open(LEASE_BUCKET, options)),
    natsRequest(() => kvm.open(KEY_BUCKET, options)),
    NatsMemberReports.open(connection),
    managerOf(connection),
  ]);
  return { stream, lease: new NatsLease(lease, name), keys: new NatsKeyBucket(keys, manager), members };
}
