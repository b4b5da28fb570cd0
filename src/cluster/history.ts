import type { RecordedEvent } from '../events/catalog.js';
import type { RebuildReason } from '../events/cluster.js';
import type { EventLog } from '../events/log/log.js';
import { type Election, lastElection } from './election.js';
import type { SetAsideReport } from './set-aside.js';

/** The most files of events that were set aside, the newest first. */
const MAX_TAILS = 20;

/** The part of a log that has the past of the cluster. */
export interface ClusterLog extends Pick<EventLog, 'readStream'> {
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits?: (event: RecordedEvent) => boolean,
  ): RecordedEvent | null;
}

/** What has happened to the cluster. Times in ms since 1970. */
export interface ClusterHistory {
  readonly failover: Election | null;
  readonly rebuilt: { readonly at: number; readonly member: string; readonly reason: RebuildReason } | null;
  readonly setAside: readonly (SetAsideReport & { readonly at: number })[];
}

/** The last change of the leader, the last rebuild, and what was set aside, from a log. */
export function clusterHistory(log: ClusterLog): ClusterHistory {
  const setAside: (SetAsideReport & { at: number })[] = [];
  log.lastOf('cluster', ['TailSetAside'], (event) => {
    if (event.type === 'TailSetAside') setAside.push({ at: event.meta.at, ...event.data });
    return setAside.length === MAX_TAILS;
  });
  const rebuilt = log.lastOf('cluster', ['StreamRebuilt']);
  return {
    failover: lastElection(log),
    rebuilt: rebuilt?.type === 'StreamRebuilt' ? rebuilt.data : null,
    setAside,
  };
}
