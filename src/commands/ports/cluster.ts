import type { Duplex } from 'node:stream';
import type { CommandContext } from '../bus.js';
import type { AnyCommand } from '../catalog.js';
import type { Rejection } from '../rejection.js';
import type { MissingFile } from './cluster/shared-files.js';

/** What a message of the stream says about the events in it. */
export interface BatchLabel {
  /** Positions of the first and the last event. */
  readonly first: number;
  readonly last: number;
  /** Chain hash of the last event, hex. */
  readonly hash: string;
  /** Id of the first event. The stream stores a batch with the same id once. */
  readonly id: string;
}

/** The events of one or several whole commands, in log order. */
export interface Batch extends BatchLabel {
  readonly body: Uint8Array;
}

/** A batch in the stream. */
export interface StreamedBatch extends Batch {
  /** The sequence of its last message. */
  readonly sequence: number;
}

/** The stream did not end where it was expected to: another member has appended, or messages were lost. */
export class WrongSequence extends Error {
  override readonly name = 'WrongSequence';
}

/** The stream could not be reached, or has no quorum. The same call may succeed later. */
export class ClusterAway extends Error {
  override readonly name: string = 'ClusterAway';
}

/** The stream, or a bucket, does not exist: it was deleted. */
export class StreamMissing extends ClusterAway {
  override readonly name: string = 'StreamMissing';
}

/**
 * What is wrong with the stream. `missing`: it was deleted. `purged`: it begins later than it should. `shortened`: it ends
 * earlier than what this member has had from it. `incomplete`: messages within it are missing. `building`: `portolan cluster
 * rebuild` is filling it, or was stopped.
 */
export type StreamFault = 'missing' | 'purged' | 'shortened' | 'incomplete' | 'building';

export interface StreamEnds {
  /** Sequence before the first message, and of the last one. Equal for an empty stream. */
  readonly before: number;
  readonly last: number;
  /** The position of the log at which the stream was created: it has only later events. */
  readonly base: number;
  /** Messages in it. */
  readonly messages: number;
  /** The last sequence that the leader has removed, or is removing, because it is old. 0 = none. */
  readonly removed: number;
  /** Whether it is not complete yet; see `StreamFault`. */
  readonly isBuilding: boolean;
}

/** A message in the stream: a whole batch, or a part of one. */
export interface FoundLabel extends BatchLabel {
  readonly sequence: number;
  /** Whether it ends its batch. */
  readonly complete: boolean;
  /** When it was stored, in ms since 1970 by the clock of the servers. */
  readonly storedAt: number;
}

