import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { Counter } from '../../events/counters.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Node } from '../../events/node/node-document.js';
import type { CoreState } from '../core/core-state.js';
import type { OutboxEntry } from '../node/node-outbox.js';
import type { StoryLog } from '../story.js';

/** In which state a client is: the first of these that holds, of a cap and an expiry the one that was reached first. */
export type Standing =
  | 'disabled'
  | 'cap reached'
  | 'expired'
  | 'inbound disabled'
  | 'inbound cap reached'
  | 'inbound expired'
  | 'node gone'
  | 'inbound refused by the node'
  | 'node away'
  | 'node behind'
  | 'inbound refused by the core'
  | 'core not running'
  | 'too many addresses'
  | 'not used yet'
  | 'active';

/** What holds beside the first of them. */
export interface Also {
  readonly standing: Standing;
  /** As in `Why`. */
  readonly rule: string;
  readonly since: Moment | null;
  readonly remedies: readonly string[];
}

/** When something came to be so (ms), the event that says so, and who caused that. */
export interface Moment {
  readonly at: number;
  readonly position: number;
  readonly by: string;
}

/** A client of the same email, the one in question among them, with its inbound and its part of what was used. */
export interface Sibling {
  readonly inbound: Inbound;
  readonly own: Counter;
}

/** What is known of the node that an inbound is bound to. */
export interface NodeFacts {
  readonly id: number;
  /** Undefined = it was taken out of the register. */
  readonly document: Node | undefined;
  /** Why it does not answer; null while it does, or where nobody knows. */
  readonly offline: string | null;
  /** What it has of the inbound, and positions of what it was not yet told. */
  readonly outbox: (OutboxEntry & { readonly waiting: readonly number[] }) | undefined;
}

export interface Facts {
  readonly client: Client;
  readonly inbound: Inbound;
  /** Of all siblings. */
  readonly used: Counter;
  readonly inboundUsed: Counter;
  readonly siblings: readonly Sibling[];
  readonly core: Pick<CoreState, 'process' | 'refused'>;
  /** Null where the core of this panel listens. */
  readonly node: NodeFacts | null;
  /** What happened to the client itself, oldest first. */
  readonly history: readonly RecordedEvent[];
  readonly log: Pick<StoryLog, 'lastOf'>;
  /** ms since 1970. */
  readonly now: number;
  /** By whose clocks periods begin. */
  readonly zone: string;
}

/** One rule: whether it holds, what it says, since which event, and what undoes it. */
export interface Rule {
  readonly standing: Standing;
  readonly holds: boolean;
  /** That it holds does not keep the client from connecting. */
  readonly harmless?: boolean;
  readonly rule: string;
  readonly since: () => RecordedEvent | null | undefined;
  readonly remedies: readonly string[];
}
