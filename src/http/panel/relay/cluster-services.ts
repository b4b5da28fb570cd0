import type { Done } from '../../../commands/bus.js';
import type { ClusterCommand, JoinRequests } from '../../../commands/cluster.js';
import type { ClusterView, LeaderLink, StreamFault } from '../../../commands/ports/cluster.js';
import type { Rejection } from '../../../commands/rejection.js';
import type { ElectionReason } from '../../../events/cluster.js';
import type { Text } from '../../../messages/message.js';

/** The cluster, as the HTTP server of a member needs it. */
export interface ClusterServices extends LeaderLink {
  /** The last position that this member is known to have in common with the others; 0 = it was not compared yet. */
  readonly position: () => number;
  /** A change begins that this member carries out; the result is to be called when it has ended. */
  readonly begins: () => () => void;
  /** Resolves to whether it gets to a position within `ms`. */
  readonly reached: (position: number, ms: number) => Promise<boolean>;
  /** What admins see and do. */
  readonly admin: ClusterAdmin;
}

/** Records a decision of an admin. */
type Record = (command: ClusterCommand) => Done | Rejection;

/** What an admin sees of a cluster, and does with it. */
export interface ClusterAdmin {
  readonly view: () => ClusterView;
  /** What the log of this member has about the cluster. Times in ms since 1970; the newest first. */
  readonly history: () => Promise<{
    readonly failover: {
      readonly at: number;
      readonly member: string;
      readonly former: string | null;
      readonly reason: ElectionReason | null;
    } | null;
    readonly rebuilt: { readonly at: number; readonly member: string; readonly reason: string } | null;
    readonly setAside: readonly {
      readonly at: number;
      readonly member: string;
      readonly fromPosition: number;
      readonly toPosition: number;
      readonly file: string;
    }[];
  }>;
  /** The machines that want to join; null unless this member leads. */
  readonly joins: () => JoinRequests | null;
  /** Removes a member; null = hands over to another one. Resolves to why not, or null. */
  readonly steer: (
    asked: { readonly member: string; readonly force: boolean } | null,
    record: Record,
  ) => Promise<Rejection | null>;
  /** Compares the whole stream with the log of this member. */
  readonly verify: () => Promise<
    | {
        readonly fault: StreamFault | null;
        readonly difference: {
          readonly what: 'missing' | 'changed' | 'other';
          readonly position: number;
          readonly sequence: number;
        } | null;
        readonly messages: number;
        readonly position: number;
        /** What differs, as sentences; none = nothing. */
        readonly problems: readonly Text[];
      }
    | Rejection
  >;
}
