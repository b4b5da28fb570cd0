import type { Observable } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { ClientNumber, InboundId, NodeId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { Node } from '../../../events/node/node-document.js';
import type { CounterBaseline, UnmanagedItems } from '../../../events/node/node-sync.js';
import type { Alarms } from '../../../lib/alarms.js';
import type { Text } from '../../../messages/message.js';
import type { Done } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import type { NodeHistories } from '../../ports/node-histories.js';
import type { RemotePanel } from '../../ports/remote-panel.js';
import type { Rejection } from '../../rejection.js';
import type { SentInbound } from './match.js';

/** What the log knows of one inbound and its node. */
export interface OutboxItem extends SentInbound {
  /** The desired tag. */
  readonly tag: string;
  /** Positions of the changes since the node was last in sync. */
  readonly waiting: readonly number[];
  /** It was imported from a 3x-ui that managed the node before, and was not seen on the node yet. */
  readonly adopted: boolean;
  readonly applied: { readonly position: number; readonly digest: string; readonly at: number } | null;
  readonly refused: { readonly reason: Text; readonly since: number } | null;
}

/** What the log knows of the nodes. Times in ms since 1970. */
interface NodeRecords {
  /** The identity of this panel. */
  readonly ownId: () => string;
  readonly nodes: () => readonly Node[];
  readonly node: (id: NodeId) => Node | undefined;
  /** Whether the node was online when that was recorded last; undefined = nothing is recorded. */
  readonly wasOnline: (node: NodeId) => boolean | undefined;
  /** Why the node cannot be synchronized, as it was recorded last. */
  readonly failing: (node: NodeId) => { readonly reason: Text; readonly since: number } | undefined;
  /** The desired state of a node, and the position of the log at the time of the call. */
  readonly desired: (
    node: NodeId,
  ) => Promise<{ readonly position: number; readonly inbounds: readonly DesiredInbound[] }>;
  readonly outgoing: (node: NodeId) => readonly OutboxItem[];
  /** Inbounds and clients that exist only on the node, as they were recorded last. */
  readonly foreign: (node: NodeId) => UnmanagedItems | undefined;
  /** The last recorded values of the counters of nodes. */
  readonly baselines: {
    readonly client: (node: NodeId, number: ClientNumber) => CounterBaseline | undefined;
    readonly inbound: (id: InboundId) => CounterBaseline | undefined;
    /** Clients that were deleted from an inbound and may still be on their node. */
    readonly leaving: (id: InboundId) => readonly number[];
    /** When the counters were recorded last; 0 = never. */
    readonly readAt: (node: NodeId) => number;
  };
  /** Bytes used on all machines since the last reset of the counters. */
  readonly used: {
    readonly client: (number: ClientNumber) => number;
    readonly inbound: (id: InboundId) => number;
  };
  /** When an address of a client was recorded last; 0 = never. */
  readonly ipSeen: (client: number, ip: string) => number;
  /** The node whose desired state an event changes. */
  readonly affected: (event: RecordedEvent) => NodeId | undefined;
}

export interface RemoteNodesParts {
  readonly panel: RemotePanel;
  readonly records: NodeRecords;
  readonly histories: NodeHistories;
  /** `as`: the node whose report is recorded; null = this panel acts by itself. */
  readonly dispatch: (command: AnyCommand, as: Node | null) => Done | Rejection;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  /** Publishes the emails of the clients that are connected to a node. */
  readonly online: (node: NodeId, emails: readonly string[]) => void;
  readonly alarms: Pick<Alarms, 'raise' | 'clear'>;
  /** ms between two listings of a node that is in sync. */
  readonly period: () => number;
  /** Limit for removing everything from a node before it is deleted, in ms. */
  readonly cleanUpMs: number;
  readonly now: () => number;
  /** Between 0 and 1, for jitter. */
  readonly chance: () => number;
  readonly warn: (message: string, fields?: object) => void;
}
