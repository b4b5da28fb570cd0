import { z } from 'zod';
import { NatsBatchStream } from '../../adapters/nats/batch-stream.js';
import {
  finishStream,
  openClusterStore,
  openKeyBucket,
  replaceStream,
  storedIdentity,
  storedRebuild,
  storedReplicas,
} from '../../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../../adapters/nats/connection.js';
import { NatsMemberReports } from '../../adapters/nats/member-reports.js';
import { LogReplication } from '../../adapters/sqlite/replication/log-replication.js';
import { type ReportedMember, StreamMissing } from '../../commands/ports/cluster.js';
import type { RebuildReason } from '../../events/cluster.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { Journal } from '../../store/journal.js';
import { verifyLog } from '../../store/verify.js';
import { storeKeys } from '../create.js';
import type { ElectionLog } from '../election.js';
import { withoutLogin } from '../shown-url.js';
import type { Record } from '../steering.js';
import { type Comparison, compare } from './verify.js';

/** Events in a rebuilt stream. A member that is further behind gets a new copy of the log. */
const KEPT_EVENTS = 100_000;

type Connection = Awaited<ReturnType<typeof connectNats>>;
type Log = Pick<Journal, 'log'>;

/** How the stream relates to the log of this machine. */
export interface Verification extends Comparison {
  /** The head of the log, whose chain was verified. */
  readonly position: number;
  /** What is to be repaired; null = nothing. */
  readonly reason: RebuildReason | null;
}

/** Compares the whole stream with the verified log of this machine. Throws `MessageError` for a log with a damaged chain. */
export async function verifyCluster(options: NatsOptions, journal: Log): Promise<Verification> {
  verified(journal);
  return compareWithStream(options, journal);
}

/** The same without the chain of the log: only the stream is read whole. Throws `MessageError` for the stream of another panel. */
export async function compareWithStream(options: NatsOptions, journal: Log): Promise<Verification> {
  const connection = await connectNats(options);
  try {
    return await verification(connection, options, journal);
  } finally {
    await closeNats(connection);
  }
}

/** The last position whose payload may have been removed. */
function verified({ log }: Log): number {
  let rolledTo = 0;
  const { fault, keys } = verifyLog(log, (events) => {
    for (const { type, data } of events) if (type === 'MeasurementsRolledUp') rolledTo = data.toPosition;
  });
  if (fault) throw new MessageError(message('cluster.ownLogDamaged', { position: fault.position, why: fault.what }));
  if (keys) throw new MessageError(keys);
  return rolledTo;
}

async function verification(connection: Connection, { url }: NatsOptions, { log }: Log): Promise<Verification> {
  const { position } = log.head();
  const identity = await storedIdentity(connection);
  const id = log.at(1)?.id ?? '';
  const none = { difference: null, messages: 0, last: null, position };
  if (identity === null) return { ...none, fault: 'missing', reason: 'missing' };
  if (identity.log !== '' && identity.log !== id)
    throw new MessageError(
      message('start.clusterOtherPanel', { url: withoutLogin(url), found: identity.log, expected: id }),
    );
  const reports = await reportsOf(connection);
  const acknowledged = Math.max(0, ...reports.map((report) => report.acknowledged?.position ?? 0));
  const found = await compare(await NatsBatchStream.open(connection), new LogReplication(log));
  const end = found.last ?? identity.base;
  const isShort = found.difference === null && acknowledged > end;
  const fault = found.fault ?? (isShort ? 'shortened' : null);
  return { ...found, fault, position, reason: fault ?? (found.difference === null ? null : 'changed') };
}

/** The last reports; none when their bucket was deleted. */
async function reportsOf(connection: Connection): Promise<readonly ReportedMember[]> {
  try {
    return await (await NatsMemberReports.open(connection)).all();
  } catch (error) {
    if (error instanceof StreamMissing) return [];
    throw error;
  }
}

