import type { LeaderLink } from '../../../commands/ports/cluster.js';

/** The cluster, as the HTTP server of a member needs it. */
export interface ClusterServices extends LeaderLink {
  /** The last position of this member's log. */
  readonly position: () => number;
  /** Resolves to whether the log has a position within `ms`. */
  readonly reached: (position: number, ms: number) => Promise<boolean>;
}
