import { jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/nats-core';
import { NatsBatchStream, STREAM, SUBJECT } from './batch-stream.js';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';
import { NatsKeyBucket } from './key-bucket.js';
import { NatsLease } from './lease.js';
import { MEMBER_BUCKET, NatsMemberReports } from './member-reports.js';

/** How long a leader may be without a renewal, in ms. Three renewals fit into it. */
export const LEASE_MS = 4000;
const LEASE_BUCKET = 'PORTOLAN_LEASE';
const KEY_BUCKET = 'PORTOLAN_KEYS';
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
  const options = { replicas, storage: 'file' as const, history: 1, timeout: REQUEST_MS, allow_direct: false };
  return new NatsKeyBucket(await natsRequest(() => new Kvm(connection).create(KEY_BUCKET, options)));
}

/** Creates the lease, the bucket for members and the stream of a cluster, whose bucket for keys is complete. */
export async function createClusterStore(
  connection: NatsConnection,
  { log, base }: Identity,
  replicas: number,
): Promise<void> {
  const manager = await natsRequest(() => jetstreamManager(connection, { timeout: REQUEST_MS }));
  const config: Partial<StreamConfig> & { name: string } = {
    name: STREAM,
    subjects: [SUBJECT],
    num_replicas: replicas,
    storage: 'file',
    duplicate_window: DUPLICATE_NS,
    allow_direct: false,
    deny_delete: true,
    metadata: { log, base: String(base) },
  };
  const kvm = new Kvm(connection);
  await natsRequest(() => kvm.create(LEASE_BUCKET, { ttl: LEASE_MS, replicas, storage: 'file', history: 1 }));
  await natsRequest(() => kvm.create(MEMBER_BUCKET, { replicas, storage: 'file', history: 1 }));
  // The last one: a cluster exists once it has its stream.
  await natsRequest(() => manager.streams.add(config));
}

/** The identity of the log in the stream; null when there is no stream. */
export async function storedIdentity(connection: NatsConnection): Promise<Identity | null> {
  const manager = await natsRequest(() => jetstreamManager(connection, { timeout: REQUEST_MS }));
  const name = await natsRequest(() => manager.streams.find(SUBJECT)).catch(() => null);
  if (name === null) return null;
  const { config } = await natsRequest(() => manager.streams.info(name));
  return { log: config.metadata?.['log'] ?? '', base: Number(config.metadata?.['base'] ?? 0) };
}

/** Opens what `createClusterStore` has created. */
export async function openClusterStore(connection: NatsConnection, name: string) {
  const kvm = new Kvm(connection);
  const options = { timeout: REQUEST_MS, bindOnly: true, allow_direct: false };
  const [stream, lease, keys, members] = await Promise.all([
    NatsBatchStream.open(connection),
    natsRequest(() => kvm.open(LEASE_BUCKET, options)),
    natsRequest(() => kvm.open(KEY_BUCKET, options)),
    NatsMemberReports.open(connection),
  ]);
  return { stream, lease: new NatsLease(lease, name), keys: new NatsKeyBucket(keys), members };
}