/** Throws `MessageError` when another member has later events, or others, that the cluster has acknowledged. */
function assertNewest(reports: readonly ReportedMember[], { log }: Log, except: readonly string[]): void {
  const { position } = log.head();
  for (const { name: member, acknowledged } of reports) {
    if (except.includes(member) || !acknowledged) continue;
    if (acknowledged.position > position)
      throw new MessageError(
        message('cluster.rebuildBehind', { member, position: acknowledged.position, own: position }),
      );
    if (log.hashAt(acknowledged.position) !== acknowledged.hash)
      throw new MessageError(message('cluster.rebuildOther', { member, position: acknowledged.position }));
  }
}

/** What a rebuild does, or has done. */
export interface Rebuilt {
  readonly reason: RebuildReason;
  readonly fromPosition: number;
  readonly toPosition: number;
}

interface Options extends NatsOptions {
  /** Members whose machines are lost: what only they have is given up. */
  readonly without?: readonly string[];
  /** Copies of each event; null = as many as before. */
  readonly replicas: number | null;
  readonly now: () => number;
  /** Whether to do it; else only what would be done is returned. */
  readonly confirmed: boolean;
}

/**
 * Rebuilds the stream from the log of this machine, after its chain was verified. Throws `MessageError` when the stream is
 * sound, and when another member has events that this log does not have.
 */
export async function rebuildCluster(options: Options, journal: Log): Promise<Rebuilt> {
  const { log } = journal;
  const rolledTo = verified(journal);
  const connection = await connectNats(options);
  try {
    const { reason, position, last } = await verification(connection, options, journal);
    if (reason === null) throw new MessageError(message('cluster.rebuildNotNeeded'));
    const reports = await reportsOf(connection);
    assertNewest(reports, journal, [options.name, ...(options.without ?? [])]);
    if (reason !== 'building' && last !== null && last > position)
      throw new MessageError(message('cluster.rebuildBehindStream', { position: last, own: position }));
    const base = Math.max(rolledTo, position - KEPT_EVENTS, 0);
    const rebuilt = { reason, fromPosition: base + 1, toPosition: position };
    if (!options.confirmed) return rebuilt;
    const replicas = options.replicas ?? (await storedReplicas(connection)) ?? 3;
    const identity = { log: log.at(1)?.id ?? '', base };
    await storeKeys(await openKeyBucket(connection, replicas), log);
    await replaceStream(connection, identity, replicas);
    // Otherwise the new stream would count as shortened.
    const members = await NatsMemberReports.open(connection);
    for (const lost of options.without ?? []) await members.remove(lost);
    await fill(connection, options.name, journal, base);
    const stored: StoredRebuild = { member: options.name, at: options.now(), ...rebuilt };
    await finishStream(connection, identity, JSON.stringify(stored));
    return rebuilt;
  } finally {
    await closeNats(connection);
  }
}

async function fill(connection: Connection, name: string, { log }: Log, base: number): Promise<void> {
  const { stream } = await openClusterStore(connection, name);
  const replica = new LogReplication(log);
  let sequence = 0;
  for (let batch = replica.batchAfter(base); batch !== null; batch = replica.batchAfter(batch.last))
    sequence = await stream.publish(batch, sequence);
}

const Stored = z.object({
  member: z.string(),
  at: z.int(),
  reason: z.enum(['missing', 'purged', 'shortened', 'incomplete', 'building', 'changed']),
  fromPosition: z.int(),
  toPosition: z.int(),
});
type StoredRebuild = z.output<typeof Stored>;

/** Records, as the leader, the last rebuild of the stream, unless the log has it. */
export async function recordRebuild(
  connection: Connection,
  log: Pick<ElectionLog, 'lastOf'>,
  record: Record,
): Promise<void> {
  const stored = await storedRebuild(connection);
  if (stored === null) return;
  const data = Stored.parse(JSON.parse(stored));
  const last = log.lastOf('cluster', ['StreamRebuilt']);
  if (last?.type === 'StreamRebuilt' && last.data.at === data.at) return;
  record({ type: 'RecordStreamRebuilt', data });
}
