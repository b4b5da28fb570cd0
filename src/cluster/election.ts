import type { ReportedMember } from '../commands/ports/cluster.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { ElectionReason } from '../events/cluster.js';
import type { EventLog } from '../events/log/log.js';

/** The part of a log that knows who led. */
export interface ElectionLog extends Pick<EventLog, 'readStream'> {
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits?: (event: RecordedEvent) => boolean,
  ): RecordedEvent | null;
}

/** A change of the leader. */
export interface Election {
  readonly at: number;
  readonly member: string;
  /** Null: none led before, or a release recorded it that did not name it. */
  readonly former: string | null;
  readonly reason: ElectionReason | null;
}

/** The last change of the leader; null = none was recorded. */
export function lastElection(log: Pick<ElectionLog, 'lastOf'>): Election | null {
  const event = log.lastOf('cluster', ['LeaderElected']);
  if (event?.type !== 'LeaderElected') return null;
  const { member, former = null, reason = null } = event.data;
  return { at: event.meta.at, member, former, reason };
}

/** Whether the log is replicated: a member led, and the panel has not run alone since. */
export const isReplicated = (log: Pick<ElectionLog, 'lastOf'>): boolean =>
  log.lastOf('cluster', ['LeaderElected', 'ClusterLeft'])?.type === 'LeaderElected';

/** Who led before, and why it does no longer, from the log and from the last reports of the members. */
export function formerLeader(
  log: Pick<ElectionLog, 'lastOf'>,
  reports: readonly ReportedMember[],
): { readonly former: string | null; readonly reason: ElectionReason } {
  const former = lastElection(log)?.member ?? null;
  if (former === null) return { former, reason: 'first' };
  const state = reports.find(({ name }) => name === former)?.state ?? 'running';
  return { former, reason: state === 'running' ? 'expired' : state };
}
