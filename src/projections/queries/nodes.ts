import type { RecordedEvent } from '../../events/catalog.js';
import type { InboundId, NodeId } from '../../events/ids.js';
import type { Node } from '../../events/node/node-document.js';
import type { UnmanagedItems } from '../../events/node/node-sync.js';
import type { Foldings } from '../foldings.js';
import type { NodeBaseline } from '../node/node-baselines.js';
import { affectedNode, type OutboxEntry, outboxOf } from '../node/node-outbox.js';
import type { NodeFailing, NodeRestart, NodeStanding } from '../node/nodes.js';

/** Remote panels, and what was decided for them. */
export class NodeQueries {
  readonly #models: Foldings;

  constructor(models: Foldings) {
    this.#models = models;
  }

  /** Remote panels, in the order in which they were added. */
  all(): readonly Node[] {
    return [...this.#models.nodes.state.documents.values()];
  }

  get(id: number): Node | undefined {
    return this.#models.nodes.state.documents.get(id as NodeId);
  }

  /** Whether a node answers, as it was recorded last; undefined where nothing is known. */
  standing(id: NodeId): NodeStanding | undefined {
    return this.#models.nodes.state.standings.get(id);
  }

  /** Why a node that answers cannot be told anything, as it was recorded last; undefined while it can. */
  failing(id: NodeId): NodeFailing | undefined {
    return this.#models.nodes.state.failings.get(id);
  }

  /** Why its core was restarted by this panel last, and when. */
  restart(id: NodeId): NodeRestart | undefined {
    return this.#models.nodes.state.restarts.get(id);
  }

  /** What was decided for a node, inbound by inbound, those that were deleted here included. */
  outbox(id: NodeId): readonly (OutboxEntry & { readonly waiting: readonly number[] })[] {
    const { state } = this.#models.nodeOutbox;
    return outboxOf(state, id).map((entry) => ({ ...entry, waiting: state.waiting.get(entry.inbound) ?? [] }));
  }

  /** What was decided for an inbound that is bound to a node; undefined where there is nothing to be known of it. */
  outboxEntry(inbound: number): OutboxEntry | undefined {
    return this.#models.nodeOutbox.state.entries.get(inbound as InboundId);
  }

  /** The node that an event has something for. */
  affected(event: RecordedEvent): NodeId | undefined {
    return affectedNode(this.#models.nodeOutbox.state, event);
  }

  /** What only the node has, as it was recorded last. */
  unmanagedItems(id: NodeId): UnmanagedItems | undefined {
    return this.#models.nodeOutbox.state.unmanaged.get(id);
  }

  /** Clients that were deleted from an inbound and may still be on its node. */
  leaving(inbound: number): readonly number[] {
    return (this.#models.nodeBaselines.state.leaving.get(inbound) ?? []).map(([client]) => client);
  }

  /** Up to where a counter of a node is recorded. */
  baseline(kind: 'clients' | 'inbounds', id: number): NodeBaseline | undefined {
    return this.#models.nodeBaselines.state[kind].get(id);
  }

  /** When the log last shows that the counters of a node were read, ms since 1970; 0 = never. */
  readAt(node: NodeId): number {
    return this.#models.nodeBaselines.state.readAt.get(node) ?? 0;
  }
}