/** The replicated stream of batches. Every call rejects with `ClusterAway` when it gets no answer in time. */
export interface BatchStream {
  /** Where the stream begins and ends. */
  ends(): Promise<StreamEnds>;
  /** The servers with a copy of it, by name. Rejects with `ClusterAway` also when they have no quorum. */
  servers(): Promise<readonly LogServer[]>;
  /** The message with the lowest sequence from `sequence` on, whole or a part of a batch; null after the last one. */
  labelFrom(sequence: number): Promise<FoundLabel | null>;
  /** Appends a batch if the stream ends at `after`. Resolves to its sequence. Rejects with `WrongSequence`. */
  publish(batch: Batch, after: number): Promise<number>;
  /** Removes the messages up to a sequence. It says so first (`removed`), so that no member takes it for damage. */
  trim(sequence: number): Promise<void>;
  /** Calls `apply` with the batches after a sequence, in order, until `signal` is aborted. Rejects when `apply` does. */
  follow(
    after: number,
    apply: (batches: readonly StreamedBatch[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Who leads: a key that expires unless its holder renews it. It says who should write; the stream decides who can. */
export interface Lease {
  /** Takes the lease if it is free. */
  take(): Promise<boolean>;
  /** False: another member has it, or it has expired. */
  renew(): Promise<boolean>;
  /** Frees it at once. */
  release(): Promise<void>;
  /** The name of the member that has it, or null. */
  holder(): Promise<string | null>;
}

/** `subscriptions`: a mirror, which never leads and has no master key. */
export type MemberRole = 'leader' | 'follower' | 'subscriptions';

/** What a running member tells the others, about once a second. */
export interface MemberReport {
  readonly name: string;
  /** Unique for each start of the process. */
  readonly instance: string;
  /** The machine and the data directory: two processes with the same value cannot run at the same time. */
  readonly home: string;
  readonly host: string;
  readonly role: MemberRole;
  /** `stopped` and `handedOver`: its process ended in order, after a stop or because it gave the leadership away. */
  readonly state: 'running' | 'stopped' | 'handedOver';
  readonly version: string;
  /** Position of the last event in its log. */
  readonly position: number;
  /** How long its log has been behind the stream, in ms by its own clock; 0 = it is not. */
  readonly lagMs: number;
  /** When its process started, in ms since 1970 by its own clock. */
  readonly since: number;
  /** Host and port of its panel and of its subscription server; null = it does not listen yet. */
  readonly panel: string | null;
  readonly subscription: string | null;
  /** The last event that it knows to be in the stream; null = unknown. Absent in reports of older versions. */
  readonly acknowledged?: LogPoint | null | undefined;
  /** Position of the first event that its release does not know, where it has stopped; null or absent = it follows. */
  readonly unknownAt?: number | null | undefined;
  /** The time of the report by its own clock, in ms since 1970. Absent in reports of older versions. */
  readonly at?: number | undefined;
  /** Files that its machine could not install. Absent in reports of older versions. */
  readonly missingFiles?: readonly MissingFile[] | undefined;
}

/** Position and chain hash (hex) of an event. */
export interface LogPoint {
  readonly position: number;
  readonly hash: string;
}

/** The last report of a member. */
export interface ReportedMember extends MemberReport {
  /** Changes with each report. */
  readonly revision: number;
  /** How old the report is, in ms by the clock of the servers. */
  readonly ageMs: number;
  /** How far its clock is ahead of that of the server that has stored the report, in ms; null = unknown. */
  readonly aheadMs?: number | null;
}

/** The reports of all members. They stay until they are removed. Every call rejects with `ClusterAway` without an answer. */
export interface MemberReports {
  /** Replaces a report whose revision is known, or adds the first one (0). Rejects with `WrongSequence`. Resolves to the revision. */
  put(report: MemberReport, revision: number): Promise<number>;
  get(name: string): Promise<ReportedMember | null>;
  all(): Promise<readonly ReportedMember[]>;
  remove(name: string): Promise<void>;
}

/** A NATS server that stores a copy of the log. */
export interface LogServer {
  readonly name: string;
  readonly isLeader: boolean;
  /** It answers, and its copy is complete. */
  readonly isCurrent: boolean;
  /** Messages that its copy lacks. */
  readonly lag: number;
}

/** A member as the others see it. `away`: it runs no more, or its machine is cut off; nothing was heard for some seconds. */
export interface ClusterMember
  extends Omit<ReportedMember, 'state' | 'instance' | 'home' | 'revision' | 'acknowledged' | 'at' | 'aheadMs'> {
  readonly state: 'running' | 'away' | 'stopped';
  /** Events that its log lacks. */
  readonly lag: number;
  readonly unknownAt: number | null;
  readonly missingFiles: readonly MissingFile[];
  /** How far its clock is ahead of the leader's, in ms; null = unknown. */
  readonly clockMs: number | null;
}

/** A report that is older than this, in ms, is that of a member that is away. */
const AWAY_MS = 5000;
/** A clock that differs from the leader's by more than this, in ms, is wrong. */
const CLOCK_MS = 2000;

function stateOf({ state, ageMs }: ReportedMember): ClusterMember['state'] {
  if (state !== 'running') return 'stopped';
  return ageMs > AWAY_MS ? 'away' : 'running';
}

/** The members, from their reports. */
export function membersOf(reports: readonly ReportedMember[]): readonly ClusterMember[] {
  const newest = Math.max(0, ...reports.map(({ position }) => position));
  const leader = reports.find((report) => report.role === 'leader' && stateOf(report) === 'running');
  return reports.map((report) => {
    const { name, host, role, version, position, lagMs, since, panel, subscription, ageMs } = report;
    const { unknownAt = null, missingFiles = [], aheadMs = null } = report;
    const leads = leader?.aheadMs ?? null;
    return {
      ...{ name, host, role, version, position, lagMs, since, panel, subscription, ageMs, unknownAt, missingFiles },
      state: stateOf(report),
      lag: newest - position,
      clockMs: aheadMs === null || leads === null ? null : Math.round(aheadMs - leads),
    };
  });
}

/** Whether the clock of a running member differs from the leader's by more than two seconds. */
export const hasWrongClock = ({ state, clockMs }: Pick<ClusterMember, 'state' | 'clockMs'>): boolean =>
  state === 'running' && clockMs !== null && Math.abs(clockMs) > CLOCK_MS;

/** Copies of the log that must be current so that changes are possible. */
export const quorumOf = (servers: readonly LogServer[]): number => Math.floor(servers.length / 2) + 1;

/** The cluster as one member sees it. */
export interface ClusterView {
  /** This member. */
  readonly name: string;
  readonly role: 'leader' | 'follower';
  readonly leader: string | null;
  /** The last sequence of the stream that is in its log. */
  readonly sequence: number;
  /** Leader: the last position that the cluster has confirmed. */
  readonly confirmed: number | null;
  /** Since when (ms since 1970) the cluster does not answer; null = it answers. */
  readonly awayAt: number | null;
  /** What is wrong with the stream; null = nothing. */
  readonly fault: StreamFault | null;
  /** When the leader last changed, by the log of this member; ms since 1970, 0 = never. */
  readonly electedAt: number;
  /** As of the last answer. */
  readonly members: readonly ClusterMember[];
  /** The servers with a copy of the log; null = they have no quorum, or do not answer. */
  readonly servers: readonly LogServer[] | null;
}

/** The connection on which a caller reached a member of the cluster. */
export interface Caller {
  /** The address at the other end, which may be a proxy. */
  readonly remoteAddress: string;
  readonly isEncrypted: boolean;
  /** The correlation id of its request. */
  readonly correlationId: string;
}

/** The same, as the leader knows it. */
export interface RelayedCaller extends Caller {
  /** The member that the caller has reached. */
  readonly member: string;
}

/** The way of a member to the leader of its cluster. */
export interface LeaderLink {
  /** Whether this member leads, and so answers everything itself. */
  readonly isLeader: boolean;
  /** Why this member cannot change anything now; null = it can. */
  refusal(): Rejection | null;
  /** Opens a connection to the HTTP server of the leader for one request. Rejects with `ClusterAway`: nothing was sent. */
  callLeader(caller: Caller): Promise<Duplex>;
  /** Has the leader record a command, as soon as there is one. */
  recordAtLeader(command: AnyCommand, context: CommandContext): void;
}

/** Records what was observed, whatever becomes of it: on a follower the leader does, later. */
export type RecordCommand = (command: AnyCommand, context: CommandContext) => unknown;

/** Records at the leader while this member follows, else here. */
export function recorder(dispatch: RecordCommand, cluster: LeaderLink | null): RecordCommand {
  if (cluster === null) return dispatch;
  return (command, context) =>
    cluster.isLeader ? dispatch(command, context) : cluster.recordAtLeader(command, context);
}
