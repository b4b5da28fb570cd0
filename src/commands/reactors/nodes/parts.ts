import type { ClientNumber, InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import type { Done } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import type { Followed } from '../../node/node-credit.js';
import type { NodePanel, WantedInbound } from '../../ports/remote-panel.js';
import type { Rejection } from '../../rejection.js';
import type { Had } from './match.js';

/** What the log knows of one inbound and its node. */
export interface Outgoing extends Had {
  /** The name under which it is wanted. */
  readonly tag: string;
  /** Positions of what was decided since the node last had everything. */
  readonly waiting: readonly number[];
  /** A panel before this one put it there, and nothing was seen of it yet. */
  readonly inherited: boolean;
  readonly applied: { readonly position: number; readonly digest: string; readonly at: number } | null;
  readonly refused: { readonly reason: string; readonly since: number } | null;
}

/** What only a node has, as it was recorded last. */
export interface RecordedUnmanagedItems {
  readonly inboundTags: readonly string[];
  readonly clients: readonly { readonly inboundTag: string; readonly email: string }[];
  readonly omitted: number;
}

export interface NodeTalkParts {
  readonly panel: NodePanel;
  readonly node: (id: NodeId) => Node | undefined;
  /** The lasting name of this panel. */
  readonly ownId: () => string;
  /** What a node shall have, and the position of the log that says so: both of the moment of the call. */
  readonly wanted: (
    node: NodeId,
  ) => Promise<{ readonly position: number; readonly inbounds: readonly WantedInbound[] }>;
  readonly outgoing: (node: NodeId) => readonly Outgoing[];
  readonly unmanagedItems: (node: NodeId) => RecordedUnmanagedItems | undefined;
  /** Up to where the counters of nodes are followed. */
  readonly followed: {
    readonly client: (node: NodeId, number: ClientNumber) => Followed | undefined;
    readonly inbound: (id: InboundId) => Followed | undefined;
    /** Clients that were deleted from an inbound and may still be on their node. */
    readonly leaving: (id: InboundId) => readonly number[];
    /** When the log last shows that they were read, ms since 1970; 0 = never. */
    readonly readAt: (node: NodeId) => number;
  };
  /** Bytes used here and everywhere, since the counters were last begun anew. */
  readonly used: {
    readonly client: (number: ClientNumber) => number;
    readonly inbound: (id: InboundId) => number;
  };
  /** `as`: who told it, or this panel by itself. */
  readonly dispatch: (command: AnyCommand, as: Node | null) => Done | Rejection;
  /** Why it cannot be told anything, as it was recorded last, and when: ms since 1970. */
  readonly failing: (node: NodeId) => { readonly reason: string; readonly since: number } | undefined;
  /** Another node that is the same panel, and was so first. */
  readonly twin: (node: Node, panelId: string) => Node | undefined;
  /** ms between two listings of a node that has everything. */
  readonly period: () => number;
  /** When a node last answered how it is, ms since 1970; 0 = it did not the last time. */
  readonly answeredAt: (node: NodeId) => number;
  /** Why nothing that a node answers is believed; empty = it is. */
  readonly distrust: (node: NodeId, reason: string) => void;
  /** Who is connected to a node. */
  readonly online: (node: NodeId, emails: readonly string[]) => void;
  /** When an address of a client was last recorded, ms; 0 = never. */
  readonly ipSeen: (client: number, ip: string) => number;
  /** Says once that a node is far behind, and that it is not any more. */
  readonly behind: (node: Node, why: string | null) => void;
  readonly now: () => number;
  /** Between 0 and 1: nodes that failed together do not come again together. */
  readonly chance: () => number;
  readonly warn: (message: string, fields?: object) => void;
}
