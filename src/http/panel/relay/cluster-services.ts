import type { LeaderLink } from '../../../commands/ports/cluster.js';

/** The cluster, as the HTTP server of a member needs it. */
export interface ClusterServices extends LeaderLink {
  /** The last position that this member is known to have in common with the others; 0 = it was not compared yet. */
  readonly position: () => number;
  /** Resolves to whether it gets to a position within `ms`. */
  readonly reached: (position: number, ms: number) => Promise<boolean>;
}
