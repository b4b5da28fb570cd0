import { createHash } from 'node:crypto';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { NodeError } from '../../ports/nodes.js';
import type { AskedNode, WantedInbound } from '../../ports/remote-panel.js';
import type { Retries } from './backoff.js';
import type { Had } from './match.js';
import { perform } from './node-perform.js';
import { Repairs } from './node-repairs.js';
import type { NodeTalkParts } from './parts.js';
import type { Observation } from './read-counters.js';
import { discreet } from './redact.js';
import type { InboundPlan } from './steps.js';
import type { NodeBooks } from './sync-recorder.js';

/** A node that was told the same so often and shows something else keeps it otherwise. */
const PATIENCE = 3;
const KEPT_OTHERWISE = 'The node does not keep this inbound as it is told';
const CHANGED_AGAIN = 'Something else on the node changes this inbound again and again';

/** What a listing was compared with, and what it shows of counters. */
interface Shown extends Pick<Observation, 'newClients' | 'newInbounds'> {
  readonly position: number;
}

interface Asking {
  readonly books: NodeBooks;
  readonly retries: Retries<InboundId>;
  readonly isCurrent: (asked: Node) => boolean;
}

/** Tells a node what it shall have, inbound by inbound, and records what it has. */
export class NodeOrders {
  readonly #parts: NodeTalkParts;
  readonly #id: NodeId;
  readonly #asking: Asking;
  readonly #repairs: Repairs<InboundId>;
  /** Tags that were told in this life of the panel, whether or not that was seen. */
  readonly #told = new Map<InboundId, Set<string>>();

  constructor(parts: NodeTalkParts, id: NodeId, asking: Asking) {
    this.#parts = parts;
    this.#id = id;
    this.#asking = asking;
    this.#repairs = new Repairs(parts.now);
  }

  /** What was told of each inbound, in the log or since. */
  had(): readonly Had[] {
    return this.#parts.outgoing(this.#id).map(({ inbound, tags, deleted, applied, inherited }) => ({
      inbound,
      tags: [...new Set([...(this.#told.get(inbound) ?? []), ...tags])],
      deleted,
      removed: applied === null && !inherited && !this.#told.has(inbound),
    }));
  }

  /** What was told and not seen does not count any more. */
  forget(): void {
    this.#told.clear();
  }

  forgive(): void {
    this.#repairs.forgive();
  }

  /** Until when an inbound waits for its next try, ms since 1970; 0 = it does not. */
  until(inbound: InboundId): number {
    return Math.max(this.#asking.retries.until(inbound), this.#repairs.until(inbound));
  }

  /** Records what is as it is wanted; tells the rest. Resolves to whether the node was told something. */
  async settle(
    node: Node & AskedNode,
    plan: InboundPlan,
    { position, newClients, newInbounds }: Shown,
  ): Promise<boolean> {
    const { inbound, wanted, steps, reason, waits } = plan;
    const { books, retries } = this.#asking;
    const asked = wantedDigest(wanted);
    if (reason !== null) books.refused(node, inbound, reason);
    if (waits)
      books.begun(node, inbound, { newClients: newClients.get(inbound) ?? [], newInbound: newInbounds.has(inbound) });
    if (steps.length === 0 && (reason !== null || waits)) {
      // Nothing was asked of the node, so there is nothing to wait with: every listing shows whether it is over.
      retries.done(inbound);
      return false;
    }
    if (wanted === null && steps.length === 0) {
      books.removed(node, plan, false);
      return false;
    }
    if (wanted && steps.length === 0) {
      retries.done(inbound);
      const found = {
        position,
        digest: asked,
        newClients: newClients.get(inbound) ?? [],
        newInbound: newInbounds.has(inbound),
      };
      // Where somebody else is at it, it must stay so for a while first.
      if (!this.#repairs.isTired(inbound) || !books.isUnchanged(inbound, found)) books.arrived(node, wanted, found);
      return false;
    }
    return this.#mayTell(node, plan, asked) && this.#tell(node, plan, asked);
  }

  #mayTell(node: Node, { inbound, wanted, steps, reason }: InboundPlan, asked: string): boolean {
    const { books, retries } = this.#asking;
    if (retries.isWaiting(inbound, asked)) return false;
    const repairs = books.had(inbound, wanted === null ? null : asked);
    if (repairs && this.#repairs.isTired(inbound)) {
      books.refused(node, inbound, CHANGED_AGAIN);
      return false;
    }
    if (retries.told(inbound, asked) > PATIENCE) {
      retries.refused(inbound, asked);
      books.refused(node, inbound, reason ?? KEPT_OTHERWISE);
      return false;
    }
    if (repairs && steps.some(({ do: what }) => !what.startsWith('reset'))) this.#repairs.begun(inbound);
    return true;
  }

  async #tell(node: Node & AskedNode, plan: InboundPlan, asked: string): Promise<boolean> {
    const { inbound, wanted, steps, reason } = plan;
    const { books, retries, isCurrent } = this.#asking;
    books.noteCuts(node, plan);
    try {
      if (wanted) this.#remember(inbound, wanted.tag);
      await perform(this.#parts.panel, node, plan);
    } catch (error) {
      if (!(error instanceof NodeError) || error.kind !== 'said-no') throw error;
      retries.refused(inbound, asked);
      // What it does not take over is not ours when it appears there.
      if (plan.listed === null && wanted) this.#told.get(inbound)?.delete(wanted.tag);
      if (reason === null && isCurrent(node))
        books.refused(node, inbound, discreet(error.message, wanted?.clients ?? []));
      return false;
    }
    if (steps.some(({ do: what }) => what === 'remove')) {
      this.#told.delete(inbound);
      retries.done(inbound);
      // What it refused may have been in the way of that: its port, its tag, its emails.
      if (books.removed(node, plan, true)) retries.retryRefused();
    }
    return true;
  }

  #remember(inbound: InboundId, tag: string): void {
    const tags = this.#told.get(inbound);
    if (tags) tags.add(tag);
    else this.#told.set(inbound, new Set([tag]));
  }
}

/** Of everything that a node is told of an inbound. */
function wantedDigest(wanted: WantedInbound | null): string {
  if (wanted === null) return '';
  const { tag, enabled, digest: own, clients } = wanted;
  const hash = createHash('sha256').update(`${JSON.stringify(tag)} ${enabled} ${own}`);
  for (const client of clients) hash.update(client.digest);
  return hash.digest('hex').slice(0, 20);
}
