import type { Duplex } from 'node:stream';
import type { CommandContext } from '../bus.js';
import type { AnyCommand } from '../catalog.js';
import type { Rejection } from '../rejection.js';

/** The connection on which a caller reached a member of the cluster. */
export interface Caller {
  /** The address at the other end, which may be a proxy. */
  readonly remoteAddress: string;
  /** With TLS. */
  readonly isEncrypted: boolean;
  /** The correlation id of its request. */
  readonly correlationId: string;
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
