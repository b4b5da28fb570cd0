import type { RecordedEvent } from '../../events/catalog.js';
import type { InboundId, NodeId } from '../../events/ids.js';
import type { Node } from '../../events/node/node-document.js';
import type { UnmanagedItems } from '../../events/node/node-sync.js';
import type { Foldings } from '../foldings.js';
import type { NodeBaseline } from '../node/node-baselines.js';
import { affectedNode, type OutboxEntry, outboxOf } from '../node/node-outbox.js';
import type { NodeConnectivity, NodeFailing, NodeRestart } from '../node/nodes.js';

/** Queries for nodes. */
export class NodeQueries {
  readonly #models: Foldings;

  constructor(models: Foldings) {
    this.#models = models;
  }

  /** All nodes, in the order in which they were added. */
  all(): readonly Node[] {
    return [...this.#models.nodes.state.documents.values()];
  }

  get(id: number): Node | undefined {
    return this.#models.nodes.state.documents.get(id as NodeId);
  }

  /** Whether a node is online, as last recorded; undefined when unknown. */
  connectivity(id: NodeId): NodeConnectivity | undefined {
    return this.#models.nodes.state.connectivity.get(id);
  }

  /** Why a node that is online cannot be synchronized, as last recorded; undefined while it can. */
  failing(id: NodeId): NodeFailing | undefined {
    return this.#models.nodes.state.failings.get(id);
  }

  /** When and why this panel last restarted the core of a node. */
  restart(id: NodeId): NodeRestart | undefined {
    return this.#models.nodes.state.restarts.get(id);
  }

  /** The desired state of a node by inbound, including inbounds that were deleted here. */
  outbox(id: NodeId): readonly (OutboxEntry & { readonly waiting: readonly number[] })[] {
    const { state } = this.#models.nodeOutbox;
    return outboxOf(state, id).map((entry) => ({ ...entry, waiting: state.waiting.get(entry.inbound) ?? [] }));
  }

  /** The desired state of an inbound on a node; undefined for other inbounds. */
  outboxEntry(inbound: number): OutboxEntry | undefined {
    return this.#models.nodeOutbox.state.entries.get(inbound as InboundId);
  }

  /** The node that an event changes. */
  affected(event: RecordedEvent): NodeId | undefined {
    return affectedNode(this.#models.nodeOutbox.state, event);
  }

  /** Inbounds and clients on a node that this panel does not manage, as last recorded. */
  unmanagedItems(id: NodeId): UnmanagedItems | undefined {
    return this.#models.nodeOutbox.state.unmanaged.get(id);
  }

  /** Clients that were deleted from an inbound and may still exist on its node. */
  leaving(inbound: number): readonly number[] {
    return (this.#models.nodeBaselines.state.leaving.get(inbound) ?? []).map(([client]) => client);
  }

  /** The last recorded reading of a node's counter. */
  baseline(kind: 'clients' | 'inbounds', id: number): NodeBaseline | undefined {
    return this.#models.nodeBaselines.state[kind].get(id);
  }

  /** When the counters of a node were last read according to the log, in ms since 1970; 0 = never. */
  readAt(node: NodeId): number {
    return this.#models.nodeBaselines.state.readAt.get(node) ?? 0;
  }
}
