import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Node } from '../../events/node/node-document.js';
import type { Counter } from '../../events/traffic/counters.js';
import type { Text } from '../../messages/message.js';
import type { MachineCore } from '../core/core-state.js';
import type { OutboxEntry } from '../node/node-outbox.js';
import type { HistoryLog } from './history.js';

/** The state of a client: the first of these that holds; of a cap and an expiry the one that was reached first. */
export type AccessStatus =
  | 'disabled'
  | 'cap reached'
  | 'expired'
  | 'inbound disabled'
  | 'inbound cap reached'
  | 'inbound expired'
  | 'node deleted'
  | 'inbound rejected by the node'
  | 'node disabled'
  | 'node unreachable'
  | 'node outdated'
  | 'inbound rejected by the core'
  | 'core not running'
  | 'too many addresses'
  | 'not used yet'
  | 'active';

/** A rule that holds besides the first one. */
export interface Also {
  readonly status: AccessStatus;
  /** As in `Why`. */
  readonly rule: Text;
  readonly since: Moment | null;
  readonly remedies: readonly Text[];
}

/** The time (ms since 1970) and position of an event, and who caused it. */
export interface Moment {
  readonly at: number;
  readonly position: number;
  readonly by: Text;
}

/** An inbound of the email, and the traffic of its client there. */
export interface Sibling {
  readonly inbound: Inbound;
  readonly own: Counter;
}

/** The node of an inbound. */
export interface NodeFacts {
  readonly id: number;
  /** Undefined when it was deleted. */
  readonly document: Node | undefined;
  /** Why it is unreachable; null while it answers or its state is unknown. */
  readonly offline: Text | null;
  /** What was sent to it for this inbound, and the positions of the events that it has not received. */
  readonly outbox: (OutboxEntry & { readonly waiting: readonly number[] }) | undefined;
}

export interface Facts {
  readonly client: Client;
  readonly inbound: Inbound;
  /** Of all siblings. */
  readonly used: Counter;
  readonly inboundUsed: Counter;
  readonly siblings: readonly Sibling[];
  readonly core: Pick<MachineCore, 'process' | 'refused'>;
  /** Null for an inbound of this machine. */
  readonly node: NodeFacts | null;
  /** The events of the client, oldest first. */
  readonly history: readonly RecordedEvent[];
  readonly log: Pick<HistoryLog, 'lastOf'>;
  /** ms since 1970. */
  readonly now: number;
  /** The time zone in which periods start. */
  readonly zone: string;
}

/** One rule: whether it holds, its text, the event that made it hold, and how to fix it. */
export interface Rule {
  readonly status: AccessStatus;
  readonly holds: boolean;
  /** The client may connect although the rule holds. */
  readonly harmless?: boolean;
  readonly rule: Text;
  readonly since: () => RecordedEvent | null | undefined;
  readonly remedies: readonly Text[];
}
