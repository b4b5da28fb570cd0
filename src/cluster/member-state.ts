import type { LogPoint, ReportedMember, StreamFault } from '../commands/ports/cluster.js';

export type Role = 'leader' | 'follower';

/** What a member knows of itself. */
export interface MemberState {
  readonly name: string;
  readonly role: Role;
  /** The leader as this member last saw it; null = unknown. */
  readonly leader: string | null;
  readonly position: number;
  /** The last position that its log and the stream have in common: what is after it may be set aside. */
  readonly shared: number;
  readonly sequence: number;
  /** Leader: the last position that the quorum has confirmed. */
  readonly confirmed: number | null;
  /** Since when (ms since 1970) the cluster does not answer; null = it answers. */
  readonly awayAt: number | null;
  /** The last event that it knows to be in the stream; null = unknown. */
  readonly acknowledged: LogPoint | null;
  /** What is wrong with the stream; null = nothing. */
  readonly fault: StreamFault | null;
  /** Position of the first event that its release does not know: it follows no further, and never leads. Null = none. */
  readonly unknownAt: number | null;
}

/** What happens during a planned hand-over. */
export interface HandOver {
  /** How long the confirmation of the last events may take, in ms. */
  readonly ms: number;
  /** Resolves when the changes in progress have ended. New ones are for the next leader. */
  readonly finished: () => Promise<void>;
  /** Ends what only the leader does. */
  readonly leave: () => Promise<void>;
}

/** What a member does in its roles. */
export interface RoleWork {
  /** Starts what only the leader does. */
  readonly lead: (reports: readonly ReportedMember[]) => Promise<void>;
  /** Called when it follows again after a hand-over. */
  readonly followed?: () => void;
  /** Called when a follower has more than before, and with every beat. */
  readonly moved?: (has: LogPoint) => void;
}
